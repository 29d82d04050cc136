//! The whole of a table's metadata: the document as it was read, and what it says.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read;
use std::sync::Arc;

use flate2::read::GzDecoder;
use growler_base::limits;
use serde_json::Value;

use super::json::{self, Object};
use super::{NameMapping, PartitionSpec, Schema, Snapshot, SnapshotRef, SortOrder};
use crate::error::{Error, Fault, FileKind};
use crate::{SchemaId, SequenceNumber, SnapshotId, SpecId};

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// Latest version of the format that is read.
const LATEST_VERSION: i64 = 3;
const NAME_MAPPING: &str = "schema.name-mapping.default";

/// What one metadata file says about a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableMetadata {
    path: Arc<str>,
    document: Value,
    /// Version of the format, 1 to 3.
    pub format_version: u8,
    /// Identity of the table; a table made anew under the same name has another.
    pub table_uuid: Option<String>,
    /// Where the table was when this was written; none if it does not say.
    pub location: Option<String>,
    /// When it was written, in milliseconds since 1970.
    pub last_updated_ms: i64,
    /// Rank of the last commit.
    pub last_sequence_number: SequenceNumber,
    /// Highest identity that a field ever had; 0 if it does not say.
    pub last_column_id: i32,
    /// First row id that is free; v3 only.
    pub next_row_id: Option<i64>,
    /// Properties whose values are text.
    pub properties: BTreeMap<String, String>,
    /// Every partition spec that files may have.
    pub partition_specs: Vec<PartitionSpec>,
    /// The spec of new files.
    pub default_spec_id: SpecId,
    /// Every sort order that files may have.
    pub sort_orders: Vec<SortOrder>,
    /// Branches and tags; `main` is always there if there is a snapshot.
    pub refs: BTreeMap<String, SnapshotRef>,
    /// What was current since when, in milliseconds since 1970; snapshots need not exist any more.
    pub snapshot_log: Vec<(i64, SnapshotId)>,
    /// The current state; none for a table that was never written to.
    pub current_snapshot_id: Option<SnapshotId>,
    schemas: Vec<Arc<Schema>>,
    current_schema: Arc<Schema>,
    snapshots: Vec<Snapshot>,
    snapshot_positions: HashMap<SnapshotId, usize>,
}

impl TableMetadata {
    /// Parses the bytes of a metadata file, gzipped or not.
    ///
    /// # Errors
    /// `Corrupt` for text that is no metadata or contradicts itself, `Unsupported` for a later
    /// version of the format, `LimitExceeded`.
    pub fn parse(bytes: &[u8], path: &str) -> Result<Self, Error> {
        let path: Arc<str> = path.into();
        let parsed = inflate(bytes).and_then(|text| {
            let document: Value = serde_json::from_slice(&text)
                .map_err(|error| Fault::quoting(format!("not JSON: {error}")))?;
            Self::from_document(document, Arc::clone(&path))
        });
        parsed.map_err(|fault| fault.at(FileKind::Metadata, &path))
    }

    /// Makes metadata of a document that a catalog handed out.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn of_document(document: Value, path: &str) -> Result<Self, Error> {
        let path: Arc<str> = path.into();
        Self::from_document(document, Arc::clone(&path))
            .map_err(|fault| fault.at(FileKind::Metadata, &path))
    }

    /// Returns the document as it was read; members unknown to this crate are in it too.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Returns the text of the document: the members that were read, in the order they were read.
    pub fn to_json(&self) -> String {
        self.document.to_string()
    }

    /// Returns the path of the file that this was read from.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns every schema that the table keeps.
    pub fn schemas(&self) -> &[Arc<Schema>] {
        &self.schemas
    }

    /// Returns a schema of the table's history; none when it was removed since.
    pub fn schema(&self, id: SchemaId) -> Option<&Arc<Schema>> {
        self.schemas.iter().find(|schema| schema.id == id)
    }

    /// Returns the schema of the table as it is.
    pub fn current_schema(&self) -> &Arc<Schema> {
        &self.current_schema
    }

    /// Returns a partition spec.
    pub fn partition_spec(&self, id: SpecId) -> Option<&PartitionSpec> {
        self.partition_specs.iter().find(|spec| spec.id == id)
    }

    /// Returns every snapshot that the table keeps, in the order of the document.
    pub fn snapshots(&self) -> &[Snapshot] {
        &self.snapshots
    }

    /// Returns a snapshot; none when it expired.
    pub fn snapshot(&self, id: SnapshotId) -> Option<&Snapshot> {
        let position = self.snapshot_positions.get(&id)?;
        self.snapshots.get(*position)
    }

    /// Returns the current snapshot; none for a table that was never written to.
    pub fn current_snapshot(&self) -> Option<&Snapshot> {
        self.snapshot(self.current_snapshot_id?)
    }

    /// Returns a snapshot and those it was made from, the newest first, as far as they are kept; a
    /// history that runs in a circle ends where it closes.
    pub fn history(&self, id: SnapshotId) -> Vec<&Snapshot> {
        let mut seen = HashSet::new();
        let mut history = Vec::new();
        let mut next = Some(id);
        while let Some(snapshot) = next.and_then(|id| self.snapshot(id)) {
            if !seen.insert(snapshot.id) {
                break;
            }
            history.push(snapshot);
            next = snapshot.parent;
        }
        history
    }

    /// Returns the names of columns in files that carry no identities.
    ///
    /// # Errors
    /// `Corrupt` when the table property holds no name mapping.
    pub fn name_mapping(&self) -> Result<Option<NameMapping>, Error> {
        let text = self.properties.get(NAME_MAPPING);
        text.map(|text| NameMapping::parse(text))
            .transpose()
            .map_err(|fault| fault.at(FileKind::Metadata, &self.path))
    }

    fn from_document(document: Value, path: Arc<str>) -> Result<Self, Fault> {
        let object = json::object(&document, "table metadata")?;
        let format_version = version(object)?;
        let schemas = schemas(object)?;
        let current_schema = current_schema(object, &schemas)?;
        let partition_specs = specs(object)?;
        let default_spec_id = default_spec(object, &partition_specs)?;
        let snapshots = parse_all(object, "snapshots", Snapshot::parse)?;
        let snapshot_positions = positions(&snapshots)?;
        let mut refs = refs(object)?;
        let current_snapshot_id = json::long(object, "current-snapshot-id")?
            .filter(|id| *id != -1)
            .map(SnapshotId)
            .or_else(|| refs.get("main").map(|main| main.snapshot_id));
        let known = |id: SnapshotId| snapshot_positions.contains_key(&id);
        if let Some(id) = current_snapshot_id.filter(|id| !known(*id)) {
            return Err(Fault::corrupt(format!(
                "current snapshot is not listed snapshot={id}"
            )));
        }
        if let Some(snapshot_id) = current_snapshot_id {
            refs.entry("main".to_owned()).or_insert(SnapshotRef {
                snapshot_id,
                kind: super::RefKind::Branch,
            });
        }
        Ok(Self {
            format_version,
            table_uuid: json::text(object, "table-uuid")?.map(str::to_owned),
            location: json::text(object, "location")?.map(str::to_owned),
            last_updated_ms: json::long(object, "last-updated-ms")?.unwrap_or(0),
            last_sequence_number: SequenceNumber(
                json::long(object, "last-sequence-number")?.unwrap_or(0),
            ),
            last_column_id: json::int(object, "last-column-id")?.unwrap_or(0),
            next_row_id: json::long(object, "next-row-id")?,
            properties: properties(object),
            sort_orders: parse_all(object, "sort-orders", SortOrder::parse)?,
            snapshot_log: parse_all(object, "snapshot-log", log_entry)?,
            partition_specs,
            default_spec_id,
            refs,
            current_snapshot_id,
            schemas,
            current_schema,
            snapshots,
            snapshot_positions,
            path,
            document,
        })
    }
}

/// The JSON text of a metadata file.
fn inflate(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let too_long = || {
        let limit = limits::METADATA_LEN_BYTES;
        Fault::Limit(format!("text is too long limit={limit}"))
    };
    if bytes.starts_with(&GZIP_MAGIC) {
        let mut text = Vec::new();
        let most = u64::try_from(limits::METADATA_LEN_BYTES).unwrap_or(u64::MAX);
        let mut decoder = GzDecoder::new(bytes).take(most.saturating_add(1));
        let read = decoder.read_to_end(&mut text);
        read.map_err(|error| Fault::quoting(format!("broken gzip: {error}")))?;
        return match text.len() > limits::METADATA_LEN_BYTES {
            true => Err(too_long()),
            false => Ok(text),
        };
    }
    match bytes.len() > limits::METADATA_LEN_BYTES {
        true => Err(too_long()),
        false => Ok(bytes.to_vec()),
    }
}

fn version(object: &Object) -> Result<u8, Fault> {
    let version = json::required(json::long(object, "format-version")?, "format-version")?;
    match u8::try_from(version) {
        Ok(known @ 1..=3) => Ok(known),
        _ => Err(Fault::Unsupported(format!(
            "format version is not supported version={version} latest={LATEST_VERSION}"
        ))),
    }
}

fn parse_all<T>(
    object: &Object,
    name: &str,
    parse: impl Fn(&Value) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    json::array(object, name)?.iter().map(parse).collect()
}

fn schemas(object: &Object) -> Result<Vec<Arc<Schema>>, Fault> {
    let parsed = parse_all(object, "schemas", Schema::parse)?;
    let distinct = distinct(parsed, |schema| schema.id.0, "schema")?;
    let mut schemas: Vec<Arc<Schema>> = distinct.into_iter().map(Arc::new).collect();
    if schemas.is_empty()
        && let Some(only) = json::member(object, "schema")
    {
        schemas.push(Arc::new(Schema::parse(only)?));
    }
    Ok(schemas)
}

/// Leaves out repetitions; two things of one identity that differ are refused.
fn distinct<T: PartialEq>(
    parsed: Vec<T>,
    id: impl Fn(&T) -> i32,
    what: &str,
) -> Result<Vec<T>, Fault> {
    let mut positions = HashMap::new();
    let mut kept: Vec<T> = Vec::new();
    for item in parsed {
        let position = *positions.entry(id(&item)).or_insert(kept.len());
        match kept.get(position) {
            None => kept.push(item),
            Some(other) if *other == item => {}
            Some(_) => {
                let id = id(&item);
                return Err(Fault::corrupt(format!(
                    "{what} id is used twice {what}={id}"
                )));
            }
        }
    }
    Ok(kept)
}

fn current_schema(object: &Object, schemas: &[Arc<Schema>]) -> Result<Arc<Schema>, Fault> {
    let current = match (json::int(object, "current-schema-id")?, schemas) {
        (Some(id), _) => schemas.iter().find(|schema| schema.id.0 == id),
        // Version 1 need not say which; its one schema it is.
        (None, [only]) => Some(only),
        (None, _) => None,
    };
    let current = current.ok_or_else(|| Fault::corrupt("current schema is not listed"))?;
    Ok(Arc::clone(current))
}

fn specs(object: &Object) -> Result<Vec<PartitionSpec>, Fault> {
    let parsed = parse_all(object, "partition-specs", PartitionSpec::parse)?;
    let mut specs = distinct(parsed, |spec| spec.id.0, "spec")?;
    if specs.is_empty() {
        let fields = PartitionSpec::parse_fields(json::array(object, "partition-spec")?)?;
        specs.push(PartitionSpec {
            id: SpecId(0),
            fields,
        });
    }
    Ok(specs)
}

fn default_spec(object: &Object, specs: &[PartitionSpec]) -> Result<SpecId, Fault> {
    let id = SpecId(json::int(object, "default-spec-id")?.unwrap_or(0));
    match specs.iter().any(|spec| spec.id == id) {
        true => Ok(id),
        false => Err(Fault::corrupt(format!(
            "default partition spec is not listed spec={id}"
        ))),
    }
}

fn positions(snapshots: &[Snapshot]) -> Result<HashMap<SnapshotId, usize>, Fault> {
    let mut positions = HashMap::with_capacity(snapshots.len());
    for (position, snapshot) in snapshots.iter().enumerate() {
        if positions.insert(snapshot.id, position).is_some() {
            let id = snapshot.id;
            return Err(Fault::corrupt(format!(
                "snapshot id is used twice snapshot={id}"
            )));
        }
    }
    Ok(positions)
}

fn refs(object: &Object) -> Result<BTreeMap<String, SnapshotRef>, Fault> {
    let Some(value) = json::member(object, "refs") else {
        return Ok(BTreeMap::new());
    };
    let mut refs = BTreeMap::new();
    for (name, value) in json::object(value, "refs")? {
        refs.insert(name.clone(), SnapshotRef::parse(value)?);
    }
    Ok(refs)
}

fn properties(object: &Object) -> BTreeMap<String, String> {
    let properties = json::member(object, "properties").and_then(Value::as_object);
    let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    properties
        .map(|properties| properties.iter().filter_map(text).collect())
        .unwrap_or_default()
}

fn log_entry(value: &Value) -> Result<(i64, SnapshotId), Fault> {
    let object = json::object(value, "snapshot log entry")?;
    let timestamp_ms = json::required(json::long(object, "timestamp-ms")?, "timestamp-ms")?;
    let id = json::required(json::long(object, "snapshot-id")?, "snapshot-id")?;
    Ok((timestamp_ms, SnapshotId(id)))
}
