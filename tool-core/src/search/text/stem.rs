//! Stems by the Snowball algorithms: the language of Latin script is a setting, other scripts say theirs.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

/// How words are reduced to their stems, so that `refunds` finds `refund`.
///
/// Words in Cyrillic, Greek, Arabic and Tamil script are stemmed as Russian, Greek, Arabic and Tamil unless it is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[allow(missing_docs, reason = "names of languages")]
pub enum Stemming {
    /// Words are searched as they are written.
    None,
    #[default]
    English,
    Danish,
    Dutch,
    Finnish,
    French,
    German,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Spanish,
    Swedish,
    Turkish,
}

impl Stemming {
    fn algorithm(self) -> Option<Algorithm> {
        Some(match self {
            Self::None => return None,
            Self::English => Algorithm::English,
            Self::Danish => Algorithm::Danish,
            Self::Dutch => Algorithm::Dutch,
            Self::Finnish => Algorithm::Finnish,
            Self::French => Algorithm::French,
            Self::German => Algorithm::German,
            Self::Hungarian => Algorithm::Hungarian,
            Self::Italian => Algorithm::Italian,
            Self::Norwegian => Algorithm::Norwegian,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Romanian => Algorithm::Romanian,
            Self::Spanish => Algorithm::Spanish,
            Self::Swedish => Algorithm::Swedish,
            Self::Turkish => Algorithm::Turkish,
        })
    }
}

/// The stemmers of one setting, by script.
pub(super) struct Stemmers(Option<ByScript>);

struct ByScript {
    latin: Stemmer,
    russian: Stemmer,
    greek: Stemmer,
    arabic: Stemmer,
    tamil: Stemmer,
}

impl Stemmers {
    pub(super) fn new(stemming: Stemming) -> Self {
        Self(stemming.algorithm().map(|latin| ByScript {
            latin: Stemmer::create(latin),
            russian: Stemmer::create(Algorithm::Russian),
            greek: Stemmer::create(Algorithm::Greek),
            arabic: Stemmer::create(Algorithm::Arabic),
            tamil: Stemmer::create(Algorithm::Tamil),
        }))
    }

    /// The stem of a token; its first character tells the script.
    pub(super) fn stem<'a>(&self, token: &'a str) -> Cow<'a, str> {
        let (Some(stemmers), Some(first)) = (&self.0, token.chars().next()) else {
            return Cow::Borrowed(token);
        };
        let stemmer = match first {
            'a'..='z' | '\u{c0}'..='\u{24f}' => &stemmers.latin,
            '\u{370}'..='\u{3ff}' => &stemmers.greek,
            '\u{400}'..='\u{52f}' => &stemmers.russian,
            '\u{600}'..='\u{6ff}' => &stemmers.arabic,
            '\u{b80}'..='\u{bff}' => &stemmers.tamil,
            _ => return Cow::Borrowed(token),
        };
        stemmer.stem(token)
    }
}
