//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Makes a file that goes when it is dropped, beside where `name` is to be: `.NAME.*.tmp`.
///
/// # Errors
/// The folder cannot be made or written to.
pub fn temporary_file(folder: &Path, name: &str) -> io::Result<NamedTempFile> {
    fs::create_dir_all(folder)?;
    let prefix = format!(".{name}.");
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: who may read it is up to the process, not to what temporary files are like.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Makes a file durable and gives it its name, in place of one that has it.
///
/// # Errors
/// The system refuses; what was there is untouched.
pub fn publish(file: NamedTempFile, folder: &Path, name: &str) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(folder.join(name))
        .map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Makes a new name in a folder, or a removed one, durable.
///
/// # Errors
/// The system refuses.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn is_as_readable_as_any_new_file() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("any"), "")?;
        let mut file = temporary_file(folder.path(), "whole")?;
        assert!(!folder.path().join("whole").exists());
        file.write_all(b"text")?;
        publish(file, folder.path(), "whole")?;
        let mode =
            |name| Ok::<_, io::Error>(fs::metadata(folder.path().join(name))?.permissions().mode());
        assert_eq!(mode("whole")?, mode("any")?);
        assert_eq!(fs::read(folder.path().join("whole"))?, b"text");
        Ok(())
    }
}
