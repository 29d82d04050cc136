//! Random queries whose answers have one order.

use crate::verify::predicate::Operands;
use crate::verify::random::Random;
use crate::verify::sample::{Class, quoted_name};

/// Most levels of AND, OR and NOT.
const DEPTH: usize = 2;

/// A query, and how it takes nulls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// SQL without options.
    pub sql: String,
    /// Whether null handling is on.
    pub null_handling: bool,
}

impl Question {
    /// Makes a query over a table; none when the table has no columns.
    pub fn new(table: &str, operands: &Operands, random: &mut Random) -> Option<Self> {
        let table = quoted_name(table);
        let operand = operands.pick(random)?;
        let mut filter = || {
            let predicate = operands.predicate(DEPTH, random);
            predicate.map(|predicate| format!(" WHERE {predicate}"))
        };
        let filter = filter()?;
        let some_filter = match random.chance(60) {
            true => filter.as_str(),
            false => "",
        };
        let x = &operand.sql;
        let sql = match random.below(10) {
            0..4 => format!("SELECT COUNT(*) FROM {table}{filter}"),
            // Which rows they are, in a few numbers.
            4..7 => format!(
                "SELECT $segmentName, COUNT(*), MIN($docId), MAX($docId), SUM($docId) FROM {table}{filter} \
                 GROUP BY $segmentName ORDER BY $segmentName LIMIT 100000"
            ),
            7 if operand.class == Class::Number => {
                format!("SELECT COUNT(*), COUNT({x}), MIN({x}), MAX({x}) FROM {table}{some_filter}")
            }
            7 => format!("SELECT COUNT({x}), COUNT(DISTINCT {x}) FROM {table}{some_filter}"),
            _ => format!(
                "SELECT {x}, COUNT(*) FROM {table}{some_filter} GROUP BY {x} \
                 ORDER BY COUNT(*) DESC, {x} LIMIT 20"
            ),
        };
        Some(Self {
            sql,
            null_handling: random.chance(50),
        })
    }

    /// Returns the query with its options, to be asked by anybody.
    pub fn text(&self) -> String {
        format!(
            "SET enableNullHandling = {}; {}",
            self.null_handling, self.sql
        )
    }
}
