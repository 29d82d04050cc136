//! What `growler verify` tells when it is done.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use crate::inspect::text::{counted, grouped};
use crate::style::Style;
use crate::verify::check::{Difference, Usage, Verdict};
use crate::verify::question::Question;

/// Most lines of an answer.
const LINES: usize = 24;

/// What came of all queries.
#[derive(Debug, Default)]
pub struct Summary {
    same: u64,
    spared: u64,
    kinds: BTreeMap<&'static str, u64>,
    incomparable: u64,
    reason: Option<String>,
}

impl Summary {
    /// Adds a query.
    pub fn add(&mut self, verdict: &Verdict, usage: &Usage) {
        match verdict {
            Verdict::Same => {
                self.same += 1;
                self.spared += u64::from(usage.is_spared);
                for kind in &usage.kinds {
                    *self.kinds.entry(kind).or_default() += 1;
                }
            }
            Verdict::Incomparable(reason) => {
                self.incomparable += 1;
                self.reason.get_or_insert_with(|| reason.clone());
            }
            Verdict::Differs(_) => {}
        }
    }

    /// Writes the sums.
    ///
    /// # Errors
    /// What writing gives.
    pub fn write(
        &self,
        table: &str,
        seed: u64,
        took: Duration,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(
            out,
            "{}: {} answered the same with indexes and without, seed {seed}, {:.1} s",
            style.bold(table),
            counted(self.same, "query", "queries"),
            took.as_secs_f64()
        )?;
        let line = |out: &mut dyn Write, count: u64, what: &str| {
            writeln!(out, "  {:>8}  {what}", grouped(count))
        };
        line(
            out,
            self.spared,
            "of them without a value read by the filter, where the scan read some",
        )?;
        writeln!(out, "by what answered them, one query by several:")?;
        for (kind, count) in &self.kinds {
            line(out, *count, kind)?;
        }
        if let Some(reason) = &self.reason {
            writeln!(
                out,
                "{} without two answers to compare, the first: {reason}",
                counted(self.incomparable, "query", "queries")
            )?;
        }
        Ok(())
    }
}

/// Writes the first difference.
///
/// # Errors
/// What writing gives.
pub fn difference(
    number: u64,
    question: &Question,
    found: &Difference,
    usage: &Usage,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let kinds: Vec<&str> = usage.kinds.iter().copied().collect();
    writeln!(out, "{} of query {number}:", style.red("two answers"))?;
    writeln!(out, "{};\n", question.text())?;
    writeln!(out, "{} ({})", style.bold("with indexes"), kinds.join(", "))?;
    answer(&found.indexed, out)?;
    writeln!(out, "{} (SET skipIndexes = '*';)", style.bold("without"))?;
    answer(&found.scanned, out)
}

fn answer(text: &str, out: &mut dyn Write) -> io::Result<()> {
    for line in text.lines().take(LINES) {
        writeln!(out, "  {line}")?;
    }
    match text.lines().count().saturating_sub(LINES) {
        0 => writeln!(out),
        more => writeln!(out, "  and {more} lines more\n"),
    }
}
