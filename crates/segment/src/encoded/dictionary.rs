//! The dictionary of a leaf, as values of a source.
//!
//! The entries of a dictionary page are encoded as those of a PLAIN data page are. So the page is
//! shown to the reader of rows as a data page in which every row has a value, and what comes out
//! is converted as rows are.

use arrow_array::{Array, ArrayRef};
use bytes::{Bytes, BytesMut};
use growler_base::{LeafIdx, RowGroupIdx, RowRanges};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups};
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

use crate::read::batch_rows::BatchRows;
use crate::read::guard::guarded;
use crate::read::plan::Plan;
use crate::read::pruned_schema::field_levels;
use crate::segment::Inner;

/// The entries of a dictionary page as if each were a row.
struct EntriesAsRows<'a> {
    segment: &'a Inner,
    group: RowGroupIdx,
    /// One for each leaf.
    pages: Vec<Page>,
    count: usize,
}

/// Returns the entries of a leaf as values of the one source of a plan, whose other leaves have no
/// value beside them; none when they do not convert, or are not as many as the page says.
pub(super) fn values(
    segment: &Inner,
    group: RowGroupIdx,
    plan: &mut Plan,
    leaf: LeafIdx,
    (entries, count): (&Bytes, u32),
) -> Option<ArrayRef> {
    let row_count = usize::try_from(count).ok()?;
    // An entry takes a byte at least, so that no count makes room for more than there is.
    if row_count == 0 || row_count > entries.len() {
        return None;
    }
    let page = |read: &LeafIdx| {
        let column = segment.schema().column(read.index());
        let most = u32::try_from(column.max_def_level()).ok()?;
        let buf = match *read == leaf {
            true => with_levels(entries, count, most, most),
            // What is null is the leaf itself, not a group that both are in.
            false => with_levels(&Bytes::new(), count, most.checked_sub(1)?, most),
        };
        let is_fit = *read == leaf || column.self_type().is_optional();
        (is_fit && column.max_rep_level() == 0).then_some(Page::DataPage {
            buf,
            num_values: count,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        })
    };
    let rows = EntriesAsRows {
        segment,
        group,
        pages: plan.leaves.iter().map(page).collect::<Option<_>>()?,
        count: row_count,
    };
    let read = || -> Result<_, ParquetError> {
        let plain = |_: LeafIdx| false;
        let levels = field_levels(segment.schema(), &plan.columns, &plan.leaves, &plain)?;
        let mut reader =
            ParquetRecordBatchReader::try_new_with_row_groups(&levels, &rows, row_count, None)?;
        Ok(reader.next().transpose()?)
    };
    let batch = guarded(read).ok()??;
    let ranges = RowRanges::all(row_count);
    let asked = BatchRows {
        segment,
        group,
        ranges: &ranges,
    };
    let values = plan.converted(&batch, &asked)?;
    (values.len() == row_count && batch.num_rows() == row_count).then_some(values)
}

/// Puts levels before values that say that each row is of one level.
fn with_levels(values: &Bytes, count: u32, level: u32, most: u32) -> Bytes {
    if most == 0 {
        return values.clone();
    }
    let mut run = Vec::new();
    let mut header = u64::from(count) << 1;
    while header >= 0x80 {
        run.push(u8::try_from(header & 0x7f).unwrap_or(0) | 0x80);
        header >>= 7;
    }
    run.push(u8::try_from(header).unwrap_or(0));
    // Levels of schemas as deep as those that are opened fit into a byte or two.
    let bits = u32::BITS.saturating_sub(most.leading_zeros());
    let value = level.to_le_bytes();
    run.extend(value.iter().take(bits.div_ceil(8) as usize));
    let len = u32::try_from(run.len()).unwrap_or(0);
    let mut page = BytesMut::with_capacity(values.len().saturating_add(16));
    page.extend_from_slice(&len.to_le_bytes());
    page.extend_from_slice(&run);
    page.extend_from_slice(values);
    page.freeze()
}

impl RowGroups for EntriesAsRows<'_> {
    fn num_rows(&self) -> usize {
        self.count
    }

    fn column_chunks(&self, i: usize) -> Result<Box<dyn PageIterator>, ParquetError> {
        Ok(Box::new(OnePage(self.pages.get(i).cloned())))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        let groups = self.segment.metadata.row_groups();
        Box::new(groups.get(self.group.index()).into_iter())
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.segment.metadata
    }
}

/// The only page of the only chunk.
struct OnePage(Option<Page>);

impl Iterator for OnePage {
    type Item = Result<Box<dyn PageReader>, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let page = self.0.take()?;
        Some(Ok(Box::new(Pages(Some(page)))))
    }
}

impl PageIterator for OnePage {}

struct Pages(Option<Page>);

impl Iterator for Pages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(Ok)
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        Ok(self.0.take())
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        Ok(self.0.as_ref().map(|page| PageMetadata {
            num_rows: None,
            num_levels: usize::try_from(page.num_values()).ok(),
            is_dict: false,
        }))
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.0 = None;
        Ok(())
    }

    fn at_record_boundary(&mut self) -> Result<bool, ParquetError> {
        Ok(self.0.is_none())
    }
}
