//! Indexes of a segment, built over what its sources read.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StringViewArray, cast::AsArray};
use growler_base::RowRanges;
use growler_exec::View;
use growler_index::{
    Budget, IndexWriter, Kinds, Reading, Remainder, SegmentIndexes, SourceIdentity, Subject,
    ValueBuilder,
};
use growler_schema::DataType;
use growler_segment::{KeyOutput, KeyPath, NonObjectRoot, ReadOptions, Source};

/// What is to be indexed of one column or key.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub column: String,
    pub path: Option<String>,
    pub reading: Reading,
    pub kinds: Kinds,
    pub distinct_count: u32,
    pub value_len_bytes: usize,
    /// Whether text that begins as an object or array does is left to the scan.
    pub marks_containers: bool,
}

impl Wanted {
    pub fn new(column: &str, path: Option<&str>, kinds: Kinds) -> Self {
        Self {
            column: column.to_owned(),
            path: path.map(str::to_owned),
            reading: Reading::Values,
            kinds,
            distinct_count: u32::MAX - 2,
            value_len_bytes: 256,
            marks_containers: false,
        }
    }

    fn subject(&self) -> Subject {
        match &self.path {
            None => Subject::column(self.column.as_str()),
            Some(path) => Subject::key(self.column.as_str(), path.as_str(), self.reading),
        }
    }

    fn source(&self, view: &View, idx: usize) -> Result<Source, String> {
        let field = view.schema().field(&self.column).unwrap();
        let segment = &view.segments()[idx];
        let Some(path) = &self.path else {
            return segment
                .bind_column(field)
                .map_err(|error| error.to_string());
        };
        let path = KeyPath::parse(path).unwrap();
        let output = match self.reading {
            Reading::Numbers => KeyOutput::Number,
            Reading::Json => return Err("what documents have inside is no value".to_owned()),
            Reading::Values => KeyOutput::Typed(
                view.key_type(field, &path)
                    .map_err(|error| error.to_string())?,
            ),
        };
        let source = segment.bind_key(field, &path, output, NonObjectRoot::Fail);
        source.map_err(|error| error.to_string())
    }

    /// Reads all rows of a segment, in batches.
    pub fn read(&self, view: &View, idx: usize) -> Result<(DataType, Vec<ArrayRef>), String> {
        let source = self.source(view, idx)?;
        let segment = &view.segments()[idx];
        let mut arrays = Vec::new();
        for (row_group, rows) in segment.row_groups() {
            let rows = RowRanges::all(rows.row_count);
            let options = ReadOptions { batch_rows: 11 };
            let reader = segment.read(row_group, std::slice::from_ref(&source), &rows, &options);
            for batch in reader.map_err(|error| error.to_string())? {
                let batch = batch.map_err(|error| error.to_string())?;
                arrays.push(batch.columns[0].clone());
            }
        }
        Ok((source.column_type().data_type, arrays))
    }
}

/// Returns what the indexes of a segment are tied to.
pub fn identity(view: &View, idx: usize) -> SourceIdentity {
    let segment = &view.segments()[idx];
    SourceIdentity {
        len_bytes: segment.len_bytes(),
        footer_hash: 7,
        row_count: u32::try_from(segment.row_count()).unwrap(),
    }
}

/// Writes the indexes of one segment and opens them. What cannot be read is not indexed.
pub fn build(
    view: &View,
    idx: usize,
    wanted: &[Wanted],
    remainders: Vec<Remainder>,
    folder: &Path,
) -> SegmentIndexes {
    let row_count = u32::try_from(view.segments()[idx].row_count()).unwrap();
    let identity = identity(view, idx);
    let name = format!("{}-{idx}.gix", view.name());
    let mut writer = IndexWriter::create(folder, &name, identity, 0).unwrap();
    for one in wanted {
        let Ok((data_type, arrays)) = one.read(view, idx) else {
            continue;
        };
        let mut budget = Budget::of_bytes(1 << 20).with_distinct_count(one.distinct_count);
        budget.value_len_bytes = one.value_len_bytes;
        let mut builder = ValueBuilder::new(one.subject(), data_type, row_count, one.kinds, budget);
        let mut first_row = 0;
        for array in &arrays {
            let marked = match one.marks_containers && data_type.is_text() {
                true => containers(array),
                false => Vec::new(),
            };
            match marked.as_slice() {
                [] => builder.push(array).unwrap(),
                marked => builder.push(&without(array, marked)).unwrap(),
            }
            for row in marked {
                builder.mark_other(first_row + row as u32).unwrap();
            }
            first_row += array.len() as u32;
        }
        builder.finish(&mut writer).unwrap();
    }
    for remainder in remainders {
        writer.add_remainder(remainder);
    }
    writer.finish().unwrap();
    SegmentIndexes::open(&folder.join(name), &identity)
        .unwrap()
        .unwrap()
}

/// Returns the rows of the texts that are objects or arrays.
fn containers(array: &ArrayRef) -> Vec<usize> {
    let plain = arrow_cast::cast(array, &arrow_schema::DataType::Utf8View).unwrap();
    let texts = plain.as_string_view();
    (0..texts.len())
        .filter(|row| texts.is_valid(*row) && texts.value(*row).starts_with(['{', '[']))
        .collect()
}

fn without(array: &ArrayRef, rows: &[usize]) -> ArrayRef {
    let plain = arrow_cast::cast(array, &arrow_schema::DataType::Utf8View).unwrap();
    let kept = plain.as_string_view().iter().enumerate();
    let kept = kept.map(|(row, text)| text.filter(|_| !rows.contains(&row)));
    Arc::new(kept.collect::<StringViewArray>())
}
