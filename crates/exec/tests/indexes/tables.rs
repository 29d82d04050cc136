//! Files opened as a table, as they are or with columns that were widened.

use growler_exec::View;
use growler_schema::{DataType, Field, FieldRole, TableSchema};
use growler_segment::FooterCache;

use crate::document::KEYS;
use crate::generate::Focus;
use crate::rng::Rng;

/// What a schema says beyond the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared {
    /// Whether INT is LONG and FLOAT is DOUBLE.
    pub widened: bool,
    /// Whether keys have the type of the round.
    pub keys: bool,
}

/// Opens files.
pub fn open(location: &str, declared: Declared, focus: Focus) -> View {
    let cache = FooterCache::default();
    let inferred = View::open("t", location, None, &cache).unwrap();
    let fields = inferred.schema().fields().iter();
    let fields = fields.map(|field| of(field, declared, focus));
    let schema = TableSchema::new("t", fields.collect());
    View::open("t", location, Some(&schema), &cache).unwrap()
}

fn of(field: &Field, declared: Declared, focus: Focus) -> Field {
    let widened = match field.column_type.data_type {
        DataType::Int => Some(DataType::Long),
        DataType::Float => Some(DataType::Double),
        _ => None,
    };
    let widened = widened.filter(|_| declared.widened && !field.column_type.multi_value);
    let mut of = match widened {
        Some(data_type) => Field::new(&field.name, FieldRole::Dimension, data_type.single()),
        None => field.clone(),
    };
    if field.name == "props" && declared.keys {
        for key in KEYS {
            let child = Field::new(key, FieldRole::Dimension, focus.data_type.single());
            of.children.insert(key.to_owned(), child);
        }
    }
    of
}

/// Picks what the schema says at first.
pub fn at_first(rng: &mut Rng) -> Declared {
    Declared {
        widened: false,
        keys: rng.chance(40),
    }
}

/// Picks what it says later.
pub fn later(at_first: Declared, rng: &mut Rng) -> Declared {
    Declared {
        widened: rng.chance(70),
        keys: at_first.keys || rng.chance(50),
    }
}
