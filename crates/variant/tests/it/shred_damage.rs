//! Damaged residuals and dictionaries inside shredded groups: a right answer, a counted row or an
//! error that names the row, never a panic.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, StructArray};
use arrow_schema::DataType as ArrowType;
use growler_schema::{DataType, KeyType};
use growler_variant::shred::{
    DocumentReader, KeyOutput, KeyPlan, KeyReader, LeafFacts, NonObjectRoot,
};
use growler_variant::{Error, KeyPath};

use crate::shred::layouts;
use crate::shred_column::layout_of;

/// A small generator (xorshift), so that failures repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % end
    }
}

fn damage(column: &StructArray, random: &mut Random) -> StructArray {
    let children = column
        .fields()
        .iter()
        .zip(column.columns())
        .map(|(field, child)| {
            let array: ArrayRef = match child.data_type() {
                ArrowType::BinaryView => {
                    let rows = child.as_binary_view().iter();
                    let damaged = rows.map(|row| row.map(|bytes| damage_bytes(bytes, random)));
                    Arc::new(damaged.collect::<BinaryArray>())
                }
                ArrowType::Struct(_) => Arc::new(damage(child.as_struct(), random)),
                _ => Arc::clone(child),
            };
            let arrow = array.data_type().clone();
            (
                Arc::new(
                    field
                        .as_ref()
                        .clone()
                        .with_data_type(arrow)
                        .with_nullable(true),
                ),
                array,
            )
        });
    let (fields, arrays): (Vec<_>, Vec<_>) = children.unzip();
    StructArray::new(fields.into(), arrays, column.nulls().cloned())
}

fn damage_bytes(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.is_empty() {
        return bytes;
    }
    match random.below(6) {
        0 => bytes.truncate(random.below(bytes.len())),
        1 | 2 => {
            let position = random.below(bytes.len());
            bytes[position] ^= 1 << random.below(8);
        }
        3 => {
            let position = random.below(bytes.len());
            bytes[position] = u8::try_from(random.below(256)).unwrap();
        }
        _ => {}
    }
    bytes
}

#[test]
fn damaged_bytes_never_panic() -> Result<(), Box<dyn std::error::Error>> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let typed = |data_type| {
        KeyOutput::Typed(KeyType {
            data_type,
            typed: true,
        })
    };
    let outputs = [
        typed(DataType::Long),
        typed(DataType::String),
        typed(DataType::Bytes),
        KeyOutput::Json,
    ];
    for (name, column) in layouts()?
        .iter()
        .filter(|(name, _)| !name.starts_with("dictionary"))
    {
        let layout = Arc::new(layout_of(column));
        let documents = DocumentReader::new(Arc::clone(&layout), NonObjectRoot::Null);
        let mut readers: Vec<KeyReader> = Vec::new();
        for key in ["page", "device.os", "a.b.c", "items", "tags", "é"] {
            let plan = Arc::new(KeyPlan::compile(&layout, &KeyPath::parse(key)?));
            let reader = |output| KeyReader::new(Arc::clone(&plan), output, NonObjectRoot::Null);
            readers.extend(outputs.map(reader));
        }
        for _round in 0..20 {
            let damaged = damage(column, &mut random);
            let mut reads = vec![documents.read(&damaged)];
            let facts = LeafFacts::unknown();
            reads.extend(
                readers
                    .iter_mut()
                    .map(|reader| reader.read(&damaged, &facts)),
            );
            for read in reads {
                match read {
                    Ok(read) => assert_eq!(read.array.len(), column.len()),
                    Err(Error::Contradiction { row }) => assert!(row < column.len()),
                    Err(error) => panic!("{name}: {error}"),
                }
            }
        }
    }
    Ok(())
}
