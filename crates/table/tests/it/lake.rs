//! A table whose history is made step by step, in a folder: real Parquet files, manifests and
//! metadata.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use apache_avro::types::Value as Avro;
use apache_avro::{Schema as AvroSchema, Writer as AvroWriter};
use arrow_array::{
    ArrayRef, Float32Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    StructArray,
};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Values of one column of one file.
#[derive(Clone)]
pub enum Cells {
    Int(Vec<i32>),
    Long(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Text(Vec<&'static str>),
    /// A struct of one double: its name and id.
    Place(&'static str, i32, Vec<f64>),
}

/// A data file of a snapshot.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct LiveFile {
    pub path: String,
    pub rows: i64,
    pub len: i64,
    pub sequence: i64,
}

/// A table of one folder.
pub struct Lake {
    folder: TempDir,
    pub uuid: String,
    pub schemas: Vec<Value>,
    pub current_schema: i32,
    pub snapshots: BTreeMap<i64, Value>,
    pub log: Vec<i64>,
    pub head: Option<i64>,
    pub files: HashMap<i64, Vec<LiveFile>>,
    /// Manifests of the last snapshot, with their files.
    manifests: Vec<(String, Vec<LiveFile>)>,
    sequence: i64,
    version: u32,
}

/// Columns of a schema: id, name, type.
pub type Columns<'c> = &'c [(i32, &'c str, &'c str)];

impl Lake {
    pub fn new(columns: Columns<'_>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("t/data")).unwrap();
        fs::create_dir_all(folder.path().join("t/metadata")).unwrap();
        let mut lake = Self {
            folder,
            uuid: "6d1a0000-0000-4000-8000-000000000001".into(),
            schemas: Vec::new(),
            current_schema: 0,
            snapshots: BTreeMap::new(),
            log: Vec::new(),
            head: None,
            files: HashMap::new(),
            manifests: Vec::new(),
            sequence: 0,
            version: 0,
        };
        lake.alter(columns);
        lake
    }

    pub fn location(&self) -> String {
        self.folder.path().join("t").to_str().unwrap().to_owned()
    }

    /// Where the newest metadata is.
    pub fn metadata_file(&self) -> String {
        format!(
            "{}/metadata/v{}.metadata.json",
            self.location(),
            self.version
        )
    }

    /// Gives the table another schema; no snapshot is made.
    pub fn alter(&mut self, columns: Columns<'_>) -> i32 {
        let fields: Vec<Value> = columns
            .iter()
            .map(|(id, name, kind)| {
                let kind = serde_json::from_str(kind).unwrap_or_else(|_| json!(kind));
                json!({"id": id, "name": name, "required": false, "type": kind})
            })
            .collect();
        let id = i32::try_from(self.schemas.len()).unwrap();
        self.schemas
            .push(json!({"type": "struct", "schema-id": id, "fields": fields}));
        self.current_schema = id;
        self.save();
        id
    }

    /// Adds a file with the current schema and a snapshot that has it too.
    pub fn append(&mut self, columns: &[(&str, Cells)]) -> i64 {
        let file = self.write(columns);
        self.commit(|live| live.push(file))
    }

    /// Makes a snapshot of the live files as `change` leaves them.
    pub fn commit(&mut self, change: impl FnOnce(&mut Vec<LiveFile>)) -> i64 {
        let mut live = self
            .head
            .map(|head| self.files[&head].clone())
            .unwrap_or_default();
        change(&mut live);
        // A commit that adds no file has a rank of its own too.
        if self.snapshots.contains_key(&(1000 + self.sequence)) {
            self.sequence += 1;
        }
        let id = 1000 + self.sequence;
        let list = self.write_manifests(id, &live);
        let mut snapshot = json!({
            "snapshot-id": id, "sequence-number": self.sequence, "timestamp-ms": self.sequence,
            "schema-id": self.current_schema, "manifest-list": list,
            "summary": {"operation": "append"},
        });
        if let Some(parent) = self.head {
            snapshot["parent-snapshot-id"] = json!(parent);
        }
        self.snapshots.insert(id, snapshot);
        self.files.insert(id, live);
        self.head = Some(id);
        self.log.push(id);
        self.save();
        id
    }

    /// The files of the newest state.
    pub fn live(&self) -> Vec<LiveFile> {
        let head = self.head.map(|head| self.files[&head].clone());
        head.unwrap_or_default()
    }

    pub fn rollback(&mut self, id: i64) {
        self.head = Some(id);
        self.log.push(id);
        self.save();
    }

    pub fn expire(&mut self, id: i64) {
        self.snapshots.remove(&id);
        self.log.retain(|logged| *logged != id);
        self.save();
    }

    /// Writes a data file with the current schema.
    pub fn write(&mut self, columns: &[(&str, Cells)]) -> LiveFile {
        self.sequence += 1;
        let schema = &self.schemas[usize::try_from(self.current_schema).unwrap()];
        let mut fields = Vec::new();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (name, cells) in columns {
            let found = schema["fields"].as_array().unwrap();
            let field = found.iter().find(|field| field["name"] == *name).unwrap();
            let (kind, array): (DataType, ArrayRef) = match cells.clone() {
                Cells::Int(values) => (DataType::Int32, Arc::new(Int32Array::from(values))),
                Cells::Long(values) => (DataType::Int64, Arc::new(Int64Array::from(values))),
                Cells::Float(values) => (DataType::Float32, Arc::new(Float32Array::from(values))),
                Cells::Double(values) => (DataType::Float64, Arc::new(Float64Array::from(values))),
                Cells::Place(inner, id, values) => {
                    let id = ("PARQUET:field_id".to_owned(), id.to_string());
                    let inner = Field::new(inner, DataType::Float64, true)
                        .with_metadata(HashMap::from([id]));
                    let inner = arrow_schema::Fields::from(vec![inner]);
                    let values: ArrayRef = Arc::new(Float64Array::from(values));
                    let array = StructArray::new(inner.clone(), vec![values], None);
                    (DataType::Struct(inner), Arc::new(array))
                }
                Cells::Text(values) => (DataType::Utf8, Arc::new(StringArray::from(values))),
            };
            let id = ("PARQUET:field_id".to_owned(), field["id"].to_string());
            fields.push(Field::new(*name, kind, true).with_metadata(HashMap::from([id])));
            arrays.push(array);
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
        let path = format!("{}/data/f{:05}.parquet", self.location(), self.sequence);
        let mut writer =
            ArrowWriter::try_new(fs::File::create(&path).unwrap(), schema, None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        LiveFile {
            rows: i64::try_from(batch.num_rows()).unwrap(),
            len: i64::try_from(fs::metadata(&path).unwrap().len()).unwrap(),
            sequence: self.sequence,
            path,
        }
    }

    /// The table's document as it is.
    pub fn document(&self) -> Value {
        json!({
            "format-version": 2, "table-uuid": self.uuid, "location": self.location(),
            "last-column-id": 99, "last-updated-ms": self.version, "last-sequence-number": self.sequence,
            "schemas": self.schemas, "current-schema-id": self.current_schema,
            "partition-specs": [{"spec-id": 0, "fields": []}], "default-spec-id": 0,
            "current-snapshot-id": self.head.unwrap_or(-1),
            "snapshots": self.snapshots.values().collect::<Vec<_>>(),
            "snapshot-log": self.log.iter().map(|id| json!({"snapshot-id": id, "timestamp-ms": 1})).collect::<Vec<_>>(),
        })
    }

    pub fn save(&mut self) {
        self.version += 1;
        self.put(&self.document());
    }

    /// Writes a document in place of the table's own.
    pub fn put(&self, document: &Value) {
        fs::write(self.metadata_file(), document.to_string()).unwrap();
    }

    /// Writes what no manifest has yet, as engines that append do; a manifest of which a file is gone is
    /// written anew.
    fn write_manifests(&mut self, id: i64, live: &[LiveFile]) -> String {
        let folder = Path::new(&self.location()).join("metadata");
        let wanted: HashSet<&LiveFile> = live.iter().collect();
        self.manifests
            .retain(|(_, files)| files.iter().all(|file| wanted.contains(file)));
        let listed: HashSet<&LiveFile> = self.manifests.iter().flat_map(|m| &m.1).collect();
        let new = live.iter().filter(|file| !listed.contains(file));
        let new: Vec<LiveFile> = new.cloned().collect();
        if !new.is_empty() {
            let manifest = folder.join(format!("m{id}.avro"));
            write_avro(&manifest, MANIFEST, new.iter().map(entry).collect());
            let manifest = manifest.to_str().unwrap().to_owned();
            self.manifests.push((manifest, new));
        }
        let row = |(path, _): &(String, Vec<LiveFile>)| {
            let len = fs::metadata(path).unwrap().len();
            record(vec![
                ("manifest_path", Avro::String(path.clone())),
                ("manifest_length", Avro::Long(i64::try_from(len).unwrap())),
                ("partition_spec_id", Avro::Int(0)),
                ("content", Avro::Int(0)),
                ("sequence_number", Avro::Long(self.sequence)),
                ("added_snapshot_id", Avro::Long(id)),
            ])
        };
        let list = folder.join(format!("snap{id}.avro"));
        write_avro(&list, LIST, self.manifests.iter().map(row).collect());
        list.to_str().unwrap().to_owned()
    }
}

const LIST: &str = r#"{"type":"record","name":"manifest_file","fields":[
    {"name":"manifest_path","type":"string","field-id":500},
    {"name":"manifest_length","type":"long","field-id":501},
    {"name":"partition_spec_id","type":"int","field-id":502},
    {"name":"content","type":"int","field-id":517},
    {"name":"sequence_number","type":"long","field-id":515},
    {"name":"added_snapshot_id","type":"long","field-id":503}]}"#;

const MANIFEST: &str = r#"{"type":"record","name":"manifest_entry","fields":[
    {"name":"status","type":"int","field-id":0},
    {"name":"snapshot_id","type":["null","long"],"field-id":1},
    {"name":"sequence_number","type":["null","long"],"field-id":3},
    {"name":"file_sequence_number","type":["null","long"],"field-id":4},
    {"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[
        {"name":"content","type":"int","field-id":134},
        {"name":"file_path","type":"string","field-id":100},
        {"name":"file_format","type":"string","field-id":101},
        {"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[]}},
        {"name":"record_count","type":"long","field-id":103},
        {"name":"file_size_in_bytes","type":"long","field-id":104}]}}]}"#;

fn entry(file: &LiveFile) -> Avro {
    record(vec![
        ("status", Avro::Int(0)),
        ("snapshot_id", some(Avro::Long(1))),
        ("sequence_number", some(Avro::Long(file.sequence))),
        ("file_sequence_number", some(Avro::Long(file.sequence))),
        (
            "data_file",
            record(vec![
                ("content", Avro::Int(0)),
                ("file_path", Avro::String(file.path.clone())),
                ("file_format", Avro::String("PARQUET".into())),
                ("partition", record(vec![])),
                ("record_count", Avro::Long(file.rows)),
                ("file_size_in_bytes", Avro::Long(file.len)),
            ]),
        ),
    ])
}

fn some(value: Avro) -> Avro {
    Avro::Union(1, Box::new(value))
}

fn record(fields: Vec<(&str, Avro)>) -> Avro {
    let owned = fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    Avro::Record(owned.collect())
}

fn write_avro(path: &Path, schema: &str, values: Vec<Avro>) {
    let schema = AvroSchema::parse_str(schema).unwrap();
    let mut writer = AvroWriter::new(&schema, Vec::new()).unwrap();
    for value in values {
        writer.append_value(value).unwrap();
    }
    fs::write(path, writer.into_inner().unwrap()).unwrap();
}
