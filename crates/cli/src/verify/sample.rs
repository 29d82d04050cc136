//! Columns, keys and values of a table, from rows at random places.

use std::collections::{BTreeMap, BTreeSet};

use growler_exec::response::ResultTable;
use growler_exec::table::View;
use growler_exec::{Engine, Error, Request};
use growler_index::{Reading, SegmentIndexes};
use growler_schema::{DataType, Field};
use growler_segment::KeyPath;
use serde_json::Value;

use crate::verify::inside::{Inside, Matched};
use crate::verify::random::Random;

/// Places that are looked at.
const PLACES: usize = 16;
/// Rows of a place.
const PLACE_ROWS: usize = 48;
/// Most keys of a column.
const KEYS: usize = 400;
/// Most values kept of a column or key.
const VALUES: usize = 200;
/// Longest literal, in bytes.
const LITERAL_LEN_BYTES: usize = 1000;
/// Deepest step of a key.
const DEPTH: usize = 8;

/// What values of an operand are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Numbers.
    Number,
    /// Text.
    Text,
    /// Anything else.
    Other,
}

/// A column or key, with some values it has.
#[derive(Debug, Clone)]
pub struct Operand {
    /// How SQL names it.
    pub sql: String,
    /// What its values are.
    pub class: Class,
    /// Values as literals of SQL.
    pub literals: Vec<String>,
    /// Whether some segment has an index on it.
    pub is_indexed: bool,
}

/// Looks at a table.
///
/// # Errors
/// The rows cannot be read.
pub fn sample(
    engine: &Engine,
    view: &View,
    random: &mut Random,
) -> Result<(Vec<Operand>, Vec<Matched>), Error> {
    let mut found = Found::new(view);
    let segments = view.segments().iter();
    let segments: Vec<_> = segments.filter(|one| one.row_count() > 0).collect();
    for _ in 0..PLACES {
        let Some(segment) = random.pick(&segments) else {
            break;
        };
        let start = random.below(segment.row_count());
        let sql = format!(
            "SELECT * FROM {} WHERE $segmentName = {} AND $docId BETWEEN {start} AND {} LIMIT {PLACE_ROWS}",
            quoted_name(view.name()),
            quoted(&segment.id().to_string()),
            start.saturating_add(PLACE_ROWS),
        );
        let request = Request {
            query_options: "variantNonObjectRoot=null;skipIndexes=*".to_owned(),
            ..Request::default()
        };
        let outcome = engine.query(&sql, &request);
        match (outcome.error, outcome.response.result_table) {
            (Some(error), _) => return Err(error),
            (None, Some(table)) => found.add(&table)?,
            (None, None) => {}
        }
    }
    let matched = found.inside.matched();
    Ok((found.operands(view), matched))
}

/// Values by column and key.
struct Found<'v> {
    view: &'v View,
    columns: BTreeMap<String, BTreeSet<String>>,
    keys: BTreeMap<(String, String), BTreeSet<String>>,
    inside: Inside,
}

impl<'v> Found<'v> {
    fn new(view: &'v View) -> Self {
        let columns = view.schema().fields().iter();
        let columns = columns.filter(|field| is_plain(field));
        Self {
            view,
            columns: columns
                .map(|field| (field.name.clone(), BTreeSet::new()))
                .collect(),
            keys: BTreeMap::new(),
            inside: Inside::default(),
        }
    }

    fn add(&mut self, table: &ResultTable) -> Result<(), Error> {
        let mut json = Vec::new();
        table.write_json_rows(&mut json)?;
        let rows: Vec<Vec<Value>> = serde_json::from_slice(&json)
            .map_err(|error| Error::Internal(format!("an answer is no JSON: {error}")))?;
        for (at, name) in table.names.iter().enumerate() {
            let Some(field) = self.view.schema().field(name) else {
                continue;
            };
            let cells = rows.iter().filter_map(|row| row.get(at));
            if matches!(
                field.column_type.data_type,
                DataType::String | DataType::Json
            ) && !field.column_type.multi_value
            {
                let texts = cells.clone().filter_map(Value::as_str);
                texts.for_each(|text| self.inside.text(name, text));
            }
            if field.column_type.data_type == DataType::OpenStruct {
                cells.for_each(|cell| self.document(field, cell));
            } else if let Some(values) = self.columns.get_mut(name) {
                let class = class(field.column_type.data_type);
                cells.for_each(|cell| keep(values, class, cell));
            }
        }
        Ok(())
    }

    fn document(&mut self, field: &Field, cell: &Value) {
        let document = cell.as_str().map(serde_json::from_str::<Value>);
        if let Some(Ok(document)) = document {
            self.object(field, "", &document, DEPTH);
            self.inside.document(&field.name, &document);
        }
    }

    fn object(&mut self, field: &Field, prefix: &str, value: &Value, depth: usize) {
        for (name, value) in value.as_object().into_iter().flatten() {
            let path = format!("{prefix}{name}");
            let place = (field.name.clone(), path);
            if let Some(class) = self.class_of_key(field, &place)
                && (self.keys.len() < KEYS || self.keys.contains_key(&place))
            {
                keep(self.keys.entry(place.clone()).or_default(), class, value);
            }
            if depth > 0 {
                self.object(field, &format!("{}.", place.1), value, depth - 1);
            }
        }
    }

    fn class_of_key(&self, field: &Field, place: &(String, String)) -> Option<Class> {
        let path = KeyPath::parse(&place.1).ok()?;
        let key_type = self.view.key_type(field, &path).ok()?;
        Some(class(key_type.data_type))
    }

    fn operands(mut self, view: &View) -> Vec<Operand> {
        for field in view.schema().fields() {
            if field.column_type.data_type == DataType::OpenStruct {
                // No row has this one, in all likelihood.
                let absent = (field.name.clone(), "growler.no.such.key".to_owned());
                self.keys.entry(absent).or_default();
            }
        }
        let columns = self.columns.iter().filter_map(|(name, values)| {
            let class = class(view.schema().field(name)?.column_type.data_type);
            Some(operand(
                quoted_name(name),
                class,
                values,
                is_indexed(view, name, None),
            ))
        });
        let keys = self.keys.iter().filter_map(|(place, values)| {
            let class = self.class_of_key(view.schema().field(&place.0)?, place)?;
            let sql = format!("{}[{}]", quoted_name(&place.0), quoted(&place.1));
            Some(operand(
                sql,
                class,
                values,
                is_indexed(view, &place.0, Some(&place.1)),
            ))
        });
        let documents = |column: &str| {
            let indexes = (0..view.segments().len()).filter_map(|idx| view.indexes(idx));
            let mut entries = indexes.flat_map(SegmentIndexes::entries);
            entries.any(|entry| {
                entry.subject.reading == Reading::Json && *entry.subject.column == *column
            })
        };
        let inside = self.inside.operands(documents);
        columns.chain(keys).chain(inside).collect()
    }
}

fn operand(sql: String, class: Class, values: &BTreeSet<String>, is_indexed: bool) -> Operand {
    let mut literals: Vec<String> = values.iter().cloned().collect();
    if literals.is_empty() {
        literals.push(match class {
            Class::Number => "1".to_owned(),
            Class::Text | Class::Other => "'x'".to_owned(),
        });
    }
    Operand {
        sql,
        class,
        literals,
        is_indexed,
    }
}

fn is_plain(field: &Field) -> bool {
    let column_type = field.column_type;
    !column_type.multi_value
        && !matches!(
            column_type.data_type,
            DataType::OpenStruct | DataType::Json | DataType::Map
        )
}

fn is_indexed(view: &View, column: &str, path: Option<&str>) -> bool {
    (0..view.segments().len()).any(|idx| {
        let entries = view
            .indexes(idx)
            .map_or(&[][..], |indexes| indexes.entries());
        entries
            .iter()
            .any(|entry| *entry.subject.column == *column && entry.subject.path.as_deref() == path)
    })
}

fn class(data_type: DataType) -> Class {
    match data_type {
        DataType::Int
        | DataType::Long
        | DataType::Float
        | DataType::Double
        | DataType::BigDecimal { .. } => Class::Number,
        DataType::String | DataType::Json => Class::Text,
        _ => Class::Other,
    }
}

/// Keeps a value, when it can be compared with others of its column or key.
fn keep(values: &mut BTreeSet<String>, class: Class, value: &Value) {
    let literal = match (class, value) {
        (_, Value::Null) => return,
        (Class::Number, Value::Number(number)) => number.to_string(),
        (Class::Number, _) => return,
        (_, Value::String(text)) => quoted(text),
        (Class::Other, Value::Bool(value)) => value.to_string(),
        (_, other) => quoted(&other.to_string()),
    };
    if literal.len() <= LITERAL_LEN_BYTES && values.len() < VALUES {
        values.insert(literal);
    }
}

/// Writes text as a literal.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Writes a name.
pub fn quoted_name(name: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(is_word) && name.starts_with(|c: char| !c.is_ascii_digit()) {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}
