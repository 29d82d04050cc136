//! Bug reports of other readers, each a test under its id in `cases_a` to `cases_i`; this is the
//! list of those that cannot be had here, with the reason, and what the tests share.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, ListArray, MapArray, StringArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType as ArrowType, Field};
use parquet::file::properties::WriterProperties;
use tempfile::TempDir;

use crate::parquet_files::{Cut, batch, group, ids, write, write_batches};
use crate::shared::announce;
use crate::sql::Table;

/// Lets roots that are no objects read as null.
pub const SOFT: &str = "SET variantNonObjectRoot = 'null';";

/// Ids without a test, and why.
const NOT_APPLICABLE: [(&str, &str); 3] = [
    (
        "F12",
        "Puffin blobs are read of tables: crates/table/tests/it/cases_l.rs",
    ),
    (
        "I06",
        "bounds in Iceberg manifests are read of tables: crates/table/tests/it/cases_l.rs",
    ),
    (
        "I05 (manifest half)",
        "the same: footer statistics are tested in I05",
    ),
];

/// Ids with a test.
const TESTED: &str = "A01 A02 A04 A05 A07 A08 A10 A11 B02 B03 B05 B06 B08 B09 B11 B12 B14 B15 B17 B18 \
    B20 B21 C02 C03 C05 C06 D01 D02 D04 D05 D07 D08 D10 D11 D13 E01 E03 E04 E06 E07 F02 F03 F05 F06 F08 \
    F09 F11 F14 G01 G03 G04 G06 G07 H01 H02 H04 H05 H07 H08 I02 I03 I05 I08 I09 I11 I12 I14 I15 I17 \
    I18 I20";

#[test]
fn what_is_covered_is_said() {
    for (id, reason) in NOT_APPLICABLE {
        eprintln!("| {id} | not applicable | {reason} |");
    }
    let count = TESTED.split_whitespace().count();
    announce(&format!(
        "conformance: {count} bug reports tested, {} not applicable",
        NOT_APPLICABLE.len() - 1
    ));
}

/// Writes a column `v` into a file and opens it.
pub fn table_of(column: StructArray) -> (TempDir, Table) {
    table_cut(column, Cut::default())
}

/// Writes a column `v` as told and opens it.
pub fn table_cut(column: StructArray, cut: Cut) -> (TempDir, Table) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("part.parquet");
    write(&path, &[column], cut);
    let table = Table::open(&path).unwrap();
    (folder, table)
}

/// Writes columns into a file and opens it.
pub fn table_with(
    columns: Vec<(&str, ArrayRef)>,
    properties: WriterProperties,
) -> (TempDir, Table) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("part.parquet");
    write_batches(&path, &[batch(columns)], properties);
    let table = Table::open(&path).unwrap();
    (folder, table)
}

/// Owns texts.
pub fn owned(texts: &[Option<&str>]) -> Vec<Option<String>> {
    texts.iter().map(|text| text.map(str::to_owned)).collect()
}

/// A table whose variants are nested, one in each slot.
pub struct Nested {
    _folder: TempDir,
    /// Columns `s` (a struct with `i` and `v`), `l` (a list of one), `m` (a map of one, key `k`).
    pub table: Table,
}

/// Nests a column of variants, one a row.
pub fn nested(column: StructArray, batch_rows: usize) -> Nested {
    let len = column.len();
    let inner: ArrayRef = Arc::new(column);
    let zeros: ArrayRef = Arc::new(arrow_array::Int32Array::from(vec![0; len]));
    let s = group(vec![("v", Arc::clone(&inner)), ("i", zeros)], None);
    let item = Arc::new(Field::new("element", inner.data_type().clone(), true));
    let offsets = OffsetBuffer::from_lengths(vec![1; len]);
    let l = ListArray::new(item, offsets.clone(), Arc::clone(&inner), None);
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["k"; len]));
    let entries = vec![
        Arc::new(Field::new("key", ArrowType::Utf8, false)),
        Arc::new(Field::new("value", inner.data_type().clone(), true)),
    ];
    let entries = StructArray::new(entries.into(), vec![keys, inner], None);
    let field = Arc::new(Field::new("key_value", entries.data_type().clone(), false));
    let m = MapArray::new(field, offsets, entries, None, false);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nested.parquet");
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", ids(len)),
        ("s", Arc::new(s)),
        ("l", Arc::new(l)),
        ("m", Arc::new(m)),
    ];
    let cut = Cut {
        page_rows: 2,
        ..Cut::default()
    };
    write_batches(&path, &[batch(columns)], cut.properties().build());
    let table = Table::open_in_batches(&path, batch_rows).unwrap();
    Nested {
        _folder: folder,
        table,
    }
}
