//! The last table: what each turn cost, beside what sending every definition would have cost.

use std::io::{self, Write};

use crate::{
    record::TurnRecord,
    style::{Role, Style, grouped, wrapped},
    tokens::TokenCounts,
};

/// Columns of the numbers, and of the percentage behind the bar.
const COLUMNS: usize = 9 + 8 + 14 + 16 + 3 + 9;
const NOTE: &str =
    "Counted is the JSON of the definitions in OpenAI's chat form, in o200k_base; no messages.";

/// Prints one line per turn and the total.
pub(crate) fn print(
    out: &mut dyn Write,
    style: Style,
    turns: &[TurnRecord],
    tokens: &TokenCounts,
) -> io::Result<()> {
    let every = tokens.without_hiding();
    let header =
        format!("{:>9}{:>8}{:>14}{:>16}   Sent, of all", "Turn", "Tools", "Tokens sent", "Tokens hidden");
    writeln!(out, "\n{}", style.paint(Role::Heading, header))?;
    for turn in turns {
        let (sent, hidden) = (grouped(turn.tokens_sent), grouped(turn.tokens_hidden));
        write!(out, "{:>9}{:>8}{sent:>14}{hidden:>16}   ", turn.turn, turn.visible.len())?;
        let width = style.width.saturating_sub(COLUMNS).min(30);
        let filled = (width * turn.tokens_sent).div_ceil(every.max(1)).min(width);
        let empty = width - filled;
        write!(out, "{}", style.paint(Role::Bad, "█".repeat(filled)))?;
        write!(out, "{}", style.paint(Role::Good, "░".repeat(empty)))?;
        writeln!(out, " {:>8}", percent(turn.tokens_sent, every))?;
    }
    let sent = turns.iter().map(|turn| turn.tokens_sent).sum();
    let hidden = turns.iter().map(|turn| turn.tokens_hidden).sum();
    let total = format!("{:>9}{:>8}{:>14}{:>16}", "Total", "", grouped(sent), grouped(hidden));
    writeln!(out, "{}", style.paint(Role::Heading, total))?;

    let whole = every * turns.len();
    let saved = whole.saturating_sub(sent);
    let (percent, saved) = (percent(saved, whole), grouped(saved));
    let words = format!("Saved {saved} of the {} tokens of sending all tools: {percent}", grouped(whole));
    writeln!(out)?;
    for (role, text) in [(Role::New, words.as_str()), (Role::Quiet, NOTE)] {
        for line in wrapped(text, style.width - 9) {
            writeln!(out, "{:9}{}", "", style.paint(role, line))?;
        }
    }
    Ok(())
}

/// `12.5 %`. Neither a little nor almost all is rounded away.
fn percent(part: usize, whole: usize) -> String {
    let permille = (part * 1000 + whole / 2).checked_div(whole).unwrap_or_default();
    match permille {
        0 if part > 0 => "< 0.1 %".to_owned(),
        1000 if part < whole => "> 99.9 %".to_owned(),
        _ => format!("{}.{} %", permille / 10, permille % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn percentages_are_rounded_but_neither_to_nothing_nor_to_all() {
        let cases = [(1, 3, "33.3 %"), (2, 3, "66.7 %"), (0, 5, "0.0 %"), (5, 5, "100.0 %"), (0, 0, "0.0 %")];
        for (part, whole, expected) in cases {
            assert_eq!(percent(part, whole), expected);
        }
        assert_eq!(percent(1, 1_000_000), "< 0.1 %");
        assert_eq!(percent(999_999, 1_000_000), "> 99.9 %");
    }
}
