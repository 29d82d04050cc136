//! Position deletes: rows by data file and position.

use std::collections::HashMap;

use growler_base::limits;
use roaring::RoaringBitmap;

use super::reader::DeleteReader;
use crate::error::{Error, FileKind};
use crate::location::canonical;

/// The rows that one position delete file deletes, by recorded path of the data file.
#[derive(Debug, Default)]
pub struct PositionDeletes {
    rows: HashMap<String, RoaringBitmap>,
    count: u64,
}

impl PositionDeletes {
    /// Reads a position delete file.
    ///
    /// # Errors
    /// What the reader returns; `Corrupt` for a negative position, `LimitExceeded`.
    pub fn read(reader: &dyn DeleteReader, path: &str) -> Result<Self, Error> {
        let mut deletes = Self::default();
        let (mut last_spelling, mut last_path) = (String::new(), String::new());
        reader.positions(path, &mut |data_file, position| {
            if data_file != last_spelling || last_path.is_empty() {
                last_spelling = data_file.to_owned();
                last_path = canonical(data_file);
            }
            deletes.add(path, &last_path, position)
        })?;
        Ok(deletes)
    }

    /// Returns the deleted rows of a data file.
    pub fn of(&self, recorded_path: &str) -> Option<&RoaringBitmap> {
        self.rows.get(recorded_path)
    }

    fn add(&mut self, path: &str, data_file: &str, position: i64) -> Result<(), Error> {
        self.count = self.count.saturating_add(1);
        if self.count > limits::POSITION_DELETES {
            let cause = format!("too many positions limit={}", limits::POSITION_DELETES);
            return Err(Error::Limit {
                file: FileKind::DeleteFile,
                path: path.into(),
                cause: cause.into(),
            });
        }
        if position < 0 {
            return Err(Error::Corrupt {
                file: FileKind::DeleteFile,
                path: path.into(),
                cause: format!("position is negative position={position}").into(),
            });
        }
        // No segment has rows past 32 bits.
        if let Ok(row) = u32::try_from(position) {
            match self.rows.get_mut(data_file) {
                Some(rows) => rows.insert(row),
                None => self
                    .rows
                    .entry(data_file.to_owned())
                    .or_default()
                    .insert(row),
            };
        }
        Ok(())
    }
}
