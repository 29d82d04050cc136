//! One block on disk.
//!
//! ```text
//! "GBC1" | XXH3 of the rest: u64 LE | length of the key: u32 LE | key | bytes of the block
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use growler_base::{Cursor, limits};
use twox_hash::XxHash3_64;

const MAGIC: &[u8] = b"GBC1";
/// What a file has beside key and block, in bytes.
const HEADER_LEN: usize = 16;

/// Place of a block: of which file, and which one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BlockKey {
    /// Hash of the file's own key.
    pub(crate) file: u64,
    pub(crate) block: u32,
}

impl BlockKey {
    /// Returns where the block lies: a folder of 256, so that none gets too long.
    pub(crate) fn path(self, folder: &Path) -> PathBuf {
        folder
            .join(format!("{:02x}", self.file >> 56))
            .join(format!("{:016x}-{:08x}", self.file, self.block))
    }

    /// Parses a file's name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (file, block) = name.split_once('-')?;
        if file.len() != 16 || block.len() != 8 {
            return None;
        }
        Some(Self {
            file: u64::from_str_radix(file, 16).ok()?,
            block: u32::from_str_radix(block, 16).ok()?,
        })
    }
}

/// Writes a block, under another name first: a crash leaves no half of it behind.
pub(crate) fn write(path: &Path, key: &str, block: &[u8]) -> io::Result<()> {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let key_len = u32::try_from(key.len()).map_err(|_| io::Error::other("key is too long"))?;
    let mut rest = Vec::with_capacity(HEADER_LEN + key.len() + block.len());
    rest.extend(key_len.to_le_bytes());
    rest.extend(key.as_bytes());
    rest.extend(block);
    let hash = XxHash3_64::oneshot(&rest);
    let bytes = [MAGIC, &hash.to_le_bytes(), &rest].concat();
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Reads a block; none when it is not there, damaged or another file's.
pub(crate) fn read(path: &Path, key: &str, len: usize) -> Option<Bytes> {
    let most = HEADER_LEN + key.len() + limits::REMOTE_BLOCK_LEN_BYTES;
    let found = fs::metadata(path).ok()?.len();
    if usize::try_from(found).ok()? > most {
        return None;
    }
    let bytes = Bytes::from(fs::read(path).ok()?);
    let mut cursor = Cursor::new(&bytes);
    if cursor.take(4).ok()? != MAGIC {
        return None;
    }
    let hash = u64::from_le_bytes(cursor.take(8).ok()?.try_into().ok()?);
    if XxHash3_64::oneshot(bytes.get(12..)?) != hash {
        return None;
    }
    let key_len = u64::from(cursor.uint(4).ok()?);
    if cursor.take(key_len).ok()? != key.as_bytes() {
        return None;
    }
    let block = bytes.slice(HEADER_LEN + key.len()..);
    (block.len() == len).then_some(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_check_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let key = BlockKey {
            file: u64::MAX,
            block: 7,
        };
        let path = key.path(folder.path());
        assert_eq!(read(&path, "k", 3), None);
        write(&path, "k", b"abc").unwrap();
        assert_eq!(read(&path, "k", 3).as_deref(), Some(b"abc".as_slice()));
        assert_eq!(read(&path, "other", 3), None);
        assert_eq!(read(&path, "k", 4), None);
        let sound = fs::read(&path).unwrap();
        for at in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(read(&path, "k", 3), None, "{at}");
            fs::write(&path, &sound[..at]).unwrap();
            assert_eq!(read(&path, "k", 3), None, "{at}");
        }
    }

    #[test]
    fn names_go_both_ways() {
        let key = BlockKey {
            file: 1,
            block: u32::MAX,
        };
        let path = key.path(Path::new("/c"));
        assert_eq!(path, Path::new("/c/00/0000000000000001-ffffffff"));
        let name = path.file_name().unwrap().to_str().unwrap();
        assert_eq!(BlockKey::parse(name), Some(key));
        for name in [
            "",
            "1-1",
            "0000000000000001-fffffff",
            "000000000000000g-ffffffff",
        ] {
            assert_eq!(BlockKey::parse(name), None, "{name}");
        }
    }
}
