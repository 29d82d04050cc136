//! Indexes of what JSON documents have inside: of a column of JSON text, and of the keys of a VARIANT
//! column that hold arrays.

use std::sync::Arc;
use std::time::Instant;

use arrow_array::cast::AsArray;
use arrow_array::{Array, StringViewArray};
use arrow_schema::DataType as ArrowType;
use growler_base::{RowRanges, limits};
use growler_index::json::{JsonBudget, JsonBuilder};
use growler_index::{Built, IndexWriter, Reading};
use growler_schema::index_plan::JsonPlan;
use growler_segment::{ReadOptions, Segment, Source};
use serde_json::Value;

use super::walk::Walker;
use super::watch::Watch;
use super::{BuiltIndex, Error};

/// The documents of one column that are to be indexed.
#[derive(Debug, Clone)]
pub(super) struct Documents {
    pub(super) column: Arc<str>,
    /// What is read, each with the path of what it gives.
    pub(super) roots: Vec<Root>,
    pub(super) plan: JsonPlan,
    /// Most distinct values of a path that the config does not name.
    pub(super) distinct_count: u32,
    /// Whether they are keys of a VARIANT column.
    pub(super) is_variant: bool,
}

/// JSON text that a source gives.
#[derive(Debug, Clone)]
pub(super) struct Root {
    pub(super) source: Source,
    pub(super) path: String,
}

/// Builds over one segment.
pub(super) struct DocumentsBuild<'a> {
    pub(super) segment: &'a Segment,
    pub(super) watch: &'a Watch<'a>,
    pub(super) budget_bytes: usize,
}

impl DocumentsBuild<'_> {
    /// Reads and indexes the documents of a column.
    pub(super) fn run(
        &self,
        documents: &Documents,
        writer: &mut IndexWriter,
    ) -> Result<Vec<BuiltIndex>, Error> {
        let started = Instant::now();
        let value_len_bytes = documents.plan.max_value_bytes();
        let mut builder = JsonBuilder::new(
            Arc::clone(&documents.column),
            JsonBudget {
                memory_bytes: self.budget_bytes - self.budget_bytes / 4,
                path_count: limits::INDEX_JSON_PATHS,
                value_len_bytes: value_len_bytes.map_or(limits::INDEX_VALUE_LEN_BYTES, |most| {
                    most.min(limits::INDEX_VALUE_LEN_BYTES)
                }),
                spill_folder: writer.folder().to_owned(),
            },
        );
        let mut walker = Walker::new(&documents.plan, documents.distinct_count);
        let roots = documents.roots.iter();
        let roots: Vec<usize> = roots.map(|root| walker.root(root.path.clone())).collect();
        self.watch.expect(self.segment.row_count() as u64);
        for (group, _) in self.segment.row_groups() {
            let rows = RowRanges::all(self.segment.row_group(group).row_count);
            let roots_of = documents.roots.iter();
            let sources: Vec<Source> = roots_of.map(|root| root.source.clone()).collect();
            let options = ReadOptions::default();
            let unreadable = |source| self.unreadable(&documents.column, source);
            let batches = self.segment.read(group, &sources, &rows, &options);
            for batch in batches.map_err(unreadable)? {
                self.watch.check(self.segment)?;
                let batch = batch.map_err(unreadable)?;
                let texts: Vec<StringViewArray> = batch
                    .columns
                    .iter()
                    .map(|array| self.texts(documents, array))
                    .collect::<Result<_, _>>()?;
                for row in 0..batch.row_count {
                    for (root, texts) in roots.iter().zip(&texts) {
                        if texts.is_null(row) {
                            continue;
                        }
                        let text = texts.value(row);
                        let pushed = match documents.is_variant {
                            true => key(&mut walker, *root, text, &mut builder),
                            false => walker.row(*root, text, &mut builder),
                        };
                        pushed.map_err(|source| self.failed(&documents.column, source))?;
                    }
                    builder.end_row();
                }
                self.watch.advance(batch.row_count as u64);
            }
        }
        let built = builder.finish(writer);
        let built = built.map_err(|source| self.failed(&documents.column, source))?;
        Ok(report(documents, &built, started.elapsed().as_secs_f64()))
    }

    fn texts(&self, documents: &Documents, array: &dyn Array) -> Result<StringViewArray, Error> {
        let cast = arrow_cast::cast(array, &ArrowType::Utf8View);
        let internal = |cause: String| growler_index::Error::Internal {
            cause: cause.into(),
        };
        let texts = cast.map_err(|error| internal(error.to_string()));
        let texts = texts.and_then(|array| {
            let texts = array.as_string_view_opt().cloned();
            texts.ok_or_else(|| internal("documents are no text".to_owned()))
        });
        texts.map_err(|source| self.failed(&documents.column, source))
    }

    fn unreadable(&self, column: &str, source: growler_segment::Error) -> Error {
        Error::Read {
            segment: self.segment.id().clone(),
            subject: column.into(),
            source: Box::new(source),
        }
    }

    fn failed(&self, column: &str, source: growler_index::Error) -> Error {
        Error::Build {
            segment: self.segment.id().clone(),
            subject: column.into(),
            source: Box::new(source),
        }
    }
}

/// Adds the value of a VARIANT key. Text that may itself be read as a document, which the key's JSON
/// does not tell from its elements, makes the row unreadable.
fn key(
    walker: &mut Walker<'_>,
    root: usize,
    text: &str,
    builder: &mut JsonBuilder,
) -> Result<(), growler_index::Error> {
    if !text.starts_with('"') {
        return walker.row(root, text, builder);
    }
    match serde_json::from_str(text) {
        Ok(Value::String(inner)) if inner.trim_start().starts_with(['[', '{']) => {
            builder.mark_unreadable();
            Ok(())
        }
        Ok(value) => walker.document(root, &value, builder),
        Err(_) => {
            builder.mark_unreadable();
            Ok(())
        }
    }
}

/// Lists the indexes of all paths; the time is shared out by their bytes.
fn report(documents: &Documents, built: &[Built], seconds: f64) -> Vec<BuiltIndex> {
    let indexes = built.iter().flat_map(|path| &path.indexes);
    let all: u64 = indexes.map(|(_, bytes)| *bytes).sum();
    let one = |path: &Built, kind, bytes: u64| BuiltIndex {
        column: documents.column.to_string(),
        key: path.subject.path.as_ref().map(|path| path.to_string()),
        reading: Reading::Json,
        remainder: documents.is_variant,
        kind,
        bytes,
        distinct_count: path.distinct_count,
        seconds: seconds * bytes as f64 / all.max(1) as f64,
    };
    let listed = built.iter().flat_map(|path| {
        let indexes = path.indexes.iter();
        indexes.map(|(kind, bytes)| one(path, *kind, *bytes))
    });
    listed.collect()
}
