//! Documents to variant bytes, with the liberties that the format and its writers take.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType as ArrowType, Field};
use growler_variant::build::scalar::put_scalar;

use crate::document::{Doc, Row};
use crate::rng::Rng;

/// How the dictionaries of a file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Sorted and flagged so, one for all rows.
    Shared,
    /// In some order, one a row, with names that no value uses.
    Shuffled,
    /// Some names twice; fields use either.
    Repeated,
    /// Some names twice and out of order, and flagged as sorted.
    Lying,
}

/// Names of a file or row while it is written.
pub struct Encoder {
    names: Vec<String>,
    kind: Names,
    /// Bytes of counts and offsets beyond what is needed.
    wide: bool,
    rng: Rng,
}

impl Encoder {
    pub fn new(docs: &[&Doc], kind: Names, rng: &mut Rng) -> Self {
        let mut names: Vec<String> = Vec::new();
        docs.iter().for_each(|doc| {
            doc.each_name(&mut |name| names.push(name.to_owned()));
        });
        names.sort();
        names.dedup();
        if kind != Names::Shared {
            names.push("unused".to_owned());
            names.push("b.unused".to_owned());
        }
        if matches!(kind, Names::Repeated | Names::Lying) {
            let twice: Vec<String> = names.iter().filter(|_| rng.chance(50)).cloned().collect();
            names.extend(twice);
        }
        if kind != Names::Shared {
            rng.shuffle(&mut names);
        }
        Self {
            names,
            kind,
            wide: rng.chance(20),
            rng: rng.clone(),
        }
    }

    pub fn metadata(&self) -> Vec<u8> {
        let is_flagged = matches!(self.kind, Names::Shared | Names::Lying);
        let len: usize = self.names.iter().map(String::len).sum();
        let width = self.width(len.max(self.names.len()));
        let mut bytes = vec![1 | (width as u8 - 1) << 6 | u8::from(is_flagged) << 4];
        put(&mut bytes, self.names.len(), width);
        put(&mut bytes, 0, width);
        let mut end = 0;
        for name in &self.names {
            end += name.len();
            put(&mut bytes, end, width);
        }
        self.names
            .iter()
            .for_each(|name| bytes.extend(name.as_bytes()));
        bytes
    }

    pub fn value(&mut self, doc: &Doc, out: &mut Vec<u8>) {
        match doc {
            Doc::Object(fields) => self.object(fields, out),
            Doc::List(items) => {
                let values: Vec<Vec<u8>> = items.iter().map(|item| self.bytes(item)).collect();
                let len = values.iter().map(Vec::len).sum();
                let (width, large) = (self.width(len), self.wide || items.len() > 255);
                out.push(3 | (width as u8 - 1) << 2 | u8::from(large) << 4);
                put(out, items.len(), if large { 4 } else { 1 });
                let mut end = 0;
                put(out, 0, width);
                for value in &values {
                    end += value.len();
                    put(out, end, width);
                }
                out.extend(values.concat());
            }
            scalar => put_scalar(&scalar.node().unwrap(), out).unwrap(),
        }
    }

    /// Writes the values in the order of the document, the fields in that of their names.
    fn object(&mut self, fields: &[(String, Doc)], out: &mut Vec<u8>) {
        let mut area = Vec::new();
        let mut entries: Vec<(&str, usize, usize)> = Vec::new();
        for (name, doc) in fields {
            let ids: Vec<usize> = (0..self.names.len())
                .filter(|id| self.names[*id] == *name)
                .collect();
            entries.push((name, *self.rng.pick(&ids), area.len()));
            area.extend(self.bytes(doc));
        }
        entries.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
        let id_width = self.width(self.names.len());
        let (width, large) = (self.width(area.len()), self.wide || fields.len() > 255);
        out.push(2 | (width as u8 - 1) << 2 | (id_width as u8 - 1) << 4 | u8::from(large) << 6);
        put(out, fields.len(), if large { 4 } else { 1 });
        entries
            .iter()
            .for_each(|(_, id, _)| put(out, *id, id_width));
        entries
            .iter()
            .for_each(|(_, _, offset)| put(out, *offset, width));
        put(out, area.len(), width);
        out.extend(area);
    }

    fn bytes(&mut self, doc: &Doc) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.value(doc, &mut bytes);
        bytes
    }

    fn width(&self, value: usize) -> usize {
        let least = match value {
            0..0x100 => 1,
            0x100..0x1_0000 => 2,
            0x1_0000..0x100_0000 => 3,
            _ => 4,
        };
        if self.wide { 4 } else { least }
    }
}

fn put(out: &mut Vec<u8>, value: usize, width: usize) {
    out.extend(&value.to_le_bytes()[..width]);
}

/// Encodes the rows of a column; null stands for bytes that are no value.
pub fn column(rows: &[Row], names: Names, rng: &mut Rng) -> StructArray {
    let all: Vec<&Doc> = rows.iter().filter_map(Row::value).collect();
    let mut shared = Encoder::new(&all, names, rng);
    let (mut metadata, mut values) = (Vec::new(), Vec::new());
    for row in rows {
        let doc = row.value().unwrap_or(&Doc::Null);
        let mut own = Encoder::new(&[doc], names, rng);
        let encoder = if names == Names::Shared {
            &mut shared
        } else {
            &mut own
        };
        metadata.push(encoder.metadata());
        let mut value = Vec::new();
        encoder.value(doc, &mut value);
        values.push(value);
    }
    let field = |name| Field::new(name, ArrowType::Binary, false);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(BinaryArray::from_iter_values(&metadata)),
        Arc::new(BinaryArray::from_iter_values(&values)),
    ];
    let nulls: Vec<bool> = rows.iter().map(|row| !matches!(row, Row::Null)).collect();
    let fields = vec![field("metadata"), field("value")];
    StructArray::new(fields.into(), columns, Some(NullBuffer::from(nulls)))
}
