//! Equality deletes: rows by values of columns.
//!
//! Deletes over the same columns and files are one set: a row is gone if its values were deleted by a
//! commit after the one that wrote it, so the latest commit is all that is kept of each.

use std::collections::HashMap;

use growler_base::{FieldId, limits};
use roaring::RoaringBitmap;

use super::plan::{DataFile, DeleteFile};
use super::reader::{DeleteReader, KeyColumn, Missing};
use crate::error::{Error, FileKind};
use crate::metadata::{InitialDefault, NestedField, TableMetadata};
use crate::{DatumRef, SequenceNumber};

/// Memory that a key takes beside its bytes, roughly.
const KEY_OVERHEAD: usize = 48;

/// Values of some columns with the last commit that deleted them.
#[derive(Debug, Default)]
pub struct EqualityDeletes {
    columns: Vec<KeyColumn>,
    /// What data files without the column have, one a column.
    defaults: Vec<Missing>,
    deleted: HashMap<Box<[u8]>, SequenceNumber>,
}

impl EqualityDeletes {
    /// Reads equality delete files over the same columns.
    ///
    /// The columns may be dropped by now: their types are those of any schema that the table keeps,
    /// the latest that has them.
    ///
    /// # Errors
    /// What the reader returns; `Corrupt` when no schema has a column, `Unsupported` when it is
    /// no primitive, `LimitExceeded`.
    pub fn read<'f>(
        reader: &dyn DeleteReader,
        metadata: &TableMetadata,
        ids: &[FieldId],
        files: impl IntoIterator<Item = &'f DeleteFile>,
    ) -> Result<Self, Error> {
        let mut deletes = Self::default();
        let mut key = Vec::new();
        let mut len_bytes = 0_usize;
        for file in files {
            if deletes.columns.is_empty() {
                (deletes.columns, deletes.defaults) = columns(metadata, ids, file)?;
            }
            let Self {
                columns, deleted, ..
            } = &mut deletes;
            reader.rows(&file.path, columns, &mut |values| {
                make_key(values, &mut key);
                let sequence = file.sequence_number;
                match deleted.get_mut(key.as_slice()) {
                    Some(last) => *last = sequence.max(*last),
                    None => {
                        let more = key.len().saturating_add(KEY_OVERHEAD);
                        len_bytes = len_bytes.saturating_add(more);
                        if len_bytes > limits::EQUALITY_DELETE_KEYS_LEN_BYTES {
                            return Err(too_large(file));
                        }
                        deleted.insert(key.as_slice().into(), sequence);
                    }
                }
                Ok(())
            })?;
        }
        Ok(deletes)
    }

    /// Adds the rows of a data file that are deleted.
    ///
    /// # Errors
    /// What the reader returns.
    pub fn apply(
        &self,
        reader: &dyn DeleteReader,
        file: &DataFile,
        rows: &mut RoaringBitmap,
    ) -> Result<(), Error> {
        if self.deleted.is_empty() {
            return Ok(());
        }
        let columns = self.columns.iter().zip(&self.defaults);
        let columns: Vec<KeyColumn> = columns
            .map(|(c, default)| in_file(c, default, file))
            .collect();
        let mut key = Vec::new();
        let mut row = 0_u32;
        reader.rows(&file.path, &columns, &mut |values| {
            make_key(values, &mut key);
            let last = self.deleted.get(key.as_slice());
            if last.is_some_and(|last| *last > file.sequence_number) {
                rows.insert(row);
            }
            row = row.saturating_add(1);
            Ok(())
        })
    }
}

fn make_key(values: &[Option<DatumRef<'_>>], key: &mut Vec<u8>) {
    key.clear();
    for value in values {
        DatumRef::push_key(*value, key);
    }
}

/// The columns, as delete files have them, and what data files without them have.
fn columns(
    metadata: &TableMetadata,
    ids: &[FieldId],
    file: &DeleteFile,
) -> Result<(Vec<KeyColumn>, Vec<Missing>), Error> {
    let mut columns = Vec::with_capacity(ids.len());
    let mut defaults = Vec::with_capacity(ids.len());
    for id in ids {
        let path = latest_path(metadata, *id).unwrap_or_default();
        let (field, within) = path.split_last().ok_or_else(|| Error::Corrupt {
            file: FileKind::DeleteFile,
            path: file.path.as_str().into(),
            cause: format!("compared column is in no schema field={id}").into(),
        })?;
        let primitive = field.field_type.primitive();
        let primitive = primitive.ok_or_else(|| Error::Unsupported {
            file: FileKind::DeleteFile,
            path: file.path.as_str().into(),
            cause: format!("compared column is no primitive field={id}").into(),
        })?;
        columns.push(KeyColumn {
            id: *id,
            within: within.iter().map(|s| (s.id, s.name.clone())).collect(),
            name: field.name.clone(),
            primitive: primitive.clone(),
            missing: Missing::Refuse,
        });
        defaults.push(match &field.initial_default {
            InitialDefault::Value(value) => Missing::Value(value.clone()),
            _ => Missing::Null,
        });
    }
    Ok((columns, defaults))
}

/// A field of the current schema, or of the latest other one that has it, and what it is in.
fn latest_path(metadata: &TableMetadata, id: FieldId) -> Option<Vec<&NestedField>> {
    let current = metadata.current_schema().flat_path(id);
    let mut older = metadata.schemas().iter().rev();
    current.or_else(|| older.find_map(|schema| schema.flat_path(id)))
}

/// A column in a data file that may lack it: its partition may say what it is there.
fn in_file(column: &KeyColumn, default: &Missing, file: &DataFile) -> KeyColumn {
    let constant = file.constants.iter().find(|(id, _)| *id == column.id);
    KeyColumn {
        missing: match constant {
            Some((_, Some(value))) => Missing::Value(value.clone()),
            Some((_, None)) => Missing::Null,
            None => default.clone(),
        },
        ..column.clone()
    }
}

fn too_large(file: &DeleteFile) -> Error {
    let limit = limits::EQUALITY_DELETE_KEYS_LEN_BYTES;
    Error::Limit {
        file: FileKind::DeleteFile,
        path: file.path.as_str().into(),
        cause: format!("equality deletes take too much memory limit={limit}").into(),
    }
}
