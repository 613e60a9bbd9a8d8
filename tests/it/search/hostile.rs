//! Catalogues that try to win, or to be slow.

use std::fmt::Write as _;

use super::{catalog, document, found};
use tool_core::Catalog;

const HONEST: [(&str, &str); 6] = [
    ("get_weather", "Current weather of a city."),
    ("send_email", "Sends a message to a person."),
    ("book_flight", "Books a seat on a plane."),
    ("convert_currency", "Money of one country in that of another."),
    ("search_web", "Finds pages on the internet."),
    ("delete_file", "Removes a file from the disk."),
];
const QUERIES: [(&str, &str); 6] = [
    ("what is the weather in Oslo", "get_weather"),
    ("send an email to Ann", "send_email"),
    ("book a flight to Rome", "book_flight"),
    ("convert dollars to another currency", "convert_currency"),
    ("search the web for cats", "search_web"),
    ("delete the file", "delete_file"),
];

fn with(name: &str, description: &str) -> Catalog {
    let honest = HONEST.map(|(name, description)| document(name, description));
    Catalog::new(honest.into_iter().chain([document(name, description)]))
}

#[test]
fn a_description_stuffed_with_every_query_wins_none() {
    let all = QUERIES.map(|(query, _)| query).join(". ");
    let stuffed = [
        all.repeat(5_000 / all.len()),
        "weather email flight currency web file ".repeat(128),
        "weather ".repeat(625),
    ];
    for description in stuffed {
        let tools = with("assistant", &description);
        for (query, name) in QUERIES {
            assert_eq!(found(&tools, query)[0], name, "{query}");
        }
    }
}

#[test]
fn empty_descriptions_are_found_by_their_names() {
    let tools = catalog(&[("alpha_beta", ""), ("gamma", ""), ("_", "")]);
    assert_eq!(found(&tools, "beta"), ["alpha_beta"]);
    assert!(found(&catalog(&[]), "beta").is_empty());
}

#[test]
fn of_ten_thousand_alike_the_first_come_first() {
    let names: Vec<String> = (0..10_000).map(|n| format!("copy_{n:05}")).collect();
    let tools: Vec<_> = names.iter().map(|name| (name.as_str(), "Copies a record of the archive.")).collect();
    let tools = catalog(&tools);
    let first = found(&tools, "copy records");
    assert_eq!(first, ["copy_00000", "copy_00001", "copy_00002", "copy_00003", "copy_00004"]);
    assert!((0..100).all(|_| found(&tools, "copy records") == first));
    assert_eq!(found(&tools, "copy_07777")[0], "copy_07777");
}

#[test]
fn a_million_different_words_hide_nothing() {
    let mut word = 0_u32;
    let noise = (0..500).map(|n| {
        let mut description = String::new();
        for _ in 0..2_000 {
            let _ = write!(description, "x{} ", word_of(word));
            word += 1;
        }
        document(&format!("noise_{n}"), &description)
    });
    let honest = HONEST.map(|(name, description)| document(name, description));
    let tools = Catalog::new(honest.into_iter().chain(noise));
    for (query, name) in QUERIES {
        assert_eq!(found(&tools, query)[0], name, "{query}");
    }
}

/// A number in letters.
fn word_of(number: u32) -> String {
    (0..5).map(|place| char::from(b'a' + u8::try_from(number / 26_u32.pow(place) % 26).unwrap())).collect()
}

#[test]
fn endless_queries_are_answered() {
    let tools = catalog(&HONEST);
    for query in ["weathr ".repeat(20_000), "a".repeat(1_000_000), "天".repeat(100_000), "_".repeat(100_000)]
    {
        assert!(found(&tools, &query).len() <= 5);
    }
    assert_eq!(found(&tools, &format!("weather {}", "zzqx ".repeat(50_000))), ["get_weather"]);
}
