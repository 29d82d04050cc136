//! Which keys stand in residual bytes: looked up in a sample of the rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, StructArray};
use growler_variant::{Metadata, Node, Object};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::inspect::map::ResidualKey;

/// Most rows looked at.
const ROWS: usize = 10_000;
/// Most keys kept; a file can hold as many as it has rows.
const KEYS: usize = 1_000;
/// Deepest nesting of keys that are told apart; what lies deeper is part of its parent.
const DEPTH: usize = 4;

/// The keys found, and in how many rows they were looked for.
#[derive(Debug, Default)]
pub struct Sample {
    keys: BTreeMap<Vec<String>, (u64, BTreeSet<&'static str>)>,
    row_count: u64,
}

impl Sample {
    /// Looks at the residual objects of one group.
    ///
    /// `prefix` is the key whose residual it is; `names` lead from the VARIANT column's group to the
    /// `value` leaf. What cannot be read or decoded is left out: this only informs.
    pub fn take(
        path: &Path,
        prefix: &[String],
        metadata: usize,
        value: usize,
        names: &[String],
    ) -> Self {
        let mut sample = Self::default();
        // A sample that cannot be read is an empty one; reading the file for real says why.
        let _ = sample.read(path, prefix, metadata, value, names);
        sample
    }

    /// Returns how many rows were looked at.
    pub fn row_count(&self) -> u64 {
        self.row_count
    }

    /// Returns the keys, the most frequent first.
    pub fn into_keys(self) -> Vec<ResidualKey> {
        let keys = self.keys.into_iter().map(|(names, (row_count, types))| {
            let types = types.into_iter().map(str::to_owned).collect();
            ResidualKey {
                names,
                row_count,
                types,
            }
        });
        let mut keys: Vec<ResidualKey> = keys.collect();
        keys.sort_by(|a, b| {
            b.row_count
                .cmp(&a.row_count)
                .then_with(|| a.names.cmp(&b.names))
        });
        keys
    }

    fn read(
        &mut self,
        path: &Path,
        prefix: &[String],
        metadata: usize,
        value: usize,
        names: &[String],
    ) -> Option<()> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).ok()?).ok()?;
        let mask = ProjectionMask::leaves(builder.parquet_schema(), [metadata, value]);
        let reader = builder
            .with_projection(mask)
            .with_limit(ROWS)
            .build()
            .ok()?;
        for batch in reader {
            let batch = batch.ok()?;
            let column = batch.columns().first()?.as_struct_opt()?;
            self.visit(prefix, column, names)?;
        }
        Some(())
    }

    fn visit(&mut self, prefix: &[String], column: &StructArray, names: &[String]) -> Option<()> {
        let metadata = binary(column.column_by_name("metadata")?)?;
        let mut value: ArrayRef = std::sync::Arc::new(column.clone());
        for name in names {
            value = value.as_struct_opt()?.column_by_name(name)?.clone();
        }
        let value = binary(&value)?;
        self.row_count += u64::try_from(column.len()).ok()?;
        for row in (0..column.len()).filter(|row| value.is_valid(*row) && metadata.is_valid(*row)) {
            let Ok(dictionary) = Metadata::try_new(metadata.value(row)) else {
                continue;
            };
            if let Ok(Node::Object(object)) = Node::try_new(value.value(row)) {
                self.add(&dictionary, object, &mut prefix.to_vec());
            }
        }
        Some(())
    }

    fn add(&mut self, dictionary: &Metadata<'_>, object: Object<'_>, names: &mut Vec<String>) {
        for position in 0..object.len() {
            let Ok((id, bytes)) = object.field(position) else {
                return;
            };
            let (Ok(name), Ok(node)) = (dictionary.name(id), Node::try_new(bytes)) else {
                continue;
            };
            names.push(name.to_owned());
            if self.keys.len() < KEYS || self.keys.contains_key(names) {
                let (row_count, types) = self.keys.entry(names.clone()).or_default();
                *row_count += 1;
                types.insert(node.type_name());
            }
            match node {
                Node::Object(inner) if names.len() < DEPTH => self.add(dictionary, inner, names),
                _ => {}
            }
            names.pop();
        }
    }
}

fn binary(array: &ArrayRef) -> Option<BinaryArray> {
    let plain = arrow::compute::cast(array, &arrow_schema::DataType::Binary).ok()?;
    plain.as_binary_opt::<i32>().cloned()
}
