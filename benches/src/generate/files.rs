//! A whole table: its files, in every layout that is wanted.

use std::fs::{self, File};
use std::io::BufWriter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::Context;
use arrow_array::RecordBatch;
use growler_segment::write::{WriteOptions, Writer};
use growler_variant::shred::Shape;
use serde::Serialize;

use super::batch::Rows;
use super::layout::Shapes;
use super::{Layout, Table};

/// Rows that are made at once.
const BATCH_ROWS: u64 = 8192;
/// Name of the file that says what lies beside it; it is written last.
const MARKER: &str = "generated.json";

/// What to make.
#[derive(Debug, Clone)]
pub struct Generation {
    /// Which table.
    pub table: Table,
    /// Decides every value.
    pub seed: u64,
    /// Rows of the table.
    pub row_count: u64,
    /// Most rows of a file.
    pub file_rows: u64,
    /// The folders to make.
    pub layouts: Vec<Layout>,
    /// How files are cut and compressed.
    pub write: WriteOptions,
    /// Files that are written at a time.
    pub threads: usize,
}

/// What is kept of a [`Generation`] to know it again.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Marker {
    table: &'static str,
    seed: u64,
    rows: u64,
    file_rows: u64,
    row_group_rows: usize,
    codec: String,
    layouts: Vec<&'static str>,
}

/// Makes a table in `into`, one folder a layout, and says so; rows done, of all layouts, go to
/// `progress` in between. A table that is there already, made alike, stays.
///
/// # Errors
/// Those of the file system and of writing Parquet.
pub fn generate(
    what: &Generation,
    into: &Path,
    progress: &(dyn Fn(u64) + Sync),
) -> anyhow::Result<bool> {
    let marker = serde_json::to_string_pretty(&what.marker())?;
    let marker_path = into.join(MARKER);
    if fs::read_to_string(&marker_path).is_ok_and(|known| known == marker) {
        return Ok(false);
    }
    for layout in &what.layouts {
        clear(&into.join(layout.name()))?;
    }
    let first = Rows::make(
        what.table,
        what.seed,
        0..BATCH_ROWS.min(what.row_count),
        what.row_count,
    );
    let shapes = Shapes::of_first_rows(what.table, &first.variants()?)?;
    let file_count = usize::try_from(what.row_count.div_ceil(what.file_rows.max(1)))?;
    let next = AtomicUsize::new(0);
    let work = || -> anyhow::Result<()> {
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            if position >= file_count {
                return Ok(());
            }
            write_file(what, &shapes, position, into, progress)?;
        }
    };
    thread::scope(|scope| {
        let threads = what.threads.clamp(1, file_count.max(1));
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut results = workers.into_iter().map(|worker| worker.join());
        results
            .try_for_each(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    fs::write(&marker_path, marker).with_context(|| marker_path.display().to_string())?;
    Ok(true)
}

impl Generation {
    fn marker(&self) -> Marker {
        Marker {
            table: self.table.name(),
            seed: self.seed,
            rows: self.row_count,
            file_rows: self.file_rows,
            row_group_rows: self.write.row_group_rows,
            codec: self.write.codec.to_string(),
            layouts: self.layouts.iter().map(|layout| layout.name()).collect(),
        }
    }

    fn rows_of_file(&self, position: usize) -> Range<u64> {
        let start = (position as u64).saturating_mul(self.file_rows);
        start..start.saturating_add(self.file_rows).min(self.row_count)
    }
}

/// Empties a folder of what an earlier run made there.
fn clear(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| name.starts_with("part-") && name.contains(".parquet")) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

fn write_file(
    what: &Generation,
    shapes: &Shapes,
    position: usize,
    into: &Path,
    progress: &(dyn Fn(u64) + Sync),
) -> anyhow::Result<()> {
    let mut outputs: Vec<Output> = what
        .layouts
        .iter()
        .map(|layout| Output {
            layout: *layout,
            shape: shapes.of_file(*layout, position),
            path: into
                .join(layout.name())
                .join(format!("part-{position:03}.parquet")),
            writer: None,
        })
        .collect();
    let rows = what.rows_of_file(position);
    let mut start = rows.start;
    while start < rows.end {
        let end = start.saturating_add(BATCH_ROWS).min(rows.end);
        let made = Rows::make(what.table, what.seed, start..end, what.row_count);
        let variants = made.variants()?;
        for output in &mut outputs {
            let batch = match output.layout {
                Layout::Flat => made.plain()?,
                Layout::Json => made.texts()?,
                _ => made.shaped(&variants, &output.shape)?,
            };
            output.write(&batch, &what.write)?;
        }
        progress(end - start);
        start = end;
    }
    outputs.into_iter().try_for_each(Output::close)
}

struct Output {
    layout: Layout,
    shape: Shape,
    path: PathBuf,
    writer: Option<Writer<BufWriter<File>>>,
}

impl Output {
    fn write(&mut self, batch: &RecordBatch, options: &WriteOptions) -> anyhow::Result<()> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => {
                let file = File::create(unfinished(&self.path));
                let file = file.with_context(|| self.path.display().to_string())?;
                let schema = batch.schema();
                none.insert(Writer::try_new(BufWriter::new(file), &schema, options)?)
            }
        };
        Ok(writer.write(batch)?)
    }

    fn close(self) -> anyhow::Result<()> {
        if let Some(writer) = self.writer {
            writer.close()?;
            fs::rename(unfinished(&self.path), &self.path)?;
        }
        Ok(())
    }
}

fn unfinished(path: &Path) -> PathBuf {
    path.with_extension("parquet.part")
}
