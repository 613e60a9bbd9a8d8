//! JSON text with other white space. Members keep their order, which a parsed value would lose.

/// Without white space between tokens: as it goes over a wire.
pub(crate) fn compact(json: &str) -> String {
    tokens(json).map(|(c, _)| c).collect()
}

/// One member a line, two spaces a level; empty objects and lists in one line.
pub(crate) fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut just_opened = false;
    for (c, place) in tokens(json) {
        let closes = place == Place::Outside && matches!(c, '}' | ']');
        if closes {
            depth = depth.saturating_sub(1);
        }
        // The first member, or the end of a list with members.
        if just_opened != closes {
            new_line(&mut out, depth);
        }
        out.push(c);
        just_opened = place == Place::Outside && matches!(c, '{' | '[');
        match (place, c) {
            (Place::Outside, '{' | '[') => depth += 1,
            (Place::Outside, ',') => new_line(&mut out, depth),
            (Place::Outside, ':') => out.push(' '),
            _ => {}
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    InString,
}

/// The characters that are not white space between tokens.
fn tokens(json: &str) -> impl Iterator<Item = (char, Place)> {
    let (mut in_string, mut escaped) = (false, false);
    json.chars().filter_map(move |c| {
        let inside = in_string;
        if c == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = inside && c == '\\' && !escaped;
        match (inside, c) {
            (true, c) => Some((c, Place::InString)),
            (false, c) => (!c.is_ascii_whitespace()).then_some((c, Place::Outside)),
        }
    })
}
