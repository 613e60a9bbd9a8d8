//! Doc comments as texts for a model.

use syn::{Attribute, Expr, Lit, Meta};

/// A doc comment as the model reads it.
#[derive(Default)]
pub(crate) struct Docs {
    /// Up to the first heading, lines of a paragraph joined.
    pub(crate) text: String,
    /// There is a doc comment, whatever is in it.
    pub(crate) written: bool,
    /// There is one whose text a macro makes, such as `#[doc = include_str!(…)]`.
    pub(crate) computed: Option<Expr>,
}

/// Reads the doc comments among `attrs`.
pub(crate) fn docs(attrs: &[Attribute]) -> Docs {
    let mut docs = Docs::default();
    let mut lines = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
        let Meta::NameValue(pair) = &attr.meta else { continue };
        docs.written = true;
        match literal(&pair.value) {
            Some(text) => push_lines(&text, &mut lines),
            None => docs.computed = Some(pair.value.clone()),
        }
    }
    docs.text = reflow(&lines);
    docs
}

/// The literal, also where a `macro_rules!` fragment wrapped it.
fn literal(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

/// Adds the lines of one doc attribute; a `/** … */` block loses its column of stars, as in rustdoc.
fn push_lines(text: &str, lines: &mut Vec<String>) {
    let raw: Vec<&str> = text.lines().collect();
    let starred = |line: &&str| line.trim_start().starts_with('*') || line.trim().is_empty();
    let block = raw.len() > 1 && raw.iter().skip(1).all(starred);
    for (index, line) in raw.iter().enumerate() {
        let line = if block && index > 0 { line.trim_start().trim_start_matches('*') } else { line };
        lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
    }
    if raw.is_empty() {
        lines.push(String::new());
    }
}

/// Joins the lines of a paragraph, keeps paragraphs, list items, table rows and code blocks apart, stops at the first
/// heading.
fn reflow(lines: &[String]) -> String {
    let mut out = String::new();
    let mut fenced = false;
    let mut blank = false;
    let mut keep_line = true;
    for line in lines {
        let trimmed = line.trim_start();
        let fence = trimmed.starts_with("```");
        if !fenced && is_heading(trimmed) {
            break;
        }
        if !fenced && trimmed.is_empty() {
            blank = true;
            continue;
        }
        if !out.is_empty() {
            let separator = match (blank && !fenced, keep_line || fenced || fence || starts_item(trimmed)) {
                (true, _) => "\n\n",
                (false, true) => "\n",
                (false, false) => " ",
            };
            out.push_str(separator);
        }
        out.push_str(if fenced { line } else { trimmed });
        keep_line = fence;
        blank = false;
        fenced ^= fence;
    }
    out.trim().to_owned()
}

fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with(' '))
}

fn starts_item(line: &str) -> bool {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ")
        || line.starts_with("* ")
        || line.starts_with("+ ")
        || line.starts_with('|')
        || line.starts_with("> ")
        || (numbered.len() < line.len() && (numbered.starts_with(". ") || numbered.starts_with(") ")))
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    fn text(attrs: &[syn::Attribute]) -> String {
        super::docs(attrs).text
    }

    #[test]
    fn lines_of_a_paragraph_are_joined_and_paragraphs_kept() {
        let attrs: Vec<syn::Attribute> = parse_quote! {
            /// Charge a card
            /// at once.
            ///
            /// Amounts are in cents.
        };
        assert_eq!(text(&attrs), "Charge a card at once.\n\nAmounts are in cents.");
    }

    #[test]
    fn what_follows_a_heading_is_not_for_the_model() {
        let attrs: Vec<syn::Attribute> = parse_quote! {
            /// Charge. See #12 and #[cfg].
            /// # Errors
            /// When the gateway is down.
        };
        assert_eq!(text(&attrs), "Charge. See #12 and #[cfg].");
    }

    #[test]
    fn lists_and_code_keep_their_lines() {
        let attrs: Vec<syn::Attribute> = parse_quote! {
            /// Modes:
            /// - fast, which
            ///   guesses
            /// - slow
            /// ```sql
            /// # not a heading
            ///
            /// select 1
            /// ```
            /// Done.
        };
        let expected =
            "Modes:\n- fast, which guesses\n- slow\n```sql\n# not a heading\n\nselect 1\n```\nDone.";
        assert_eq!(text(&attrs), expected);
    }

    #[test]
    fn block_comments_lose_their_stars() {
        let attrs: Vec<syn::Attribute> = parse_quote! {
            /** Charge a card.
             *
             * Amounts are in cents. */
        };
        assert_eq!(text(&attrs), "Charge a card.\n\nAmounts are in cents.");
        let attrs: Vec<syn::Attribute> = parse_quote!(/** One line. */);
        assert_eq!(text(&attrs), "One line.");
    }

    #[test]
    fn a_text_made_by_a_macro_is_seen() {
        let attrs: Vec<syn::Attribute> = parse_quote!(#[doc = include_str!("x.md")]);
        assert!(super::docs(&attrs).computed.is_some());
    }
}
