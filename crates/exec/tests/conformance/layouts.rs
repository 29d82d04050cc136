//! The general rule of every case: the same rows unshredded, shredded as given, with a type that
//! does not match, with the values in residuals, mixed over files and row groups, with and without
//! dictionaries; read whole, by key, filtered, counted and grouped. All must agree.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::StructArray;
use arrow_schema::{DataType as ArrowType, Field};
use growler_schema::DataType;
use parquet_variant_compute::{VariantArray, shred_variant};
use serde_json::Value as Json;

use crate::parquet_files::{Cut, of_json, write};
use crate::sql::{Table, key, quoted, text};

const ON: &str = "SET enableNullHandling = true;";

/// Rows, the layouts they are written in, and what they read as.
pub struct Case<'a> {
    /// Unshredded rows.
    pub rows: StructArray,
    /// Schemas to shred by, besides none.
    pub schemas: Vec<ArrowType>,
    /// JSON text of each document.
    pub documents: Vec<Option<&'a str>>,
    /// Keys, their declared type, and the text of each row's cell.
    pub keys: Vec<(&'a str, DataType, Vec<Option<&'a str>>)>,
}

impl<'a> Case<'a> {
    /// A case of JSON documents, which read as they are written.
    pub fn of_json(documents: &[Option<&'a str>], schemas: Vec<ArrowType>) -> Self {
        Self {
            rows: of_json(documents),
            schemas,
            documents: documents.to_vec(),
            keys: Vec::new(),
        }
    }

    /// A case of rows put together byte by byte.
    pub fn of_rows(
        rows: StructArray,
        schemas: Vec<ArrowType>,
        documents: &[Option<&'a str>],
    ) -> Self {
        Self {
            rows,
            schemas,
            documents: documents.to_vec(),
            keys: Vec::new(),
        }
    }

    /// Adds a key that reads as text.
    pub fn text(mut self, key: &'a str, cells: &[Option<&'a str>]) -> Self {
        self.keys.push((key, DataType::String, cells.to_vec()));
        self
    }

    /// Adds a key that reads as another type.
    pub fn typed(mut self, key: &'a str, data_type: DataType, cells: &[Option<&'a str>]) -> Self {
        self.keys.push((key, data_type, cells.to_vec()));
        self
    }

    /// Writes and reads every layout.
    #[track_caller]
    pub fn check(&self) {
        let folder = tempfile::tempdir().unwrap();
        let mixed = folder.path().join("mixed");
        std::fs::create_dir(&mixed).unwrap();
        let layouts = self.layouts();
        for (at, (name, column)) in layouts.iter().enumerate() {
            for (cut_name, cut) in cuts() {
                let path = folder.path().join("one.parquet");
                write(&path, std::slice::from_ref(column), cut);
                self.check_file(&path, 1, &format!("{name}, {cut_name}"));
            }
            let (_, cut) = cuts()[at % 3];
            write(
                &mixed.join(format!("{at:03}.parquet")),
                std::slice::from_ref(column),
                cut,
            );
        }
        self.check_file(&mixed, layouts.len(), "mixed files");
    }

    /// The rows in every layout, with its name.
    pub fn layouts(&self) -> Vec<(String, StructArray)> {
        let variant = VariantArray::try_new(&self.rows).unwrap();
        let mut layouts = vec![("unshredded".to_owned(), self.rows.clone())];
        for schema in &self.schemas {
            let shredded = shred_variant(&variant, schema).unwrap().into_inner();
            layouts.push((schema.to_string(), shredded));
        }
        layouts
    }

    #[track_caller]
    fn check_file(&self, path: &Path, copies: usize, what: &str) {
        let table = Table::open(path).unwrap();
        let documents: Vec<_> = self
            .documents
            .iter()
            .map(|d| d.map(str::to_owned))
            .collect();
        let documents = vec![documents; copies].concat();
        let found = table.texts("SELECT v FROM t LIMIT 100000");
        assert_eq!(found, documents, "{what}: documents");
        let declared: Vec<_> = self
            .keys
            .iter()
            .map(|(key, kind, _)| (*key, *kind))
            .collect();
        table.declare("v", &declared);
        for (path, _, cells) in &self.keys {
            let cells: Vec<_> = cells.iter().map(|cell| cell.map(str::to_owned)).collect();
            agree(&table, &key("v", path), &vec![cells; copies].concat(), what);
        }
    }
}

/// Checks what a key reads as in every form of query.
#[track_caller]
pub fn agree(table: &Table, key: &str, cells: &[Option<String>], what: &str) {
    let found = table.rows(&format!("{ON} SELECT {key} FROM t LIMIT 100000"));
    let texts: Vec<_> = found.iter().map(|row| text(&row[0])).collect();
    assert_eq!(texts, cells, "{what}: {key}");
    let nulls = cells.iter().filter(|cell| cell.is_none()).count();
    let values = cells.len() - nulls;
    for (mode, test, expected) in [("", "IS NULL", nulls), (ON, "IS NOT NULL", values)] {
        let sql = format!("{mode} SELECT COUNT(*) FROM t WHERE {key} {test}");
        assert_eq!(table.count(&sql), expected as i64, "{what}: {sql}");
    }
    let sql = format!("{ON} SELECT COUNT({key}) FROM t");
    assert_eq!(table.count(&sql), values as i64, "{what}: {sql}");
    let mut counts: BTreeMap<String, (Json, i64)> = BTreeMap::new();
    for row in &found {
        counts
            .entry(row[0].to_string())
            .or_insert((row[0].clone(), 0))
            .1 += 1;
    }
    let sql = format!("{ON} SELECT {key}, COUNT(*) FROM t GROUP BY {key} LIMIT 100000");
    let groups: BTreeMap<String, i64> = table
        .rows(&sql)
        .iter()
        .map(|row| (row[0].to_string(), row[1].as_i64().unwrap()))
        .collect();
    let expected: BTreeMap<String, i64> = counts
        .iter()
        .map(|(text, (_, count))| (text.clone(), *count))
        .collect();
    assert_eq!(groups, expected, "{what}: {sql}");
    for (cell, count) in counts.values().filter(|(cell, _)| !cell.is_null()).take(2) {
        let literal = match cell {
            Json::String(text) => quoted(text),
            other => other.to_string(),
        };
        for (test, expected) in [("=", *count), ("<>", values as i64 - count)] {
            let sql = format!("{ON} SELECT COUNT(*) FROM t WHERE {key} {test} {literal}");
            assert_eq!(table.count(&sql), expected, "{what}: {sql}");
        }
    }
}

/// One row group with dictionaries; a row group and page a row without; dictionaries given up.
pub fn cuts() -> [(&'static str, Cut); 3] {
    [
        ("dictionary", Cut::default()),
        (
            "plain, one row a group",
            Cut {
                row_group_rows: 1,
                page_rows: 1,
                dictionary: false,
                ..Cut::default()
            },
        ),
        (
            "dictionary given up, two rows a group",
            Cut {
                row_group_rows: 2,
                page_rows: 1,
                dictionary_bytes: 1,
                ..Cut::default()
            },
        ),
    ]
}

/// An object schema.
pub fn object(fields: &[(&str, ArrowType)]) -> ArrowType {
    let field = |(name, arrow): &(&str, ArrowType)| Field::new(*name, arrow.clone(), true);
    ArrowType::Struct(fields.iter().map(field).collect())
}

/// A list schema.
pub fn list(item: ArrowType) -> ArrowType {
    ArrowType::List(Arc::new(Field::new("item", item, true)))
}

/// A type that no JSON value has: everything stays in the residual beside a typed column of nulls.
pub const NOTHING: ArrowType = ArrowType::BinaryView;
