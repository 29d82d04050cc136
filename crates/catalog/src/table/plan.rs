//! What a scan of one snapshot reads.

use std::sync::Arc;

use growler_base::FieldId;
use serde::{Deserialize, Serialize};

use super::open::IcebergTable;
use crate::manifest::{Columns, PartitionTuple};
use crate::metadata::Schema;
use crate::prune::Predicate;
use crate::prune::file_filter::FileFacts;
use crate::{Datum, SequenceNumber, SnapshotId, SpecId};

/// Which state of a table is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SnapshotSelector {
    /// The table as it is, under its current schema.
    #[default]
    Current,
    /// A snapshot, under the schema it was written with.
    Id(SnapshotId),
    /// A branch, under the table's current schema, or a tag, under its snapshot's.
    Ref(String),
    /// What was current at a time, in milliseconds since 1970, under the schema of then.
    AsOf(i64),
}

/// What to plan.
#[derive(Debug, Clone, Default)]
pub struct ScanOptions {
    /// Which state of the table.
    pub snapshot: SnapshotSelector,
    /// Which rows are wanted; files without any are left out. Absent keeps all.
    pub predicate: Option<Predicate>,
}

/// The files of a table at one snapshot.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The snapshot; none for a table that was never written to.
    pub snapshot_id: Option<SnapshotId>,
    /// The schema to read with; predicates are bound to it too.
    pub schema: Arc<Schema>,
    /// Data files, those of older commits first, those of one commit by path.
    pub files: Vec<DataFile>,
    /// What planning did.
    pub stats: PlanStats,
}

/// What planning did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlanStats {
    /// Manifests whose files were listed.
    pub manifests_read: usize,
    /// How many of those were known from plans before.
    pub manifests_known: usize,
    /// Manifests that were left closed.
    pub manifests_pruned: usize,
    /// Data files, of manifests whose files were listed, that were left out.
    pub files_pruned: usize,
}

/// A data file, and what to delete from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataFile {
    /// Where it lies.
    pub path: String,
    /// Where it was when it was written, in canonical spelling: what deletes call it.
    pub recorded_path: String,
    /// Its rows, deleted ones among them.
    pub row_count: u64,
    /// Its length, in bytes.
    pub len_bytes: u64,
    /// The spec that its partition is under.
    pub spec_id: SpecId,
    /// Its partition.
    pub partition: PartitionTuple,
    /// Values of columns that, where the file lacks them, are the same in all of its rows; none is
    /// null.
    pub constants: Vec<(FieldId, Option<Datum>)>,
    /// Bounds and counts of its columns.
    pub columns: Columns,
    /// Rank of the commit that its rows are from.
    pub sequence_number: SequenceNumber,
    /// Row id of its first row.
    pub first_row_id: Option<i64>,
    /// Order that its rows are in, if the writer kept to one.
    pub sort_order_id: Option<i32>,
    /// Deletes that apply to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "shared")]
    pub deletes: Vec<Arc<DeleteFile>>,
}

/// A delete file, or a deletion vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeleteFile {
    /// Where it lies.
    pub path: String,
    /// What it is.
    pub kind: DeleteKind,
    /// Its rows; of a deletion vector, how many it deletes.
    pub row_count: u64,
    /// Length of the file, in bytes.
    pub len_bytes: u64,
    /// The spec that its partition is under.
    pub spec_id: SpecId,
    /// Its partition.
    pub partition: PartitionTuple,
    /// Whether it applies to files of every partition.
    pub is_global: bool,
    /// Rank of the commit that added it.
    pub sequence_number: SequenceNumber,
}

/// What kind of deletes a file holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeleteKind {
    /// Rows of one data file, as a bitmap in a Puffin file.
    Vector {
        /// Recorded path of the data file, in canonical spelling.
        data_file: String,
        /// Where the vector starts.
        offset: u64,
        /// How long it is, in bytes.
        len_bytes: u64,
    },
    /// Rows by data file and position, in a Parquet file.
    Positions {
        /// Recorded path of the one data file it is about, in canonical spelling, if there is one.
        data_file: Option<String>,
    },
    /// Rows by values of columns, in a Parquet file.
    Equality {
        /// The columns, in ascending order.
        ids: Vec<FieldId>,
    },
}

impl DataFile {
    /// Returns how many rows are left, where that is known without reading deletes.
    pub fn live_row_count(&self) -> Option<u64> {
        match self.deletes.as_slice() {
            [] => Some(self.row_count),
            [only] if matches!(only.kind, DeleteKind::Vector { .. }) => {
                self.row_count.checked_sub(only.row_count)
            }
            _ => None,
        }
    }

    /// Returns what is known of the file to a filter.
    pub fn facts<'a>(&'a self, table: &'a IcebergTable) -> FileFacts<'a> {
        FileFacts {
            spec: table.metadata.partition_spec(self.spec_id),
            partition: &self.partition,
            columns: &self.columns,
            row_count: self.row_count,
        }
    }
}

/// Deletes as they are written down: each file has its own.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::DeleteFile;

    pub(super) fn serialize<S: Serializer>(
        deletes: &[Arc<DeleteFile>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let deletes: Vec<&DeleteFile> = deletes.iter().map(AsRef::as_ref).collect();
        deletes.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Arc<DeleteFile>>, D::Error> {
        let deletes = Vec::<DeleteFile>::deserialize(deserializer)?;
        Ok(deletes.into_iter().map(Arc::new).collect())
    }
}
