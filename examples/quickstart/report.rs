//! What the user reads: each turn as soon as it ends, then what was found or answered, then what was saved.
//!
//! As JSON only the turns are printed, one object a line.

use std::io::{self, Write};

use tool_core::{Schema, ToolDefinition};

use crate::{
    args::Format,
    ask::Hit,
    json_text,
    record::{CallRecord, Ended, TurnRecord},
    style::{Role, Style, clean, grouped, one_line, wrapped},
    summary,
    tokens::TokenCounts,
};

/// Columns before each text: a label, or the mark of a call.
const GUTTER: usize = 9;
/// Most lines of a call's result.
const RESULT_LINES: usize = 3;
/// Most lines of a schema: some have thousands.
const SCHEMA_LINES: usize = 100;

/// Prints a run.
pub(crate) struct Report<'w> {
    out: &'w mut dyn Write,
    format: Format,
    style: Style,
    turns: Vec<TurnRecord>,
}

impl<'w> Report<'w> {
    pub(crate) fn new(out: &'w mut dyn Write, format: Format, style: Style) -> Self {
        Self { out, format, style, turns: Vec::new() }
    }

    /// The turns so far.
    pub(crate) fn turns(&self) -> &[TurnRecord] {
        &self.turns
    }

    /// What is run.
    pub(crate) fn title(&mut self, text: &str) -> io::Result<()> {
        match self.format {
            Format::Json => Ok(()),
            Format::Table => writeln!(self.out, "{}", self.style.paint(Role::Quiet, text)),
        }
    }

    /// What somebody said.
    pub(crate) fn said(&mut self, who: &str, text: &str) -> io::Result<()> {
        if self.format == Format::Json {
            return Ok(());
        }
        writeln!(self.out)?;
        let lines = wrapped(text, self.room());
        self.block(&self.style.paint(Role::Heading, format!("{who:<GUTTER$}")).to_string(), &lines, None)
    }

    /// A turn that has ended.
    pub(crate) fn turn(&mut self, turn: TurnRecord) -> io::Result<()> {
        if self.format == Format::Table {
            self.print_turn(&turn)?;
        }
        self.count(turn)
    }

    /// A turn that the table shows only as a line of the totals.
    pub(crate) fn count(&mut self, turn: TurnRecord) -> io::Result<()> {
        if self.format == Format::Json {
            serde_json::to_writer(&mut *self.out, &turn)?;
            writeln!(self.out)?;
        }
        self.out.flush()?;
        self.turns.push(turn);
        Ok(())
    }

    fn print_turn(&mut self, turn: &TurnRecord) -> io::Result<()> {
        let label = self.style.paint(Role::Heading, format!("{:<GUTTER$}", format!("Turn {}", turn.turn)));
        writeln!(
            self.out,
            "\n{label}{} tools listed, {} tokens; {} hidden, {} tokens",
            turn.visible.len(),
            self.style.paint(Role::Heading, grouped(turn.tokens_sent)),
            grouped(turn.hidden),
            grouped(turn.tokens_hidden),
        )?;
        self.print_list(turn)?;
        turn.calls.iter().try_for_each(|call| self.print_call(call))
    }

    /// The names that the model saw, the new ones marked.
    fn print_list(&mut self, turn: &TurnRecord) -> io::Result<()> {
        let before = self.turns.last().map(|turn| turn.visible.as_slice());
        let mut column = 0;
        for name in &turn.visible {
            let is_new = before.is_some_and(|before| !before.contains(name));
            let (mark, role) = if is_new { ("+", Role::New) } else { ("", Role::Quiet) };
            let width = mark.len() + name.as_str().len();
            let space = match column {
                0 => format!("{:GUTTER$}", ""),
                _ if column + 2 + width <= self.room() => "  ".to_owned(),
                _ => {
                    column = 0;
                    format!("\n{:GUTTER$}", "")
                }
            };
            column += width + if column == 0 { 0 } else { 2 };
            write!(self.out, "{space}{}", self.style.paint(role, format!("{mark}{name}")))?;
        }
        writeln!(self.out)
    }

    fn print_call(&mut self, call: &CallRecord) -> io::Result<()> {
        let (mark, role) = match call.ended {
            Ended::Ok => ("✓", Role::Good),
            Ended::Failed => ("✗ failed", Role::Bad),
            Ended::Refused => ("refused", Role::Bad),
        };
        let name = one_line(&call.name, 64);
        let room = self.room().saturating_sub(name.chars().count() + 1);
        writeln!(
            self.out,
            "{} {} {}",
            self.style.paint(role, format!("{mark:>width$}", width = GUTTER - 1)),
            self.style.paint(Role::Heading, name),
            self.style.paint(Role::Quiet, one_line(&call.arguments, room)),
        )?;
        let mut lines = wrapped(&call.result, self.room());
        lines.retain(|line| !line.is_empty());
        if lines.len() > RESULT_LINES {
            lines.truncate(RESULT_LINES - 1);
            lines.push("…".to_owned());
        }
        let role = (call.ended != Ended::Ok).then_some(Role::Bad);
        self.block(&format!("{:GUTTER$}", ""), &lines, role)
    }

    /// What a search found.
    pub(crate) fn hits(&mut self, hits: &[Hit], note: &str) -> io::Result<()> {
        if self.format == Format::Json {
            return Ok(());
        }
        writeln!(self.out)?;
        let mut label = self.style.paint(Role::Heading, format!("{:<GUTTER$}", "Found")).to_string();
        for hit in hits {
            writeln!(self.out, "{label}{}", self.style.paint(Role::New, one_line(&hit.name, 64)))?;
            label = format!("{:GUTTER$}", "");
            let description = one_line(&hit.description, self.room() - 2);
            writeln!(self.out, "{label}  {}", self.style.paint(Role::Quiet, description))?;
        }
        self.block(&label, &wrapped(note, self.room()), None)
    }

    /// The definition of the first hit.
    pub(crate) fn definition(&mut self, tool: &ToolDefinition, schema: &Schema) -> io::Result<()> {
        if self.format == Format::Json {
            return Ok(());
        }
        self.said("First", tool.name().as_str())?;
        let indent = format!("{:GUTTER$}", "");
        self.block(&indent, &wrapped(tool.description(), self.room()), None)?;
        let schema = json_text::pretty(schema.as_str());
        let mut lines: Vec<String> = schema.lines().map(clean).collect();
        if lines.len() > SCHEMA_LINES {
            let more = lines.len() - SCHEMA_LINES;
            lines.truncate(SCHEMA_LINES);
            lines.push(format!("… {} more lines", grouped(more)));
        }
        self.block(&indent, &lines, Some(Role::Quiet))
    }

    /// What was saved.
    pub(crate) fn totals(&mut self, tokens: &TokenCounts) -> io::Result<()> {
        match self.format {
            Format::Json => Ok(()),
            Format::Table => summary::print(self.out, self.style, &self.turns, tokens),
        }
    }

    fn room(&self) -> usize {
        self.style.width - GUTTER
    }

    /// Lines behind a first label and as much space.
    fn block(&mut self, label: &str, lines: &[String], role: Option<Role>) -> io::Result<()> {
        for (index, line) in lines.iter().enumerate() {
            if index == 0 {
                write!(self.out, "{label}")?;
            } else if !line.is_empty() {
                write!(self.out, "{:GUTTER$}", "")?;
            }
            match role {
                Some(role) => writeln!(self.out, "{}", self.style.paint(role, line))?,
                None => writeln!(self.out, "{line}")?,
            }
        }
        Ok(())
    }
}
