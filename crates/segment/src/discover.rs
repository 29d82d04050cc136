//! Which keys of a VARIANT column have values outside of typed columns, in one pass over the residuals.

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::StructArray;
use arrow_array::cast::AsArray;
use growler_base::{LeafIdx, RowGroupIdx, limits};
use growler_schema::Field;
use growler_variant::shred::{DiscoveredPath, PathDiscovery};
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::errors::ParquetError;

use crate::column::Refused;
use crate::read::batch::damaged;
use crate::read::batch_rows::BatchRows;
use crate::read::guard::guarded;
use crate::read::pages::{Progress, RowGroupPages};
use crate::read::plan::reads_as_dictionary;
use crate::read::pruned_schema::field_levels;
use crate::schema::Column;
use crate::segment::{Inner, OfTable};
use crate::{Error, binding};

/// The keys of a column with values outside of typed columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResidualPaths {
    /// They, in the order of their paths; shredded objects and arrays are among them.
    pub paths: Vec<DiscoveredPath>,
    /// Whether these are all: a key that is neither among them nor typed has no value in any row.
    pub complete: bool,
}

/// Finds the keys; none when the file has no such column, or `advance` breaks off.
pub(crate) fn residual_paths(
    file: &OfTable<'_>,
    field: &Field,
    most: usize,
    advance: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Option<ResidualPaths>, Error> {
    let segment = file.inner;
    let Some((column, layout)) = binding::variant(file, field)? else {
        return Ok(None);
    };
    let mut discovery = PathDiscovery::new(layout, most);
    for (group, _) in segment.row_groups() {
        let leaves = discovery.leaves(&segment.leaf_facts(group));
        if leaves.is_empty() {
            continue;
        }
        let part = Part {
            segment,
            group,
            column: &column,
            leaves,
            progress: Arc::default(),
        };
        if part.take(&mut discovery, advance)?.is_break() {
            return Ok(None);
        }
    }
    Ok(Some(ResidualPaths {
        complete: discovery.is_complete(),
        paths: discovery.into_paths(),
    }))
}

/// The residuals of one row group.
struct Part<'a> {
    segment: &'a Inner,
    group: RowGroupIdx,
    column: &'a Arc<Column>,
    leaves: Vec<LeafIdx>,
    progress: Arc<Progress>,
}

impl Part<'_> {
    fn take(
        &self,
        discovery: &mut PathDiscovery,
        advance: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let damaged = |error| damaged(self.segment, self.group, &self.progress, &error);
        let mut reader = guarded(|| self.reader()).map_err(damaged)?;
        loop {
            let record = guarded(|| reader.next().transpose().map_err(ParquetError::from));
            let Some(record) = record.map_err(damaged)? else {
                return Ok(ControlFlow::Continue(()));
            };
            let column = record
                .columns()
                .first()
                .and_then(|array| array.as_struct_opt());
            self.read(discovery, column)?;
            if advance(record.num_rows()).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }

    fn reader(&self) -> Result<ParquetRecordBatchReader, ParquetError> {
        let as_dictionary = |leaf| reads_as_dictionary(self.segment, self.group, leaf);
        let columns = std::slice::from_ref(self.column);
        let levels = field_levels(self.segment.schema(), columns, &self.leaves, &as_dictionary)?;
        let pages =
            RowGroupPages::new(self.segment, self.group, &self.leaves, None, &self.progress)?;
        ParquetRecordBatchReader::try_new_with_row_groups(&levels, &pages, limits::BATCH_ROWS, None)
    }

    fn read(
        &self,
        discovery: &mut PathDiscovery,
        column: Option<&StructArray>,
    ) -> Result<(), Error> {
        let rows = BatchRows {
            segment: self.segment,
            group: self.group,
            ranges: &growler_base::RowRanges::default(),
        };
        let column =
            column.ok_or_else(|| rows.internal("variant column was not read as a group"))?;
        let failed = |error| rows.failure(self.column, Refused::Variant(error));
        discovery.read(column).map_err(failed)
    }
}
