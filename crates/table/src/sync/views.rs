//! From files to a view.

use std::collections::HashMap;
use std::sync::Arc;

use growler_base::ErrorKind;
use growler_catalog::table::DataFile;
use growler_catalog::{IcebergTable, Plan};
use growler_exec::View;
use growler_schema::TableSchema;
use growler_segment::Segment;

use super::layouts::KnownLayouts;
use crate::evolve::ServedSchema;
use crate::iceberg::{self, Columns, Member, SegmentAccess};

/// Reads the files of a table.
pub trait Views: Send + Sync {
    /// Opens a data file and reads its footer.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn open(&self, file: &DataFile) -> Result<Segment, FileError>;

    /// Looks up the layouts of members that have none yet. Files that are among the opened ones are not
    /// opened again.
    ///
    /// # Errors
    /// What is wrong with which file.
    fn survey(
        &self,
        content: &Content,
        members: &mut [Member],
        opened: &Opened,
    ) -> Result<(), FileError>;

    /// Makes a view. Files that are among the opened ones are not opened again.
    ///
    /// # Errors
    /// What is wrong with which file.
    fn view(&self, content: &Content, opened: &Opened) -> Result<View, FileError>;
}

/// Makes views of segments that an access opens.
#[derive(Debug, Clone)]
pub struct SegmentViews {
    access: Arc<dyn SegmentAccess>,
}

impl SegmentViews {
    /// Makes views of what `access` opens.
    pub fn new(access: Arc<dyn SegmentAccess>) -> Self {
        Self { access }
    }

    fn keeping(&self, opened: &Opened) -> Arc<dyn SegmentAccess> {
        Arc::new(Kept {
            access: Arc::clone(&self.access),
            opened: opened.clone(),
        })
    }
}

impl Views for SegmentViews {
    fn open(&self, file: &DataFile) -> Result<Segment, FileError> {
        let opened = self.access.open_sized(&file.path, file.len_bytes);
        opened.map_err(|error| unreadable(&file.path, &error))
    }

    fn survey(
        &self,
        content: &Content,
        members: &mut [Member],
        opened: &Opened,
    ) -> Result<(), FileError> {
        let Some(table) = &content.table else {
            return Ok(());
        };
        let served = content.columns();
        let columns = iceberg::columns::columns(table.metadata(), &content.plan.schema);
        let columns = columns
            .map_err(|error| failed(&error))?
            .with_served(served.names());
        let access = self.keeping(opened);
        let surveyed = iceberg::survey(members, &served, &Arc::new(columns), &access);
        surveyed.map_err(|error| failed(&error))
    }

    fn view(&self, content: &Content, opened: &Opened) -> Result<View, FileError> {
        let served = content.columns();
        let Some(table) = &content.table else {
            return files_view(content, served.schema, self.keeping(opened).as_ref());
        };
        let access = Arc::clone(&self.access);
        let plan = &content.plan;
        let mut members = iceberg::members(plan);
        for member in &mut members {
            member.layouts = content.layouts.get(&member.file.path).cloned();
        }
        let view = iceberg::view(&content.name, served, table, plan, members, &access);
        view.map_err(|error| failed(&error))
    }
}

/// Opens no file twice.
#[derive(Debug)]
struct Kept {
    access: Arc<dyn SegmentAccess>,
    opened: Opened,
}

impl Kept {
    /// Returns a file that is open already, else opens it.
    fn kept_or(
        &self,
        location: &str,
        open: impl FnOnce() -> Result<Segment, growler_segment::Error>,
    ) -> Result<Segment, growler_segment::Error> {
        self.opened.get(location).cloned().map_or_else(open, Ok)
    }
}

impl SegmentAccess for Kept {
    fn open(&self, location: &str) -> Result<Segment, growler_segment::Error> {
        self.kept_or(location, || self.access.open(location))
    }

    fn open_sized(
        &self,
        location: &str,
        len_bytes: u64,
    ) -> Result<Segment, growler_segment::Error> {
        self.kept_or(location, || self.access.open_sized(location, len_bytes))
    }

    fn open_immutable(
        &self,
        location: &str,
        len_bytes: u64,
    ) -> Result<Segment, growler_segment::Error> {
        self.kept_or(location, || self.access.open_immutable(location, len_bytes))
    }
}

fn files_view(
    content: &Content,
    schema: TableSchema,
    access: &dyn SegmentAccess,
) -> Result<View, FileError> {
    let open = |file: &DataFile| {
        let opened = access.open_sized(&file.path, file.len_bytes);
        opened.map_err(|error| unreadable(&file.path, &error))
    };
    let segments = content.plan.files.iter().map(open);
    let segments = segments.collect::<Result<Vec<_>, _>>()?;
    Ok(View::of(&content.name, schema, segments))
}

fn failed(error: &iceberg::Error) -> FileError {
    FileError {
        kind: error.kind(),
        text: error.to_string(),
    }
}

fn unreadable(path: &str, error: &growler_segment::Error) -> FileError {
    let text = error.to_string();
    FileError {
        kind: error.kind(),
        text: match text.contains(path) {
            true => format!("cannot read data file: {text}"),
            false => format!("cannot read data file: {text} path={path}"),
        },
    }
}

/// Segments by the locations of their files.
pub type Opened = HashMap<String, Segment>;

/// What a view is made of.
#[derive(Debug, Clone)]
pub struct Content {
    /// Name of the table.
    pub name: String,
    /// What queries see.
    pub schema: Arc<ServedSchema>,
    /// The table; none for plain files.
    pub table: Option<IcebergTable>,
    /// Its files, and the schema to read them with: it has every column that is served.
    pub plan: Arc<Plan>,
    /// What is known of the files' VARIANT columns.
    pub layouts: Arc<KnownLayouts>,
}

impl Content {
    fn columns(&self) -> Columns {
        Columns {
            schema: self.schema.table_schema(),
            dropped: self.schema.dropped(),
        }
    }
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct FileError {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// What happened, with the file's location.
    pub text: String,
}
