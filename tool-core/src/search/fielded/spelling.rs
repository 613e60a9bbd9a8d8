//! Other spellings of a word: what the vocabulary has at one edit, or with the same beginning.

use std::sync::Arc;

/// Fewest letters of a word that may be misspelt.
const MIN_TYPO: usize = 4;
/// Fewest letters that two forms of a word have in common.
const MIN_COMMON: usize = 5;
/// Most letters in which they differ at the end, and the share of the longer one that they have in common.
const MAX_ENDING: usize = 3;
const COMMON_SHARE: f32 = 0.7;
/// How many terms are looked at for one word: a hostile vocabulary may have a million alike.
const MAX_LOOKED_AT: usize = 4_096;
/// The most spellings of one word.
const MAX_SPELLINGS: usize = 16;

/// The ASCII words of a vocabulary by their beginning and by their end.
#[derive(Debug)]
pub(super) struct Spellings {
    by_beginning: Vec<Arc<str>>,
    /// Each reversed.
    by_end: Vec<Box<str>>,
}

impl Spellings {
    pub(super) fn new(terms: &[Arc<str>]) -> Self {
        let words = || {
            let is_word = |term: &&Arc<str>| {
                term.len() >= MIN_TYPO - 1 && term.bytes().all(|byte| byte.is_ascii_lowercase())
            };
            terms.iter().filter(is_word)
        };
        let mut by_beginning: Vec<Arc<str>> = words().cloned().collect();
        by_beginning.sort_unstable();
        let mut by_end: Vec<Box<str>> = words().map(|term| reversed(term)).collect();
        by_end.sort_unstable();
        Self { by_beginning, by_end }
    }

    /// Terms that differ from `word` in one inserted, dropped or changed letter or two neighbours swapped.
    ///
    /// One edit leaves the first or the last letters alone, half of them rounded down; looking up both is enough.
    pub(super) fn misspelt(&self, word: &str) -> Vec<Box<str>> {
        if word.len() < MIN_TYPO || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Vec::new();
        }
        let half = (word.len() - 1) / 2;
        let reversed_word = reversed(word);
        let begin = starting_with(&self.by_beginning, word.get(..half).unwrap_or_default());
        let end = starting_with(&self.by_end, reversed_word.get(..half).unwrap_or_default());
        let mut found: Vec<Box<str>> =
            begin.filter(|term| is_one_edit(word, term)).map(|term| (&**term).into()).collect();
        found.extend(end.filter(|term| is_one_edit(&reversed_word, term)).map(|term| reversed(term)));
        found.sort_unstable();
        found.dedup();
        found.truncate(MAX_SPELLINGS);
        found
    }

    /// Other terms with the same beginning: `analyz` and `analysi`, `econom` and `economi`.
    pub(super) fn same_beginning(&self, word: &str) -> Vec<Box<str>> {
        let Some(beginning) = word.get(..MIN_COMMON).filter(|_| word.is_ascii()) else { return Vec::new() };
        let is_form = |term: &&Arc<str>| {
            let common = term.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
            let longer = term.len().max(word.len());
            ***term != *word && longer - common <= MAX_ENDING && share(common, longer) >= COMMON_SHARE
        };
        let terms = starting_with(&self.by_beginning, beginning).filter(is_form);
        terms.take(MAX_SPELLINGS).map(|term| (&**term).into()).collect()
    }
}

#[allow(clippy::cast_precision_loss, reason = "lengths of words")]
fn share(part: usize, whole: usize) -> f32 {
    part as f32 / whole as f32
}

fn reversed(word: &str) -> Box<str> {
    word.chars().rev().collect::<String>().into()
}

fn starting_with<'a, T: AsRef<str>>(
    sorted: &'a [T],
    beginning: &'a str,
) -> impl Iterator<Item = &'a T> + use<'a, T> {
    let from = sorted.partition_point(|term| term.as_ref() < beginning);
    let rest = sorted.get(from..).unwrap_or_default();
    rest.iter().take_while(move |term| term.as_ref().starts_with(beginning)).take(MAX_LOOKED_AT)
}

/// Whether two words differ in exactly one edit, a swap of neighbours among them.
fn is_one_edit(a: &str, b: &str) -> bool {
    let (a, b) = if a.len() <= b.len() { (a.as_bytes(), b.as_bytes()) } else { (b.as_bytes(), a.as_bytes()) };
    if b.len() - a.len() > 1 {
        return false;
    }
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    match (a, b) {
        ([first, second, a @ ..], [second_too, first_too, b @ ..])
            if first == first_too && second == second_too && a == b =>
        {
            true
        }
        ([_, rest_a @ ..], [_, rest_b @ ..]) if a.len() == b.len() => rest_a == rest_b,
        (_, [_, rest]) if a.len() < b.len() => a == std::slice::from_ref(rest),
        (_, [_, rest @ ..]) if a.len() < b.len() => a == rest,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(terms: &[&str]) -> Spellings {
        Spellings::new(&terms.iter().map(|term| Arc::from(*term)).collect::<Vec<_>>())
    }

    #[test]
    fn one_edit_anywhere_is_found() {
        let spellings = of(&["weather", "whether", "refund", "share"]);
        for misspelt in [
            "eather", "wather", "wether", "weater", "weathe", "xeather", "wexther", "weathex", "xweather",
            "weaxther", "weatherx", "ewather", "wetaher", "weahter", "weathre",
        ] {
            assert!(spellings.misspelt(misspelt).contains(&"weather".into()), "{misspelt}");
        }
        assert_eq!(spellings.misspelt("shrae"), ["share".into()]);
        for other in ["weather", "wxxther", "refnudx", "sha", "wea ther"] {
            assert!(!spellings.misspelt(other).iter().any(|term| **term == *other), "{other}");
            assert!(other == "weather" || spellings.misspelt(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn forms_of_a_word_share_most_of_it() {
        let spellings = of(&["analyz", "analysi", "economi", "econom", "transfer", "transform"]);
        assert_eq!(spellings.same_beginning("econom"), ["economi".into()]);
        assert_eq!(spellings.same_beginning("analysi"), ["analyz".into()]);
        assert!(spellings.same_beginning("transfer").is_empty());
        assert!(spellings.same_beginning("anal").is_empty());
    }

    #[test]
    fn a_vocabulary_of_look_alikes_is_not_read_whole() {
        let terms: Vec<Arc<str>> = (0..200_000_u32)
            .map(|n| {
                let letters = (0..5).map(|place| char::from(b'a' + ((n / 26_u32.pow(place)) % 26) as u8));
                Arc::from(format!("same{}", letters.collect::<String>()))
            })
            .collect();
        let spellings = Spellings::new(&terms);
        assert!(spellings.misspelt("samezzzzzz").len() <= MAX_SPELLINGS);
        assert!(spellings.same_beginning("sameaaaaab").len() <= MAX_SPELLINGS);
    }
}
