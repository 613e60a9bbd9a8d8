//! Tokens: NFKC, case and marks folded; split at separators, at inner capitals and at digits.
//!
//! `XMLParser_v2` is xml, parser, v, 2; `userIDs` is user, ids. Runs of scripts that put no spaces between words (Han, Kana,
//! Hangul, Thai, Lao, Khmer, Burmese) become pairs of neighbouring characters.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Calls `each` for every token, with the number of the word that it is a part of.
pub(in crate::search) fn split(text: &str, each: &mut dyn FnMut(&str, usize)) {
    let characters: Vec<char> =
        if text.is_ascii() { text.bytes().map(char::from).collect() } else { text.nfkc().collect() };
    let mut rest = characters.as_slice();
    let mut token = String::new();
    let mut word = 0;
    while let Some(&first) = rest.first() {
        if has_no_spaces(first) {
            let run;
            (run, rest) = take(rest, has_no_spaces);
            pairs(run, &mut token, word, each);
            word += 1;
        } else if first.is_numeric() || first.is_alphabetic() {
            let piece;
            (piece, rest) =
                if first.is_numeric() { take(rest, char::is_numeric) } else { letters(rest, first) };
            fold(piece, &mut token);
            each(&token, word);
            if !rest.first().is_some_and(|next| next.is_alphanumeric() && !has_no_spaces(*next)) {
                word += 1;
            }
        } else {
            (_, rest) = take(rest, |c| !c.is_alphanumeric());
        }
    }
}

/// The longest beginning whose characters all are as wanted, and what comes after it.
fn take(characters: &[char], wanted: impl Fn(char) -> bool) -> (&[char], &[char]) {
    characters.split_at(characters.iter().take_while(|c| wanted(**c)).count())
}

/// Capitals up to the one that begins the next word, with the `s` of a plural; or a word with its first capital.
fn letters(characters: &[char], first: char) -> (&[char], &[char]) {
    let inner =
        |c: char| (c.is_alphabetic() || is_combining_mark(c)) && !c.is_uppercase() && !has_no_spaces(c);
    let (capitals, after) = take(characters, char::is_uppercase);
    if capitals.len() < 2 {
        let (_, after) = take(characters.get(1..).unwrap_or_default(), inner);
        return characters.split_at(characters.len() - after.len());
    }
    debug_assert!(first.is_uppercase(), "two capitals begin with one");
    let length = match after {
        ['s', rest @ ..] if !rest.first().is_some_and(|c| c.is_alphabetic()) => capitals.len() + 1,
        [next, ..] if next.is_lowercase() => capitals.len() - 1,
        _ => capitals.len(),
    };
    characters.split_at(length)
}

fn pairs(run: &[char], token: &mut String, word: usize, each: &mut dyn FnMut(&str, usize)) {
    for pair in run.windows(2.min(run.len())) {
        token.clear();
        token.extend(pair);
        each(token, word);
    }
}

/// Lower case; accents and other marks of Latin letters dropped; the sharp and the final s as their plain ones.
fn fold(piece: &[char], token: &mut String) {
    token.clear();
    if piece.iter().all(char::is_ascii) {
        token.extend(piece.iter().map(char::to_ascii_lowercase));
        return;
    }
    for c in piece.iter().flat_map(|c| c.to_lowercase()) {
        match c {
            'ß' => token.push_str("ss"),
            'ς' => token.push('σ'),
            '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                token.extend(std::iter::once(c).nfd().filter(|c| !is_combining_mark(*c)));
            }
            _ => token.push(c),
        }
    }
}

/// Whether a character is of a script that puts no spaces between words.
pub(in crate::search) fn has_no_spaces(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Burmese
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3040}'..='\u{30ff}' // Hiragana, Katakana
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' // Han
        | '\u{ac00}'..='\u{d7af}') // Hangul
}

#[cfg(test)]
mod tests {
    use super::super::tokens;

    #[test]
    fn words_are_split_where_a_reader_would() {
        let cases: [(&str, &[&str]); 14] = [
            ("get_weather", &["get", "weather"]),
            ("getWeather-now.v2/x", &["get", "weather", "now", "v", "2", "x"]),
            ("XMLParser", &["xml", "parser"]),
            ("HTTPServerStart", &["http", "server", "start"]),
            ("userIDs", &["user", "ids"]),
            ("APIs for PDFs", &["apis", "for", "pdfs"]),
            ("SEND_EMAIL", &["send", "email"]),
            ("ｆｕｌｌ width", &["full", "width"]),
            ("Café Größe", &["cafe", "grosse"]),
            ("日本の法令", &["日本", "本の", "の法", "法令"]),
            ("図", &["図"]),
            ("Excelのシート", &["excel", "のシ", "シー", "ート"]),
            ("ΟΔΟΣ погода", &["οδοσ", "погода"]),
            ("मौसम की हिन्दी", &["मौसम", "की", "हिन्दी"]),
        ];
        for (text, expected) in cases {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }
}
