//! Bytes of a file as the decoder asks for them: mapped, or fetched ahead and as it goes.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use growler_base::limits;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::bytes::{FileBytes, Pieces};
use crate::read::pages::Progress;

type Result<T> = std::result::Result<T, ParquetError>;

/// The bytes of a file, for one reader of one part of it.
pub(crate) enum Held {
    Mapped(Bytes),
    Fetched(Fetched),
}

/// What is fetched of a remote file. A part that is not there is fetched, and takes the place of what
/// came before it: decoders go forward.
pub(crate) struct Fetched {
    file: FileBytes,
    pieces: Mutex<Pieces>,
    /// Where the part ends that is read from start to end; beyond, and where pages are asked for by
    /// their places, only what is asked for is fetched.
    end: u64,
    progress: Arc<Progress>,
}

impl Held {
    /// Holds what was fetched ahead; `end` is where the part read from start to end ends, if it is.
    pub(crate) fn new(
        file: &FileBytes,
        pieces: Pieces,
        end: Option<u64>,
        progress: &Arc<Progress>,
    ) -> Self {
        match file {
            FileBytes::Mapped(bytes) => Self::Mapped(bytes.clone()),
            FileBytes::Remote(_) => Self::Fetched(Fetched {
                file: file.clone(),
                pieces: Mutex::new(pieces),
                end: end.unwrap_or(0),
                progress: Arc::clone(progress),
            }),
        }
    }

    pub(crate) fn len_bytes(&self) -> u64 {
        match self {
            Self::Mapped(bytes) => bytes.len() as u64,
            Self::Fetched(fetched) => fetched.file.len_bytes(),
        }
    }

    /// Returns a range of the file.
    pub(crate) fn get(&self, start: u64, len: usize) -> Result<Bytes> {
        match self {
            Self::Mapped(bytes) => bytes.get_bytes(start, len),
            Self::Fetched(fetched) => fetched.get(start, len),
        }
    }

    /// Returns bytes from a place on: all that are left, or enough for what `is_enough` looks for.
    pub(crate) fn from(&self, start: u64, is_enough: &dyn Fn(&[u8]) -> bool) -> Result<Bytes> {
        match self {
            Self::Mapped(bytes) => {
                let start = usize::try_from(start)
                    .ok()
                    .filter(|start| *start <= bytes.len());
                let start = start.ok_or_else(|| behind_the_end(self.len_bytes()))?;
                Ok(bytes.slice(start..))
            }
            Self::Fetched(fetched) => fetched.from(start, is_enough),
        }
    }
}

impl Fetched {
    fn get(&self, start: u64, len: usize) -> Result<Bytes> {
        if let Some(found) = self.pieces().get(start, len) {
            return Ok(found);
        }
        let file_len = self.file.len_bytes();
        let end = start.checked_add(len as u64).filter(|end| *end <= file_len);
        let end = end.ok_or_else(|| behind_the_end(file_len))?;
        let ahead = start
            .saturating_add(limits::REMOTE_WINDOW_LEN_BYTES)
            .min(self.end);
        self.fetch(start..end.max(ahead))?;
        let found = self.pieces().get(start, len);
        found.ok_or_else(|| ParquetError::General("range came back short".to_owned()))
    }

    fn from(&self, start: u64, is_enough: &dyn Fn(&[u8]) -> bool) -> Result<Bytes> {
        let found = self.pieces().from(start);
        if let Some(found) = found.filter(|found| is_enough(found)) {
            return Ok(found);
        }
        let end = if self.end > start {
            self.end
        } else {
            self.file.len_bytes()
        };
        let header = limits::PAGE_HEADER_LEN_BYTES as u64;
        for len in [limits::REMOTE_WINDOW_LEN_BYTES, header.saturating_mul(2)] {
            let window = start..start.saturating_add(len).min(end);
            if window.is_empty() {
                return Err(behind_the_end(end));
            }
            self.fetch(window)?;
            let found = self.pieces().from(start);
            if let Some(found) = found.filter(|found| is_enough(found)) {
                return Ok(found);
            }
        }
        // Not enough of anything: what reads it says what is wrong.
        Ok(self.pieces().from(start).unwrap_or_default())
    }

    fn pieces(&self) -> Pieces {
        let pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        pieces.clone()
    }

    fn fetch(&self, range: Range<u64>) -> Result<()> {
        let fetched = self.file.fetch(vec![range]).map_err(|error| {
            let cause = error.to_string();
            self.progress.fail(error);
            ParquetError::General(cause)
        })?;
        *self.pieces.lock().unwrap_or_else(PoisonError::into_inner) = fetched;
        Ok(())
    }
}

/// Bytes of page indexes.
pub(crate) struct IndexBytes(pub(crate) Held);

impl Length for IndexBytes {
    fn len(&self) -> u64 {
        self.0.len_bytes()
    }
}

impl ChunkReader for IndexBytes {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let bytes = self.0.from(start, &|_| true)?;
        Ok(bytes::Buf::reader(bytes))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.get(start, length)
    }
}

fn behind_the_end(end: u64) -> ParquetError {
    let cause = io::Error::from(io::ErrorKind::UnexpectedEof);
    ParquetError::General(format!("{cause}: nothing behind the end end={end}"))
}
