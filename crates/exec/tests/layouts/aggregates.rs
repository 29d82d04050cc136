//! Aggregates of a key, and values that JSON_EXTRACT_SCALAR finds.

use growler_schema::DataType;
use serde_json::{Value as Json, json};

use crate::document::{Doc, Row};
use crate::model::{self, Cell};
use crate::queries::{LIMIT, Maker, filled};
use crate::text::{self, Extracted};

impl Maker<'_> {
    pub fn aggregates(&mut self) {
        let key = self.key.clone();
        let present = self.cells.iter().flatten().count();
        let count = if self.on { present } else { self.rows.len() };
        let groups = self.sorted_groups();
        let distinct = groups.iter().filter(|(cell, _)| cell.is_some()).count();
        self.push(
            format!("SELECT COUNT({key}), COUNT(DISTINCT {key}) FROM {{t}}"),
            vec![vec![json!(count), json!(distinct)]],
        );
        let numbers = match self.focus.data_type {
            DataType::String => {
                let default = (!self.on).then_some(Cell::Double(f64::NEG_INFINITY));
                let number = |value: &Option<&Doc>| model::number_of((*value)?);
                let numbers: Vec<_> = self.values.iter().map(number).collect();
                filled(&numbers, default.as_ref())
            }
            other if other.is_numeric() => self.filled.clone(),
            _ => return,
        };
        let numbers: Vec<Cell> = numbers.into_iter().flatten().collect();
        let show =
            |value: Option<f64>| value.map_or(Json::Null, |value| Cell::Double(value).json());
        let (min, max) = extremes(&numbers).unzip();
        self.push(
            format!("SELECT MIN({key}), MAX({key}) FROM {{t}}"),
            vec![vec![show(min), show(max)]],
        );
        let sum = sum(&numbers);
        let mean = sum.map(|sum| sum / numbers.len() as f64);
        self.push(
            format!("SELECT SUM({key}), AVG({key}) FROM {{t}}"),
            vec![vec![show(sum), show(mean)]],
        );
        self.push_same(format!(
            "SELECT AVG({key}), SUM({key} + 1) FROM {{t}} WHERE {key} > 0"
        ));
    }

    pub fn extractions(&mut self) {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.';
        if self.path.is_empty() || !self.path.bytes().all(is_plain) {
            return;
        }
        let path = self.path;
        for (name, kind, sql, default) in [
            ("STRING", Extracted::Text, "'none'", json!("none")),
            ("LONG", Extracted::Long, "0", json!(0)),
            ("DOUBLE", Extracted::Double, "0", json!(0.0)),
            ("BOOLEAN", Extracted::Boolean, "0", json!(false)),
        ] {
            let cell = |row: &Row| match row.document() {
                None if self.on => Json::Null,
                None => default.clone(),
                Some(doc) => text::at(doc, path)
                    .and_then(|doc| text::extracted(doc, kind))
                    .unwrap_or_else(|| default.clone()),
            };
            let cells: Vec<Vec<Json>> = self.rows.iter().map(|row| vec![cell(row)]).collect();
            let call = format!("JSON_EXTRACT_SCALAR(props, '$.{path}', '{name}', {sql})");
            if kind == Extracted::Text {
                let is_found = |cell: &&Vec<Json>| !cell[0].is_null() && cell[0] != default;
                let count = cells.iter().filter(is_found).count();
                self.push(
                    format!("SELECT COUNT(*) FROM {{t}} WHERE {call} <> 'none'"),
                    vec![vec![json!(count)]],
                );
            }
            self.push(format!("SELECT {call} FROM {{t}} {LIMIT}"), cells);
        }
        self.push_same(format!(
            "SELECT JSON_EXTRACT_SCALAR(props, '$.{path}', 'STRING', NULL) FROM {{t}} {LIMIT}"
        ));
        self.elements();
        self.extractions_of_text();
    }

    /// Looks into arrays.
    fn elements(&mut self) {
        let path = self.path;
        for inside in ["[0]", "[1].x", ".x[0]", ".p[1][0]"] {
            let cell = |row: &Row| match row.document() {
                None if self.on => Json::Null,
                None => json!("none"),
                Some(doc) => text::at(doc, path)
                    .and_then(|doc| text::inside(doc, inside))
                    .and_then(|doc| text::extracted(doc, Extracted::Text))
                    .unwrap_or_else(|| json!("none")),
            };
            let cells: Vec<Vec<Json>> = self.rows.iter().map(|row| vec![cell(row)]).collect();
            let call = format!("JSON_EXTRACT_SCALAR(props, '$.{path}{inside}', 'STRING', 'none')");
            let is_found = |cell: &&Vec<Json>| !cell[0].is_null() && cell[0] != "none";
            let count = cells.iter().filter(is_found).count();
            self.push(
                format!("SELECT COUNT(*) FROM {{t}} WHERE {call} <> 'none'"),
                vec![vec![json!(count)]],
            );
            self.push(format!("SELECT {call} FROM {{t}} {LIMIT}"), cells);
            let null = format!("JSON_EXTRACT_SCALAR(props, '$.{path}{inside}', 'LONG', NULL)");
            self.push_same(format!("SELECT {null} FROM {{t}} {LIMIT}"));
            let key = &self.key;
            let of_key = format!("JSON_EXTRACT_SCALAR({key}, '${inside}', 'STRING', 'none')");
            self.push_same(format!("SELECT {of_key} FROM {{t}} {LIMIT}"));
        }
    }

    /// Looks into a text key: objects, and texts that are JSON.
    fn extractions_of_text(&mut self) {
        if !self.is_text() {
            return;
        }
        let cell = |cell: &Option<Cell>| match cell {
            Some(Cell::Text(text)) => {
                json!(text::x_of_text(text).unwrap_or_else(|| "none".to_owned()))
            }
            _ => Json::Null,
        };
        let cells = self.filled.iter().map(|of| vec![cell(of)]).collect();
        let key = self.key.clone();
        self.push(
            format!(
                "SELECT JSON_EXTRACT_SCALAR({key}, '$.x', 'STRING', 'none') FROM {{t}} {LIMIT}"
            ),
            cells,
        );
    }
}

/// Returns the smallest and the largest number; NaN is neither, so that it alone leaves nothing.
fn extremes(numbers: &[Cell]) -> Option<(f64, f64)> {
    if numbers.is_empty() {
        return None;
    }
    let numbers = || numbers.iter().filter_map(Cell::number);
    let numbers = || numbers().filter(|number| !number.is_nan()).map(|v| v + 0.0);
    let min = numbers().fold(f64::INFINITY, f64::min);
    Some((min, numbers().fold(f64::NEG_INFINITY, f64::max)))
}

/// Adds exactly and rounds once.
fn sum(numbers: &[Cell]) -> Option<f64> {
    const LOW: i128 = 10_i128.pow(18);
    let mut exact = growler_exec::aggregate::exact_sum::ExactSum::default();
    // Unscaled numbers can be beyond 128 bits together: what is above and below 10^18.
    let (mut high, mut low, mut digits) = (0_i128, 0_i128, 0);
    for number in numbers {
        match number {
            Cell::Int(value) => low += i128::from(*value),
            Cell::Decimal(unscaled, scale) => {
                high += unscaled / LOW;
                low += unscaled % LOW;
                digits = *scale;
            }
            other => exact.add(other.number()?),
        }
    }
    match numbers.first()? {
        Cell::Int(_) => Some(low as f64),
        Cell::Decimal(..) => {
            high += low.div_euclid(LOW);
            low = low.rem_euclid(LOW);
            if high < 0 && low > 0 {
                (high, low) = (high + 1, low - LOW);
            }
            let sign = if high < 0 || low < 0 { "-" } else { "" };
            let text = format!("{sign}{}{:018}e-{digits}", high.abs(), low.abs());
            text.parse().ok()
        }
        _ => Some(exact.round()),
    }
}
