//! Half-written files that a killed server leaves in its folder of indexes.

use std::fs;
use std::path::Path;

/// Files and folders are at most so deep: table, segment, file.
const LEVELS: usize = 3;

/// Removes temporary files (`.NAME.tmp` and `.tmpNAME`) below a folder that nobody writes to.
pub(super) fn remove(folder: &Path) {
    let removed = remove_below(folder, LEVELS);
    if removed > 0 {
        tracing::info!(
            removed,
            folder = %folder.display(),
            "half-written indexes of an earlier run were removed"
        );
    }
}

fn remove_below(folder: &Path, levels: usize) -> usize {
    // What cannot be listed or removed does no harm.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut removed = 0;
    for entry in entries {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let path = entry.path();
        if kind.is_dir() && levels > 1 {
            removed += remove_below(&path, levels - 1);
        } else if kind.is_file() && is_temporary(&path) {
            removed += usize::from(fs::remove_file(&path).is_ok());
        }
    }
    removed
}

fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    name.starts_with(b".tmp") || name.starts_with(b".") && name.ends_with(b".tmp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_temporary_files_go() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        let segment = root.path().join("t/a.parquet-0000");
        let deep = segment.join("deep");
        fs::create_dir_all(&deep)?;
        let stay = [
            "index.gix",
            "segment.json",
            ".hidden",
            "x.tmp",
            "deep/.y.tmp",
        ];
        let go = [".index.gix.abc.tmp", ".tmpAbC123"];
        for name in stay.iter().chain(&go) {
            fs::write(segment.join(name), "")?;
        }
        remove(root.path());
        remove(&root.path().join("absent"));
        for name in stay {
            assert!(segment.join(name).exists(), "{name}");
        }
        for name in go {
            assert!(!segment.join(name).exists(), "{name}");
        }
        Ok(())
    }
}
