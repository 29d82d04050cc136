//! The files of a path, folder or glob.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use walkdir::{DirEntry, WalkDir};

use super::OpenError;

/// Finds the Parquet files of a table, sorted by path.
///
/// `location` is a file (whatever its name), a folder (all `.parquet` files in it and below it), or a
/// glob (`*` stays within a folder, `**` does not). Files and folders whose names begin with `.` or
/// `_` are left out, as writers put there what is no data.
///
/// # Errors
/// [`OpenError::NoFiles`], [`OpenError::Glob`] or [`OpenError::Listing`].
pub fn discover(location: &str) -> Result<Vec<PathBuf>, OpenError> {
    let path = Path::new(location);
    let mut files = if path.is_file() {
        vec![path.to_owned()]
    } else if path.is_dir() {
        walk(path, |file| {
            file.extension()
                .is_some_and(|extension| extension == "parquet")
        })?
    } else {
        let glob = matcher(location)?;
        walk(&fixed_part(path), |file| glob.is_match(file))?
    };
    if files.is_empty() {
        return Err(OpenError::NoFiles(location.to_owned()));
    }
    files.sort();
    Ok(files)
}

fn matcher(pattern: &str) -> Result<GlobMatcher, OpenError> {
    if !pattern.contains(['*', '?', '[', '{']) {
        return Err(OpenError::NoFiles(pattern.to_owned()));
    }
    let built = GlobBuilder::new(pattern).literal_separator(true).build();
    let malformed = |error: globset::Error| OpenError::Glob {
        pattern: pattern.to_owned(),
        cause: error.to_string(),
    };
    Ok(built.map_err(malformed)?.compile_matcher())
}

/// Returns the folder above the first part that is a pattern.
fn fixed_part(pattern: &Path) -> PathBuf {
    let fixed: PathBuf = pattern
        .components()
        .take_while(|part| {
            !part
                .as_os_str()
                .to_string_lossy()
                .contains(['*', '?', '[', '{'])
        })
        .collect();
    if fixed.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        fixed
    }
}

fn walk(root: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, OpenError> {
    let mut files = Vec::new();
    let shown = |entry: &DirEntry| entry.depth() == 0 || !is_hidden(entry);
    for entry in WalkDir::new(root)
        .follow_links(true)
        .into_iter()
        .filter_entry(shown)
    {
        let entry = entry.map_err(|error| OpenError::Listing {
            path: error.path().unwrap_or(root).to_owned(),
            cause: error.to_string(),
        })?;
        if entry.file_type().is_file() {
            // The walk of `.` begins every path with it; patterns do not.
            let file = entry.path().strip_prefix("./").unwrap_or(entry.path());
            if wanted(file) {
                files.push(file.to_owned());
            }
        }
    }
    Ok(files)
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with(['.', '_'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn finds_files_of_files_folders_and_globs() -> Result<(), Box<dyn std::error::Error>> {
        let root = tempfile::tempdir()?;
        for file in [
            "b.parquet",
            "a.parquet",
            "notes.txt",
            "_x.parquet",
            ".h/c.parquet",
            "day=1/d.parquet",
            "day=2/e.parquet",
            "_meta/f.parquet",
        ] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap())?;
            fs::write(path, "")?;
        }
        let base = root.path().to_str().unwrap();
        let check = |pattern: &str, expected: &[&str]| {
            let location = if pattern.is_empty() {
                base.to_owned()
            } else {
                format!("{base}/{pattern}")
            };
            let found = discover(&location).unwrap_or_default();
            let names = found
                .iter()
                .map(|file| file.strip_prefix(base).unwrap().to_str().unwrap());
            assert_eq!(names.collect::<Vec<_>>(), expected, "{pattern}");
        };
        check(
            "",
            &[
                "a.parquet",
                "b.parquet",
                "day=1/d.parquet",
                "day=2/e.parquet",
            ],
        );
        check("*.parquet", &["a.parquet", "b.parquet"]);
        check("day=*/*.parquet", &["day=1/d.parquet", "day=2/e.parquet"]);
        check("**/d.parquet", &["day=1/d.parquet"]);
        check("notes.txt", &["notes.txt"]);
        check("_x.parquet", &["_x.parquet"]);
        check("nosuch.parquet", &[]);
        check("nosuch/*.parquet", &[]);
        Ok(())
    }

    #[test]
    fn says_why_nothing_was_found() {
        for (location, expected) in [
            (
                "/no/such/file.parquet",
                "no parquet file found: path=/no/such/file.parquet",
            ),
            ("/no/such/[.parquet", "malformed glob: "),
        ] {
            let error = discover(location).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
