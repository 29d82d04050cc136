//! Lines of cells, aligned.

use std::io::{self, Write};

use super::text::printable;
use crate::style::Style;

/// Lines of cells in columns that are as wide as they must be.
#[derive(Debug)]
pub struct Table {
    heading: Vec<String>,
    right: Vec<bool>,
    lines: Vec<Vec<String>>,
}

impl Table {
    /// Starts a table with its headings.
    pub fn new(heading: &[&str]) -> Self {
        let right = vec![false; heading.len()];
        Self {
            heading: heading.iter().map(|name| (*name).to_owned()).collect(),
            right,
            lines: Vec::new(),
        }
    }

    /// Aligns a column to the right.
    pub fn right(&mut self, column: usize) {
        if let Some(right) = self.right.get_mut(column) {
            *right = true;
        }
    }

    /// Adds a line.
    pub fn push(&mut self, line: Vec<String>) {
        let line = line.iter().map(|cell| printable(cell));
        self.lines.push(line.collect());
    }

    /// Writes the table, its heading dim.
    ///
    /// # Errors
    /// What writing gives.
    pub fn write(&self, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let mut widths = vec![0; self.heading.len()];
        for line in self.lines.iter().chain([&self.heading]) {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.chars().count());
            }
        }
        writeln!(out, "  {}", style.dim(self.line(&self.heading, &widths)))?;
        for line in &self.lines {
            writeln!(out, "  {}", self.line(line, &widths))?;
        }
        Ok(())
    }

    fn line(&self, line: &[String], widths: &[usize]) -> String {
        let cells = line
            .iter()
            .zip(widths)
            .zip(&self.right)
            .map(|((cell, width), right)| {
                if *right {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:width$}")
                }
            });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    }
}
