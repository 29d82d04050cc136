//! All paths of one column's documents.

use std::path::PathBuf;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::pairs::Pairs;
use super::spill::Spill;
use super::values::{Added, Values};
use super::write::PathWrite;
use crate::{Built, Error, IndexWriter, Reading, RowSet, RowSetBuilder, Subject};

/// The path of a subject that is none: its [`crate::Kind::Others`] are the rows that no path of the
/// column knows everything of. Where it is, the column's documents were indexed.
pub const UNREADABLE: &str = "";

/// Pairs that are pushed before memory is looked at.
const CHECK_EVERY: u32 = 1 << 14;

/// What the build of one column may use.
#[derive(Debug, Clone)]
pub struct JsonBudget {
    /// Memory, in bytes; beyond it pairs go to a temporary file, and paths with the most values keep
    /// none.
    pub memory_bytes: usize,
    /// Most paths; rows with further ones are unreadable.
    pub path_count: usize,
    /// Longest value of a dictionary, in bytes.
    pub value_len_bytes: usize,
    /// Folder of temporary files.
    pub spill_folder: PathBuf,
}

/// A path of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathId(u32);

/// Takes the values of a column's documents, row by row in order, and builds a subject a path.
#[derive(Debug)]
pub struct JsonBuilder {
    column: Arc<str>,
    budget: JsonBudget,
    ids: HashMap<Arc<str>, PathId, RandomState>,
    paths: Vec<PathValues>,
    state: RandomState,
    unreadable: Rows,
    row: u32,
    spill: Option<Spill>,
    /// Pairs to push until memory is looked at.
    until_check: u32,
}

/// Rows that ascend, each once.
#[derive(Debug, Default)]
struct Rows {
    rows: RowSetBuilder,
    /// The row after the last one.
    next: u32,
}

impl Rows {
    fn push(&mut self, row: u32) {
        if row >= self.next {
            self.rows.push(row);
            self.next = row + 1;
        }
    }

    fn take(&mut self) -> RowSet {
        std::mem::take(&mut self.rows).finish()
    }
}

/// What there is of one path.
#[derive(Debug)]
struct PathValues {
    text: Arc<str>,
    present: Rows,
    others: Rows,
    /// None when there were too many.
    values: Option<Values>,
    pairs: Pairs,
    /// Most distinct values; a path with more keeps none.
    distinct_count: u32,
}

impl JsonBuilder {
    /// Begins the indexes of a column's documents.
    pub fn new(column: impl Into<Arc<str>>, budget: JsonBudget) -> Self {
        Self {
            column: column.into(),
            budget,
            ids: HashMap::default(),
            paths: Vec::new(),
            state: RandomState::default(),
            unreadable: Rows::default(),
            row: 0,
            spill: None,
            until_check: CHECK_EVERY,
        }
    }

    /// Returns a path, which is new with `distinct_count` as the most values it may have; none when
    /// there are too many paths, which makes the row unreadable.
    pub fn path(&mut self, text: &str, distinct_count: u32) -> Option<PathId> {
        if let Some(id) = self.ids.get(text) {
            return Some(*id);
        }
        let is_long = text.len() > growler_base::limits::INDEX_NAME_LEN_BYTES;
        if self.paths.len() >= self.budget.path_count || is_long {
            self.mark_unreadable();
            return None;
        }
        let id = PathId(u32::try_from(self.paths.len()).ok()?);
        let text: Arc<str> = text.into();
        self.ids.insert(Arc::clone(&text), id);
        self.paths.push(PathValues {
            text,
            present: Rows::default(),
            others: Rows::default(),
            values: Some(Values::default()),
            pairs: Pairs::default(),
            distinct_count,
        });
        Some(id)
    }

    /// Adds a value of the row at a path, as JSON text.
    ///
    /// # Errors
    /// Unavailable.
    pub fn push(&mut self, path: PathId, value: &[u8]) -> Result<(), Error> {
        let row = self.row;
        let Some(at) = self.paths.get_mut(path.0 as usize) else {
            return Err(Error::internal("no such path"));
        };
        at.present.push(row);
        if value.len() > self.budget.value_len_bytes {
            at.others.push(row);
            return Ok(());
        }
        let Some(values) = &mut at.values else {
            return Ok(());
        };
        match values.add(value, row, at.distinct_count, &self.state) {
            Added::Id(id) => at.pairs.push((id, row)),
            Added::Again => return Ok(()),
            Added::Full => at.drop_values(),
        }
        self.until_check -= 1;
        if self.until_check == 0 {
            self.until_check = CHECK_EVERY;
            self.keep_to_budget()?;
        }
        Ok(())
    }

    /// Tells that the row has a value at a path which is not for the dictionary.
    pub fn push_other(&mut self, path: PathId) {
        if let Some(at) = self.paths.get_mut(path.0 as usize) {
            at.present.push(self.row);
            at.others.push(self.row);
        }
    }

    /// Tells that not everything of the row can be pushed.
    pub fn mark_unreadable(&mut self) {
        self.unreadable.push(self.row);
    }

    /// Goes to the next row.
    pub fn end_row(&mut self) {
        self.row += 1;
    }

    /// Returns the row that values are pushed for.
    pub fn row(&self) -> u32 {
        self.row
    }

    fn keep_to_budget(&mut self) -> Result<(), Error> {
        let paths = self.paths.iter();
        let pairs: usize = paths.map(|path| path.pairs.memory_bytes()).sum();
        if pairs > self.budget.memory_bytes / 4 {
            let spill = match &mut self.spill {
                Some(spill) => spill,
                None => self.spill.insert(Spill::new(&self.budget.spill_folder)?),
            };
            for path in &mut self.paths {
                path.pairs.spill(spill)?;
            }
        }
        loop {
            let memory = |path: &PathValues| path.values.as_ref().map_or(0, Values::memory_bytes);
            let held: usize = self.paths.iter().map(memory).sum();
            if held <= self.budget.memory_bytes / 2 {
                return Ok(());
            }
            match self.paths.iter_mut().max_by_key(|path| memory(path)) {
                Some(largest) => largest.drop_values(),
                None => return Ok(()),
            }
        }
    }

    /// Writes every path, and the rows that are unreadable.
    ///
    /// # Errors
    /// Internal when there were fewer rows than the segment has; unavailable; limit exceeded.
    pub fn finish(mut self, writer: &mut IndexWriter) -> Result<Vec<Built>, Error> {
        if self.row != writer.row_count() {
            return Err(Error::internal(format!(
                "other rows than announced: rows={} pushed={} column={}",
                writer.row_count(),
                self.row,
                self.column
            )));
        }
        let subject = |text: &str| Subject::key(Arc::clone(&self.column), text, Reading::Json);
        let unreadable = self.unreadable.take();
        let marker = PathWrite {
            subject: subject(UNREADABLE),
            present: unreadable.clone(),
            others: unreadable,
            values: None,
            spill: None,
            memory_bytes: 0,
        };
        let mut built = vec![marker.write(writer)?];
        let memory_bytes = self.budget.memory_bytes / 4;
        for mut path in std::mem::take(&mut self.paths) {
            let present = path.present.take();
            let values = path.values.take();
            let others = match &values {
                Some(_) => path.others.take(),
                None => present.clone(),
            };
            let write = PathWrite {
                subject: subject(&path.text),
                present,
                others,
                values: values
                    .as_ref()
                    .filter(|values| !values.is_empty())
                    .map(|values| (values, &path.pairs)),
                spill: self.spill.as_mut(),
                memory_bytes,
            };
            built.push(write.write(writer)?);
        }
        Ok(built)
    }
}

impl PathValues {
    /// Forgets the values: every row that has one is among the others.
    fn drop_values(&mut self) {
        self.values = None;
        self.pairs.clear();
    }
}
