//! One schema for several files, and a declared schema made exact by what the files know.

use std::collections::BTreeMap;

use crate::convert::retype;
use crate::error::Irreconcilable;
use crate::{ColumnType, DataType, Error, Field, TableSchema};

/// The columns that one file has.
#[derive(Debug, Clone, Copy)]
pub struct FileFields<'a> {
    /// Name of the file, for messages.
    pub file: &'a str,
    /// Its columns.
    pub fields: &'a [Field],
}

/// Merges the columns of a table's files: all columns that any file has.
///
/// Columns are the same by field id, or by name where one of the two carries no id; a column that
/// was renamed has the name of the last file and keeps the others as aliases. A name that passed to
/// a column with another id belongs to that one. INT widens to LONG, FLOAT to DOUBLE, decimals to
/// the larger scale, timestamps to the finest unit.
///
/// # Errors
/// `Unsupported`, naming two files, when their types for a column have no common one.
pub fn merge_fields<'a>(
    files: impl IntoIterator<Item = FileFields<'a>>,
) -> Result<Vec<Field>, Error> {
    let mut merged = Merged::default();
    for file in files {
        for field in file.fields {
            merged.add(field, file.file)?;
        }
    }
    Ok(merged.finish())
}

/// Returns the type that holds the values of both; none when there is no such type.
pub fn common_type(a: ColumnType, b: ColumnType) -> Option<ColumnType> {
    use DataType as T;
    if a.multi_value != b.multi_value {
        return None;
    }
    let data_type = match (a.data_type, b.data_type) {
        (a, b) if a == b => a,
        (T::Int, T::Long) | (T::Long, T::Int) => T::Long,
        (T::Float, T::Double) | (T::Double, T::Float) => T::Double,
        (T::BigDecimal { scale: a }, T::BigDecimal { scale: b }) => {
            T::BigDecimal { scale: a.max(b) }
        }
        (T::Timestamp { unit: a }, T::Timestamp { unit: b }) => T::Timestamp { unit: a.max(b) },
        (T::Map, T::Json) | (T::Json, T::Map) => T::Json,
        _ => return None,
    };
    Some(ColumnType {
        data_type,
        multi_value: a.multi_value,
    })
}

/// Completes a declared schema with what only files know: the scale of decimals, the unit of
/// timestamps and field ids. Whatever else was declared stays.
pub fn complete(declared: &TableSchema, inferred: &[Field]) -> TableSchema {
    let fields = declared.fields().iter().map(|field| {
        let mut field = field.clone();
        if let Some(found) = find(&field, inferred) {
            field.field_id = field.field_id.or(found.field_id);
            if let Some(data_type) = exact(field.column_type.data_type, found) {
                retype(&mut field, data_type);
            }
        }
        field
    });
    TableSchema::new(&declared.name, fields.collect())
}

/// Lists the declared columns that cannot be read as declared, one text for each.
pub fn unreadable(declared: &TableSchema, inferred: &[Field]) -> Vec<String> {
    let mut errors = Vec::new();
    for field in declared.fields() {
        if let Some(found) = find(field, inferred)
            && !is_readable(field.column_type, found.column_type)
        {
            errors.push(format!(
                "Column '{}' is {} in the schema but {} in the files",
                field.name,
                described(field.column_type),
                described(found.column_type)
            ));
        }
    }
    errors
}

#[derive(Default)]
struct Merged<'a> {
    columns: Vec<(Field, &'a str)>,
    by_name: BTreeMap<String, usize>,
    by_id: BTreeMap<i32, usize>,
}

impl<'a> Merged<'a> {
    fn add(&mut self, field: &Field, file: &'a str) -> Result<(), Error> {
        let same_name = self.by_name.get(&field.name).copied();
        let at = match field.field_id {
            Some(id) => self.by_id.get(&id.0).copied().or_else(|| {
                let is_without_id = |at: &usize| {
                    self.columns
                        .get(*at)
                        .is_some_and(|(column, _)| column.field_id.is_none())
                };
                same_name.filter(is_without_id)
            }),
            None => same_name,
        };
        let at = match at.and_then(|at| Some((at, self.columns.get_mut(at)?))) {
            Some((at, column)) => {
                unite(column, field, file)?;
                at
            }
            None => {
                self.columns.push((field.clone(), file));
                self.columns.len() - 1
            }
        };
        self.by_name.insert(field.name.clone(), at);
        if let Some(id) = field.field_id {
            self.by_id.insert(id.0, at);
        }
        Ok(())
    }

    /// Drops columns whose name belongs to another now.
    fn finish(self) -> Vec<Field> {
        let Self {
            columns, by_name, ..
        } = self;
        let owns = |(at, (field, _)): &(usize, (Field, &str))| by_name.get(&field.name) == Some(at);
        columns
            .into_iter()
            .enumerate()
            .filter(owns)
            .map(|(_, (field, _))| field)
            .collect()
    }
}

fn unite<'a>(column: &mut (Field, &'a str), field: &Field, file: &'a str) -> Result<(), Error> {
    let (known, known_file) = column;
    let Some(common) = common_type(known.column_type, field.column_type) else {
        return Err(Error::Irreconcilable(Box::new(Irreconcilable {
            column: field.name.clone(),
            left_file: (*known_file).to_owned(),
            left_type: described(known.column_type),
            right_file: file.to_owned(),
            right_type: described(field.column_type),
        })));
    };
    if common.data_type != known.column_type.data_type {
        retype(known, common.data_type);
        // The file that brought the wider type is the one to name in a later disagreement.
        *known_file = file;
    }
    if known.name != field.name {
        let earlier = std::mem::replace(&mut known.name, field.name.clone());
        if !known.aliases.contains(&earlier) {
            known.aliases.push(earlier);
        }
        known.aliases.retain(|alias| *alias != field.name);
    }
    known.field_id = known.field_id.or(field.field_id);
    known.not_null &= field.not_null;
    Ok(())
}

fn find<'f>(field: &Field, inferred: &'f [Field]) -> Option<&'f Field> {
    let by_id = |found: &&Field| field.field_id.is_some() && found.field_id == field.field_id;
    let named = |name: &str| inferred.iter().find(|found| found.name == name);
    inferred.iter().find(by_id).or_else(|| {
        let found = named(&field.name).or_else(|| field.aliases.iter().find_map(|a| named(a)))?;
        (field.field_id.is_none() || found.field_id.is_none()).then_some(found)
    })
}

/// The declared type with the scale or unit of the files.
fn exact(declared: DataType, found: &Field) -> Option<DataType> {
    match (declared, found.column_type.data_type) {
        (DataType::BigDecimal { .. }, found @ DataType::BigDecimal { .. })
        | (DataType::Timestamp { .. }, found @ DataType::Timestamp { .. }) => Some(found),
        _ => None,
    }
}

fn is_readable(declared: ColumnType, found: ColumnType) -> bool {
    let same_kind = declared.data_type.name() == found.data_type.name();
    let is_text = |data_type| matches!(data_type, DataType::String | DataType::Json);
    let both_text = is_text(declared.data_type)
        && matches!(
            found.data_type,
            DataType::String | DataType::Json | DataType::Map | DataType::Uuid
        );
    let widened = matches!(
        (found.data_type, declared.data_type),
        (DataType::Int, DataType::Long) | (DataType::Float, DataType::Double)
    );
    declared.multi_value == found.multi_value && (same_kind || both_text || widened)
}

/// The type with the scale or unit that makes two of one name differ.
fn described(column_type: ColumnType) -> String {
    let name = column_type.data_type.name();
    let name = match column_type.data_type {
        DataType::BigDecimal { scale } => format!("{name}(scale {scale})"),
        DataType::Timestamp { unit } => format!("{name}({})", unit.pinot_name()),
        _ => name.to_owned(),
    };
    if column_type.multi_value {
        format!("{name}_ARRAY")
    } else {
        name
    }
}
