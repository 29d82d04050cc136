//! Iceberg tables made for a test: data files of a temporary folder, manifests in memory.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use bytes::Bytes;
use growler_catalog::{IcebergTable, SnapshotSelector};
use growler_exec::View;
use growler_segment::{FooterCache, Segment};
use growler_table::iceberg::{Error, SegmentAccess, open_table};
use parquet::arrow::{ArrowWriter, PARQUET_FIELD_ID_META_KEY};
use parquet::file::properties::WriterProperties;
use roaring::RoaringBitmap;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::answers::Table;
use crate::made::{Made, MadeManifest, MemoryFiles, files, put_metadata};

/// The data files of a made table.
pub struct Lake {
    folder: TempDir,
    cache: FooterCache,
    blobs: HashMap<String, Bytes>,
    pub opened: Arc<Mutex<Vec<String>>>,
}

/// A column with its identity.
pub fn column(id: i32, name: &str, values: ArrayRef) -> (Field, ArrayRef) {
    (
        with_id(id, Field::new(name, values.data_type().clone(), true)),
        values,
    )
}

/// A column of a file that carries no identities.
pub fn bare(name: &str, values: ArrayRef) -> (Field, ArrayRef) {
    (Field::new(name, values.data_type().clone(), true), values)
}

pub fn with_id(id: i32, field: Field) -> Field {
    let metadata = [(PARQUET_FIELD_ID_META_KEY.to_owned(), id.to_string())];
    field.with_metadata(metadata.into())
}

pub fn array(values: impl arrow_array::Array + 'static) -> ArrayRef {
    Arc::new(values)
}

impl Lake {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            cache: FooterCache::default(),
            blobs: HashMap::new(),
            opened: Arc::default(),
        }
    }

    fn real(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a Parquet file; returns it as a data file.
    pub fn data(&self, name: &str, columns: Vec<(Field, ArrayRef)>) -> Made {
        self.data_cut(name, columns, 1 << 20)
    }

    /// Writes a Parquet file in row groups of a size.
    pub fn data_cut(&self, name: &str, columns: Vec<(Field, ArrayRef)>, group: usize) -> Made {
        let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(group))
            .set_data_page_row_count_limit(group.min(1024))
            .build();
        let file = File::create(self.real(name)).unwrap();
        let mut writer = ArrowWriter::try_new(file, schema, Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let mut made = Made::data(&format!("/lake/t/data/{name}"));
        made.rows = i64::try_from(batch.num_rows()).unwrap();
        made
    }

    /// Puts deletion vectors into one Puffin file; returns them as delete files.
    pub fn vectors(&mut self, name: &str, vectors: &[(&Made, &[u32])]) -> Vec<Made> {
        let path = format!("/lake/t/data/{name}");
        let (mut bytes, mut made) = (b"PFA1".to_vec(), Vec::new());
        for (data, rows) in vectors {
            let blob = vector(rows);
            let place = (bytes.len() as i64, blob.len() as i64);
            bytes.extend(blob);
            made.push(Made::vector(&path, &data.path, place, rows.len() as i64));
        }
        self.blobs.insert(path, bytes.into());
        made
    }

    /// Changes the bytes of a Puffin file.
    pub fn damage(&mut self, name: &str, change: impl Fn(&mut Vec<u8>)) {
        let blob = self.blobs.get_mut(&format!("/lake/t/data/{name}")).unwrap();
        let mut bytes = blob.to_vec();
        change(&mut bytes);
        *blob = bytes.into();
    }

    /// Makes a table; `change` edits its metadata.
    pub fn table(
        &self,
        fields: Value,
        specs: Value,
        manifests: &[MadeManifest],
        change: impl Fn(&mut Value),
    ) -> IcebergTable {
        let (mut files, mut metadata): (MemoryFiles, Value) = files(fields, specs, manifests);
        change(&mut metadata);
        put_metadata(&mut files, &metadata);
        files.files.extend(self.blobs.clone());
        IcebergTable::open(Arc::new(files), "/lake/t").unwrap()
    }

    pub fn access(&self) -> Arc<dyn SegmentAccess> {
        Arc::new(InFolder {
            folder: self.folder.path().to_owned(),
            cache: FooterCache::new(self.cache.len().max(100)),
            opened: Arc::clone(&self.opened),
        })
    }

    pub fn view(&self, table: &IcebergTable) -> Result<View, Error> {
        self.view_at(table, SnapshotSelector::Current)
    }

    pub fn view_at(&self, table: &IcebergTable, at: SnapshotSelector) -> Result<View, Error> {
        open_table("t", table, at, None, &self.access())
    }

    /// The table of some files in one commit, unpartitioned.
    pub fn of_files(&self, fields: Value, files: Vec<Made>) -> Table {
        let table = self.table(
            fields,
            unpartitioned(),
            &[MadeManifest::new(1, files)],
            |_| {},
        );
        Table::of(self.view(&table).unwrap())
    }
}

#[derive(Debug)]
struct InFolder {
    folder: PathBuf,
    cache: FooterCache,
    opened: Arc<Mutex<Vec<String>>>,
}

impl SegmentAccess for InFolder {
    fn open(&self, location: &str) -> Result<Segment, growler_segment::Error> {
        let name = location.strip_prefix("/lake/t/data/").unwrap();
        self.opened.lock().unwrap().push(name.to_owned());
        Segment::open(&self.folder.join(name), &self.cache)
    }
}

pub fn unpartitioned() -> Value {
    json!([{"spec-id": 0, "fields": []}])
}

/// The fields of a schema: id, name, type.
pub fn fields(columns: &[(i32, &str, Value)]) -> Value {
    let field = |(id, name, of): &(i32, &str, Value)| json!({"id": id, "name": name, "required": false, "type": of});
    columns.iter().map(field).collect()
}

/// A blob `deletion-vector-v1`.
pub fn vector(rows: &[u32]) -> Vec<u8> {
    let rows: RoaringBitmap = rows.iter().copied().collect();
    let mut checked = vec![0xd1, 0xd3, 0x39, 0x64];
    checked.extend(1_u64.to_le_bytes());
    checked.extend(0_u32.to_le_bytes());
    rows.serialize_into(&mut checked).unwrap();
    let mut blob = u32::try_from(checked.len()).unwrap().to_be_bytes().to_vec();
    let crc = crc32fast::hash(&checked);
    blob.extend(checked);
    blob.extend(crc.to_be_bytes());
    blob
}

/// Bounds of files as a manifest has them.
pub fn bounds(mut made: Made, id: i32, lower: &[u8], upper: &[u8]) -> Made {
    made.lower.push((id, lower.to_vec()));
    made.upper.push((id, upper.to_vec()));
    made
}
