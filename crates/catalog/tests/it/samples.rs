//! Where the sample tables are.
//!
//! Those of `testdata/iceberg` are always there; the others, of the same writers, are among the shared
//! data: `pack/iceberg_WRITER/warehouse/DATABASE/TABLE`. Without those, tests say that they skip.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use growler_catalog::{IcebergTable, LocalFiles};
use serde_json::Value;

/// A table of some writer.
pub struct Sample {
    pub writer: String,
    pub name: String,
    pub folder: PathBuf,
}

impl Sample {
    pub fn open(&self) -> IcebergTable {
        open(&self.folder)
    }
}

pub fn open(path: &Path) -> IcebergTable {
    IcebergTable::open(Arc::new(LocalFiles), path.to_str().unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/iceberg")
}

/// A sample that is always there.
pub fn sample(writer: &str, name: &str) -> Sample {
    Sample {
        writer: writer.to_owned(),
        name: name.to_owned(),
        folder: testdata().join(writer).join(name),
    }
}

/// The folders of all sample tables.
pub fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for writer in folders(&testdata()) {
        add_tables(&name_of(&writer), &writer, &mut samples);
    }
    if let Some(pack) = pack() {
        for writer in folders(&pack) {
            let Some(name) = name_of(&writer).strip_prefix("iceberg_").map(str::to_owned) else {
                continue;
            };
            for database in folders(&writer.join("warehouse")) {
                add_tables(&name, &database, &mut samples);
            }
        }
    }
    samples
}

/// What the writer expects of its tables, one document for each place it was found in.
pub fn expectations(writer: &str) -> Vec<Value> {
    let mut files = vec![testdata().join(writer).join("expected.json")];
    if let Some(pack) = pack() {
        files.push(pack.join(format!("iceberg_{writer}/expected.json")));
    }
    // Python writes what JSON has no word for.
    let text = |path: PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        [": -Infinity", ": Infinity", ": NaN"]
            .iter()
            .fold(text, |text, bare| {
                text.replace(bare, &format!(": \"{}\"", &bare[2..]))
            })
    };
    files
        .into_iter()
        .filter(|path| path.is_file())
        .map(|path| serde_json::from_str(&text(path)).unwrap())
        .collect()
}

/// The sample of a writer with a name, wherever it is.
pub fn find<'s>(samples: &'s [Sample], writer: &str, name: &str) -> Vec<&'s Sample> {
    let wanted = |sample: &&Sample| sample.writer == writer && sample.name == name;
    samples.iter().filter(wanted).collect()
}

/// `GROWLER_SHARED` names the shared folder; else it is looked for beside the project.
fn pack() -> Option<PathBuf> {
    static SKIPPED: Once = Once::new();
    let beside = || {
        let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        folders.map(|folder| folder.join("shared")).collect()
    };
    let shared =
        std::env::var_os("GROWLER_SHARED").map_or_else(beside, |named| vec![PathBuf::from(named)]);
    let packs = shared.into_iter().map(|shared| shared.join("data/pack"));
    let found = packs.into_iter().find(|pack| pack.is_dir());
    if found.is_none() {
        // Past the capture of test output.
        SKIPPED.call_once(|| {
            let line = "skipped: no shared/data/pack beside the project; set GROWLER_SHARED";
            let _ = writeln!(std::io::stderr(), "{line}");
        });
    }
    found
}

fn add_tables(writer: &str, folder: &Path, samples: &mut Vec<Sample>) {
    for table in folders(folder) {
        if table.join("metadata").is_dir() {
            samples.push(Sample {
                writer: writer.to_owned(),
                name: name_of(&table),
                folder: table,
            });
        }
    }
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}
