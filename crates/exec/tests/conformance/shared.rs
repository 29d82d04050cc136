//! Where the shared corpora lie, and lines that show even when tests pass.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Once;

use serde_json::Value as Json;

/// Finds a folder of the shared data; says once that tests are skipped if there is none.
///
/// `GROWLER_SHARED` names the shared folder; else it is looked for beside the project.
pub fn data(name: &str) -> Option<PathBuf> {
    static SKIPPED: Once = Once::new();
    let beside = || {
        let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        folders.map(|folder| folder.join("shared")).collect()
    };
    let shared =
        std::env::var_os("GROWLER_SHARED").map_or_else(beside, |named| vec![PathBuf::from(named)]);
    let found = shared
        .into_iter()
        .map(|shared| shared.join("data").join(name))
        .find(|folder| folder.is_dir());
    if found.is_none() {
        SKIPPED.call_once(|| {
            announce(&format!(
                "skipped: no shared/data/{name} beside the project; set GROWLER_SHARED"
            ));
        });
    }
    found
}

/// Prints a line past the capture of test output.
pub fn announce(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Reads a JSON file.
pub fn json(path: &Path) -> Json {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Lists the files of a folder with an ending, in order of their names.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().is_some_and(|path| path.ends_with(ending)))
        .collect();
    files.sort();
    files
}
