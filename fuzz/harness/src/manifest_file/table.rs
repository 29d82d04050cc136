//! A table whose list, or whose only manifest, is given.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use growler_catalog::manifest::{Content, Entry, Manifest, ManifestContent};
use growler_catalog::{Error, Files, IcebergTable, TableMetadata};
use serde_json::json;

const LIST: &str = "snap.avro";
const SYNC: [u8; 16] = [7; 16];

/// The Avro schema of lists whose values are given.
pub const LIST_SCHEMA: &str = r#"{"type":"record","name":"manifest_file","fields":[
{"name":"manifest_path","type":"string","field-id":500},
{"name":"manifest_length","type":"long","field-id":501},
{"name":"partition_spec_id","type":"int","field-id":502},
{"name":"content","type":"int","field-id":517},
{"name":"sequence_number","type":"long","field-id":515},
{"name":"added_snapshot_id","type":"long","field-id":503},
{"name":"added_files_count","type":["null","int"],"field-id":504},
{"name":"existing_files_count","type":["null","int"],"field-id":505},
{"name":"partitions","type":["null",{"type":"array","element-id":508,"items":{"type":"record","name":"r508","fields":[
{"name":"contains_null","type":"boolean","field-id":509},
{"name":"contains_nan","type":["null","boolean"],"field-id":518},
{"name":"lower_bound","type":["null","bytes"],"field-id":510},
{"name":"upper_bound","type":["null","bytes"],"field-id":511}]}}],"field-id":507},
{"name":"first_row_id","type":["null","long"],"field-id":520}]}"#;

/// The Avro schema of manifests whose values are given; its partition is that of the second spec.
pub const MANIFEST_SCHEMA: &str = r#"{"type":"record","name":"manifest_entry","fields":[
{"name":"status","type":"int","field-id":0},
{"name":"snapshot_id","type":["null","long"],"field-id":1},
{"name":"sequence_number","type":["null","long"],"field-id":3},
{"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[
{"name":"content","type":"int","field-id":134},
{"name":"file_path","type":"string","field-id":100},
{"name":"file_format","type":"string","field-id":101},
{"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[
{"name":"s","type":["null","string"],"field-id":1000},
{"name":"day","type":["null",{"type":"int","logicalType":"date"}],"field-id":1001},
{"name":"id_bucket","type":["null","int"],"field-id":1002},
{"name":"s_trunc","type":["null","string"],"field-id":1003}]}},
{"name":"record_count","type":"long","field-id":103},
{"name":"file_size_in_bytes","type":"long","field-id":104},
{"name":"value_counts","type":["null",{"type":"array","logicalType":"map","items":{"type":"record","name":"k119_v120","fields":[
{"name":"key","type":"int","field-id":119},{"name":"value","type":"long","field-id":120}]}}],"field-id":109},
{"name":"null_value_counts","type":["null",{"type":"array","logicalType":"map","items":{"type":"record","name":"k121_v122","fields":[
{"name":"key","type":"int","field-id":121},{"name":"value","type":"long","field-id":122}]}}],"field-id":110},
{"name":"lower_bounds","type":["null",{"type":"array","logicalType":"map","items":{"type":"record","name":"k126_v127","fields":[
{"name":"key","type":"int","field-id":126},{"name":"value","type":"bytes","field-id":127}]}}],"field-id":125},
{"name":"upper_bounds","type":["null",{"type":"array","logicalType":"map","items":{"type":"record","name":"k129_v130","fields":[
{"name":"key","type":"int","field-id":129},{"name":"value","type":"bytes","field-id":130}]}}],"field-id":128},
{"name":"equality_ids","type":["null",{"type":"array","items":"int"}],"field-id":135},
{"name":"first_row_id","type":["null","long"],"field-id":142},
{"name":"referenced_data_file","type":["null","string"],"field-id":143},
{"name":"content_offset","type":["null","long"],"field-id":144},
{"name":"content_size_in_bytes","type":["null","long"],"field-id":145}]}}]}"#;

/// Makes an Avro file of one block.
pub(super) fn container(schema: &str, count: u8, values: &[u8]) -> Vec<u8> {
    let mut file = b"Obj\x01".to_vec();
    long(1, &mut file);
    sized(b"avro.schema", &mut file);
    sized(schema.as_bytes(), &mut file);
    long(0, &mut file);
    file.extend(SYNC);
    long(count.into(), &mut file);
    sized(values, &mut file);
    file.extend(SYNC);
    file
}

/// Makes a table of one manifest, of data or of deletes as its first file is.
pub(super) fn of_manifest(manifest: &[u8], spec: usize) -> IcebergTable {
    let mut entry = Vec::new();
    sized(b"/lake/t/metadata/m.avro", &mut entry);
    long(i64::try_from(manifest.len()).unwrap_or(0), &mut entry);
    long(i64::try_from(spec).unwrap_or(0), &mut entry);
    long(i64::from(is_of_deletes(manifest)), &mut entry);
    long(5, &mut entry);
    long(7, &mut entry);
    // Counts and summaries: null; row ids from 0.
    entry.extend([0, 0, 0, 2, 0]);
    table(container(LIST_SCHEMA, 1, &entry), manifest.to_vec())
}

/// Tells whether the first file of a manifest deletes; what cannot be read is data.
fn is_of_deletes(manifest: &[u8]) -> bool {
    let path: Arc<str> = "m".into();
    let Ok(mut list) = Manifest::embedded(manifest, "m") else {
        return false;
    };
    list.content = ManifestContent::Deletes;
    let mut first = None;
    let read = Entry::each_of(
        manifest,
        &path,
        &list,
        |_| None,
        |entry| {
            first.get_or_insert(entry.file.content);
            Ok(())
        },
    );
    let _ = read;
    first.is_some_and(|content| content != Content::Data)
}

/// Makes a table of a list, all of whose manifests are one and the same.
pub(super) fn of_list(list: &[u8]) -> IcebergTable {
    static MANIFEST: OnceLock<Vec<u8>> = OnceLock::new();
    let manifest = MANIFEST.get_or_init(|| {
        // Added, inherits; data, "/d", parquet, no partition value, 1 row of 1 byte, nothing known.
        let mut entry = vec![2, 0, 0, 0];
        sized(b"/lake/t/d", &mut entry);
        sized(b"PARQUET", &mut entry);
        entry.extend([0, 0, 0, 0, 2, 2]);
        entry.extend([0; 9]);
        container(MANIFEST_SCHEMA, 1, &entry)
    });
    table(list.to_vec(), manifest.clone())
}

fn table(list: Vec<u8>, manifest: Vec<u8>) -> IcebergTable {
    let files = Given {
        list: list.into(),
        manifest: manifest.into(),
    };
    IcebergTable::of_catalog(Arc::new(files), metadata().clone())
}

fn metadata() -> &'static TableMetadata {
    static METADATA: OnceLock<TableMetadata> = OnceLock::new();
    METADATA.get_or_init(|| {
        let column = |id: i32, name: &str, kind: &str| {
            json!({"id": id, "name": name, "required": false, "type": kind})
        };
        let part = |id: i32, source: i32, name: &str, transform: &str| {
            json!({"field-id": id, "source-id": source, "name": name, "transform": transform})
        };
        let document = json!({
            "format-version": 3, "table-uuid": "u", "location": "/lake/t", "last-column-id": 9,
            "current-schema-id": 0,
            "schemas": [{"type": "struct", "schema-id": 0, "fields": [
                column(1, "id", "long"), column(2, "ts", "timestamp"), column(3, "s", "string"),
                column(4, "props", "variant"), column(5, "d", "double"),
                column(6, "dec", "decimal(9,2)"), column(7, "i", "int"), column(8, "b", "binary")]}],
            "partition-specs": [{"spec-id": 0, "fields": []}, {"spec-id": 1, "fields": [
                part(1000, 3, "s", "identity"), part(1001, 2, "day", "day"),
                part(1002, 1, "id_bucket", "bucket[8]"), part(1003, 3, "s_trunc", "truncate[2]")]}],
            "default-spec-id": 0, "current-snapshot-id": 7,
            "snapshots": [{"snapshot-id": 7, "sequence-number": 9, "timestamp-ms": 1,
                "schema-id": 0, "manifest-list": format!("/lake/t/metadata/{LIST}")}]
        });
        TableMetadata::of_document(document, "/lake/t/metadata/v1.metadata.json")
            .expect("sound metadata")
    })
}

/// Zigzag, as Avro has all whole numbers.
fn long(value: i64, into: &mut Vec<u8>) {
    let mut rest = (value << 1 ^ value >> 63).cast_unsigned();
    while rest >= 0x80 {
        into.push(u8::try_from(rest & 0x7f).unwrap_or(0) | 0x80);
        rest >>= 7;
    }
    into.push(u8::try_from(rest).unwrap_or(0));
}

fn sized(bytes: &[u8], into: &mut Vec<u8>) {
    long(i64::try_from(bytes.len()).unwrap_or(0), into);
    into.extend(bytes);
}

/// One list, and one manifest under every other name.
struct Given {
    list: Bytes,
    manifest: Bytes,
}

impl Given {
    fn get(&self, path: &str) -> &Bytes {
        match path.ends_with(LIST) {
            true => &self.list,
            false => &self.manifest,
        }
    }
}

impl Files for Given {
    fn len_bytes(&self, path: &str) -> Result<u64, Error> {
        Ok(self.get(path).len() as u64)
    }

    fn read(&self, path: &str, range: Range<u64>) -> Result<Bytes, Error> {
        let bytes = self.get(path);
        let end = bytes
            .len()
            .min(usize::try_from(range.end).unwrap_or(usize::MAX));
        let start = usize::try_from(range.start).unwrap_or(usize::MAX).min(end);
        Ok(bytes.slice(start..end))
    }

    fn list(&self, _folder: &str) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }
}
