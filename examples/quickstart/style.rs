//! Colours and widths of a terminal, and texts from outside made fit for one.

use std::{
    env,
    fmt::{self, Display},
    io::{IsTerminal, stdout},
};

/// Where the width is not known.
const WIDTH: usize = 100;

/// How to print.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) width: usize,
    colour: bool,
}

/// What a text is, not how it looks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Role {
    Heading,
    Quiet,
    Good,
    Bad,
    New,
}

impl Style {
    /// Without colour, 100 columns: for files, pipes and tests.
    pub(crate) const PLAIN: Self = Self { width: WIDTH, colour: false };

    /// As standard output is: colour only on a terminal, and not against the user's `NO_COLOR`.
    pub(crate) fn of_stdout() -> Self {
        if !stdout().is_terminal() {
            return Self::PLAIN;
        }
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || env::var_os("TERM").is_some_and(|name| name == "dumb");
        let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0));
        Self { width: width.clamp(60, 120), colour: !refused }
    }

    /// `text` in the colour of its role.
    pub(crate) fn paint<T: Display>(self, role: Role, text: T) -> Painted<T> {
        Painted { text, role: self.colour.then_some(role) }
    }
}

/// A text with its colour, if there is one.
#[derive(Debug)]
pub(crate) struct Painted<T> {
    text: T,
    role: Option<Role>,
}

impl<T: Display> Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = match self.role {
            None => return self.text.fmt(f),
            Some(Role::Heading) => "1",
            Some(Role::Quiet) => "2",
            Some(Role::Good) => "32",
            Some(Role::Bad) => "31",
            Some(Role::New) => "1;32",
        };
        write!(f, "\x1b[{code}m")?;
        self.text.fmt(f)?;
        f.write_str("\x1b[0m")
    }
}

/// `text` on one line, without characters that would move or colour what a terminal shows, cut to `max` characters.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: Vec<char> = line.chars().filter(|c| is_printable(*c)).take(max + 1).collect();
    if shown.len() > max {
        shown.truncate(max.saturating_sub(1));
        shown.push('…');
    }
    shown.into_iter().collect()
}

/// `text` with its lines broken at spaces so that none is longer than `max` characters, where it has spaces.
pub(crate) fn wrapped(text: &str, max: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let word = clean(word);
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > max {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
        lines.push(line);
    }
    lines
}

/// `text` without characters that would move or colour what a terminal shows.
pub(crate) fn clean(text: &str) -> String {
    text.chars().filter(|c| is_printable(*c)).collect()
}

/// Texts of models and of foreign tools may hold escape sequences and invisible characters.
fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_there_only_where_they_are_wanted() {
        let coloured = Style { width: 80, colour: true };
        assert_eq!(coloured.paint(Role::Good, "ok").to_string(), "\u{1b}[32mok\u{1b}[0m");
        assert_eq!(Style::PLAIN.paint(Role::Good, "ok").to_string(), "ok");
    }

    #[test]
    fn texts_from_outside_cannot_move_the_cursor() {
        assert_eq!(one_line("a\u{1b}[2J\n b\u{202e}c", 20), "a[2J bc");
        assert_eq!(one_line("abcdef", 4), "abc…");
        assert_eq!(one_line("abcd", 4), "abcd");
        assert_eq!(wrapped("one two\u{7} three\n\nfour", 9), ["one two", "three", "", "four"]);
    }

    #[test]
    fn digits_are_grouped_by_three() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
