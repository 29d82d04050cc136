//! Whole columns and keys of a file, read as a query would.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType as ArrowType;
use growler_base::RowRanges;
use growler_schema::{DataType, Field};
use growler_segment::{
    FooterCache, KeyOutput, KeyPath, NonObjectRoot, ReadOptions, Segment, Source,
};

/// Folder of a writer's sample files: those in the project, or in the shared pack.
pub fn testdata(name: &str) -> PathBuf {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata")
        .join(name);
    if project.exists() {
        project
    } else {
        pack(name)
    }
}

/// Folder of the whole pack, which may lie beside the project.
pub fn pack(name: &str) -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut beside = crate_folder
        .ancestors()
        .map(|folder| folder.join("shared/data/pack"));
    let found = beside.find(|folder| folder.exists());
    found
        .unwrap_or_else(|| PathBuf::from("shared/data/pack"))
        .join(name)
}

/// Opens a file without a cache.
pub fn open(path: &Path) -> Result<Segment> {
    Ok(Segment::open(path, &FooterCache::new(0))?)
}

/// Finds an inferred field.
pub fn field(segment: &Segment, name: &str) -> Result<Field> {
    let fields = segment.fields()?;
    fields
        .into_iter()
        .find(|field| field.name == name)
        .with_context(|| format!("field {name}"))
}

/// Reads every row of some sources; one array a source and batch.
pub fn read(
    segment: &Segment,
    sources: &[Source],
    batch_rows: usize,
) -> Result<Vec<Vec<ArrayRef>>> {
    let mut batches = Vec::new();
    for (group, rows) in segment.row_groups() {
        let all = RowRanges::all(rows.row_count);
        for batch in segment.read(group, sources, &all, &ReadOptions { batch_rows })? {
            batches.push(batch?.columns);
        }
    }
    Ok(batches)
}

/// Reads one text source of every row.
pub fn texts(segment: &Segment, source: &Source) -> Result<Vec<Option<String>>> {
    let batches = read(segment, std::slice::from_ref(source), 1000)?;
    Ok(batches
        .iter()
        .flat_map(|columns| column_texts(&columns[0]))
        .collect())
}

/// Returns the values of a text array, whichever it is.
pub fn column_texts(array: &ArrayRef) -> Vec<Option<String>> {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    match array.data_type() {
        ArrowType::Utf8View => array.as_string_view().iter().map(owned).collect(),
        ArrowType::Dictionary(..) => {
            let typed = array.as_dictionary::<arrow_array::types::Int32Type>();
            let texts = typed.downcast_dict::<arrow_array::StringArray>().unwrap();
            texts.into_iter().map(owned).collect()
        }
        other => panic!("not a text array: {other}"),
    }
}

/// Binds the documents of a VARIANT column.
pub fn documents(segment: &Segment, column: &str, roots: NonObjectRoot) -> Result<Source> {
    Ok(segment.bind_document(&field(segment, column)?, roots)?)
}

/// Binds a key as JSON text.
pub fn json_key(
    segment: &Segment,
    column: &str,
    path: &str,
    roots: NonObjectRoot,
) -> Result<Source> {
    let path = KeyPath::parse(path)?;
    Ok(segment.bind_key(&field(segment, column)?, &path, KeyOutput::Json, roots)?)
}

/// Binds a key as a type.
pub fn typed_key(
    segment: &Segment,
    column: &str,
    path: &str,
    data_type: DataType,
) -> Result<Source> {
    let path = KeyPath::parse(path)?;
    let output = KeyOutput::Typed(growler_schema::KeyType {
        data_type,
        typed: true,
    });
    Ok(segment.bind_key(&field(segment, column)?, &path, output, NonObjectRoot::Null)?)
}
