//! Answers as text: one line a question and group of layouts that agree.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::quickstart::ask::{Answer, Outcome};
use crate::quickstart::questions::{Question, Right, TYPED_KEY, canonical};
use crate::style::Style;

/// Longest cell that is shown whole, in characters.
const CELL_LEN: usize = 72;
/// Most layouts named in a group of few.
const NAMED: usize = 6;

/// Layouts that gave one outcome, right or not.
#[derive(Debug)]
pub struct Group<'a> {
    outcome: &'a Outcome,
    expected: &'a Right,
    right: bool,
    why: Option<&'a str>,
    tables: Vec<&'a str>,
    key_types: BTreeSet<&'a str>,
}

/// A table that was asked, the type of the typed key there, and what it answered.
#[derive(Debug)]
pub struct Asked<'a> {
    /// Name of the table.
    pub table: &'a str,
    /// Type of the typed key.
    pub key_type: &'a str,
    /// What it answered.
    pub outcome: Outcome,
}

/// Groups the tables by what they answered, in the order in which answers first came.
pub fn group<'a>(question: &'a Question, asked: &'a [Asked<'a>]) -> Vec<Group<'a>> {
    let mut groups: Vec<(String, Group<'a>)> = Vec::new();
    for asked in asked {
        let (expected, why) = question.right_for(asked.key_type);
        let right = is_met(expected, &asked.outcome);
        let identity = identity(&asked.outcome, right);
        let known = groups.iter().position(|(known, _)| *known == identity);
        let idx = known.unwrap_or(groups.len());
        if known.is_none() {
            let group = Group {
                outcome: &asked.outcome,
                expected,
                right,
                why,
                tables: Vec::new(),
                key_types: BTreeSet::new(),
            };
            groups.push((identity, group));
        }
        if let Some((_, group)) = groups.get_mut(idx) {
            group.tables.push(asked.table);
            group.key_types.insert(asked.key_type);
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

fn is_met(right: &Right, outcome: &Outcome) -> bool {
    match outcome {
        Ok(answer) => right.is_met_by(&Ok(answer.rows.clone())),
        Err(message) => right.is_met_by(&Err(message.clone())),
    }
}

/// Text that is equal for outcomes shown as one.
fn identity(outcome: &Outcome, right: bool) -> String {
    let shown = match outcome {
        Ok(answer) => answer
            .rows
            .iter()
            .flatten()
            .map(canonical)
            .collect::<Vec<_>>()
            .join(","),
        Err(message) => message.clone(),
    };
    format!("{right} {} {shown}", outcome.is_ok())
}

impl Group<'_> {
    /// Counts the tables that gave a wrong outcome.
    pub fn wrong_count(&self) -> usize {
        if self.right { 0 } else { self.tables.len() }
    }

    /// Writes the group: a single cell on one line, more as a small table below the line.
    ///
    /// # Errors
    /// What writing gives.
    pub fn write(&self, alone: bool, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let mark = if self.right {
            style.green("✓")
        } else {
            style.red("✗ WRONG")
        };
        let who = self.who(alone);
        match self.outcome {
            Ok(answer) => match answer.only_cell() {
                Some(cell) => {
                    let cell = style.bold(short(cell));
                    writeln!(out, "    {mark} {cell}  {}", style.dim(who))?;
                }
                None => {
                    writeln!(out, "    {mark} {}", style.dim(who))?;
                    write_table(answer, out)?;
                }
            },
            Err(message) => writeln!(out, "    {mark} error: {message}  {}", style.dim(who))?,
        }
        match (self.right, self.expected) {
            (true, _) => Ok(()),
            (false, Right::Rows(rows)) => writeln!(out, "        expected rows: {}", json!(rows)),
            (false, Right::Refusal(text)) => writeln!(out, "        expected error: {text}"),
        }
    }

    /// Says which layouts these are, and why they differ from the others.
    fn who(&self, alone: bool) -> String {
        let count = self.tables.len();
        let layouts = if count == 1 { "layout" } else { "layouts" };
        if alone {
            return match count {
                1 => String::new(),
                2 => format!("both agree: {}", self.tables.join(", ")),
                _ => format!("all {count} {layouts} agree"),
            };
        }
        let types: Vec<&str> = self.key_types.iter().copied().collect();
        let mut who = format!(
            "{count} {layouts} where {TYPED_KEY} is {}",
            types.join(" or ")
        );
        if let Some(why) = self.why {
            who.push_str(": ");
            who.push_str(why);
        }
        if count <= NAMED || !self.right {
            who.push_str(&format!(" ({})", self.tables.join(", ")));
        }
        who
    }
}

fn write_table(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let heading: Vec<String> = answer
        .columns
        .iter()
        .map(|name| short(name.clone()))
        .collect();
    let rows = answer
        .rows
        .iter()
        .map(|row| row.iter().map(|cell| short(shown(cell))).collect());
    let lines: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
    let mut widths = vec![0; answer.columns.len()];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for line in lines {
        let cells = line
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        writeln!(
            out,
            "        {}",
            cells.collect::<Vec<_>>().join("  ").trim_end()
        )?;
    }
    Ok(())
}

impl Answer {
    fn only_cell(&self) -> Option<String> {
        match self.rows.as_slice() {
            [row] => match row.as_slice() {
                [cell] => Some(shown(cell)),
                _ => None,
            },
            _ => None,
        }
    }
}

fn shown(cell: &Value) -> String {
    match cell {
        // Told apart from the text `null`, which a missing untyped key reads as.
        Value::Null => "NULL".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn short(cell: String) -> String {
    match cell.char_indices().nth(CELL_LEN) {
        Some((end, _)) => format!("{}…", cell.get(..end).unwrap_or_default()),
        None => cell,
    }
}
