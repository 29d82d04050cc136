//! Files that a query leaves closed, by what manifests say of them.

use std::ops::Bound;
use std::sync::Arc;

use growler_base::FieldId;
use growler_catalog::metadata::PrimitiveType;
use growler_catalog::prune::{Comparison, Predicate, Test, VariantPath};
use growler_catalog::{Datum, FileIndex, IcebergTable, Plan};
use growler_exec::prune::{Question, Subject};
use growler_exec::table::FilePruner;
use growler_schema::{DataType, TimeUnit, Value};
use growler_segment::{KeyOutput, KeyPath};
use roaring::RoaringBitmap;

/// Partitions, bounds and counts of the files of a plan, asked by field id.
#[derive(Debug)]
pub struct SnapshotPruner {
    index: FileIndex,
}

impl SnapshotPruner {
    /// Makes the pruner of a plan; the files of the view are those of the plan, in its order.
    pub fn new(table: IcebergTable, plan: Arc<Plan>) -> Self {
        Self {
            index: FileIndex::new(table, plan),
        }
    }

    fn predicate(&self, question: &Question) -> Predicate {
        let all = |parts: &[Question]| parts.iter().map(|part| self.predicate(part)).collect();
        match question {
            Question::Anything => Predicate::Always,
            Question::All(parts) => Predicate::And(all(parts)),
            Question::Any(parts) => Predicate::Or(all(parts)),
            Question::Within(subject, spans) => match self.asked(subject) {
                None => Predicate::Always,
                Some(asked) => Predicate::Or(
                    spans
                        .iter()
                        .map(|(low, high)| asked.within(low, high))
                        .collect(),
                ),
            },
            Question::NoneOf(subject, values) => match self.asked(subject) {
                None => Predicate::Always,
                Some(asked) => asked.none_of(values),
            },
            Question::Null(subject) => self.test(subject, Test::IsNull),
            Question::NotNull(subject) => self.test(subject, Test::IsNotNull),
        }
    }

    fn test(&self, subject: &Subject, test: Test) -> Predicate {
        match self.asked(subject) {
            None => Predicate::Always,
            Some(asked) => asked.place.test(test),
        }
    }

    fn asked(&self, subject: &Subject) -> Option<Asked> {
        match subject {
            Subject::Column(field) => {
                let id = field.field_id?;
                let column = self.index.plan().schema.flat_field(id)?;
                Some(Asked {
                    place: Place::Column(id),
                    primitive: Some(column.field_type.primitive()?.clone()),
                    data_type: field.column_type.data_type,
                })
            }
            Subject::Key(field, path, output) => {
                let data_type = match output {
                    KeyOutput::Typed(key_type) => key_type.data_type,
                    // Of texts that are numbers, bounds say nothing that numbers have.
                    KeyOutput::Number | KeyOutput::ExactNumber { .. } | KeyOutput::Json => {
                        return None;
                    }
                };
                // A double may be nearer to a float than the float that is read.
                (data_type != DataType::Float).then_some(())?;
                Some(Asked {
                    place: Place::Key(field.field_id?, paths(path)?),
                    primitive: None,
                    data_type,
                })
            }
        }
    }
}

impl FilePruner for SnapshotPruner {
    fn matching(&self, question: &Question) -> Option<RoaringBitmap> {
        match self.predicate(question) {
            Predicate::Always => None,
            predicate => Some(self.index.matching(&predicate)),
        }
    }
}

fn paths(path: &KeyPath) -> Option<Vec<VariantPath>> {
    VariantPath::of_dotted(path.text())
}

/// Where the values are that a question is about.
enum Place {
    Column(FieldId),
    Key(FieldId, Vec<VariantPath>),
}

impl Place {
    fn test(&self, test: Test) -> Predicate {
        match self {
            Self::Column(id) => Predicate::Field { id: *id, test },
            Self::Key(id, paths) => Predicate::Variant {
                id: *id,
                paths: paths.clone(),
                test,
            },
        }
    }
}

/// What a question is about, and how its values are written in the table.
struct Asked {
    place: Place,
    /// Type of a column in the table; a key has any.
    primitive: Option<PrimitiveType>,
    /// Type in queries.
    data_type: DataType,
}

impl Asked {
    fn within(&self, low: &Bound<Value>, high: &Bound<Value>) -> Predicate {
        if let (Bound::Included(a), Bound::Included(b)) = (low, high)
            && a == b
            && self.is_plain()
            && let Some(datum) = self.datum(a)
        {
            return self.place.test(Test::Compare(Comparison::Eq, datum));
        }
        let low = self.low(low);
        let high = self.high(high);
        let tests: Vec<Predicate> = low
            .into_iter()
            .chain(high)
            .map(|test| self.place.test(test))
            .collect();
        match tests.is_empty() {
            true => self.place.test(Test::IsNotNull),
            false => Predicate::And(tests),
        }
    }

    fn low(&self, bound: &Bound<Value>) -> Option<Test> {
        let (value, comparison) = match bound {
            Bound::Unbounded => return None,
            Bound::Included(value) => (value, Comparison::GtEq),
            Bound::Excluded(value) => (value, Comparison::Gt),
        };
        let value = match value {
            Value::Double(value) if !self.is_plain() => Value::Double(value.next_down()),
            Value::Float(value) if *value == 0.0 => Value::Float(-0.0),
            other => other.clone(),
        };
        Some(Test::Compare(comparison, self.datum(&value)?))
    }

    fn high(&self, bound: &Bound<Value>) -> Option<Test> {
        let (value, comparison) = match bound {
            Bound::Unbounded => return None,
            Bound::Included(value) => (value, Comparison::LtEq),
            Bound::Excluded(value) => (value, Comparison::Lt),
        };
        let (value, comparison) = match value {
            Value::Double(value) if !self.is_plain() => {
                (Value::Double(value.next_up()), Comparison::LtEq)
            }
            // A finer time of the file was cut to this one.
            Value::Timestamp(count, unit) if !self.is_plain() => (
                Value::Timestamp(count.checked_add(1)?, *unit),
                Comparison::LtEq,
            ),
            other => (other.clone(), comparison),
        };
        Some(Test::Compare(comparison, self.datum(&value)?))
    }

    fn none_of(&self, values: &[Value]) -> Predicate {
        let data: Option<Vec<Datum>> = values.iter().map(|value| self.datum(value)).collect();
        match data.filter(|_| self.is_plain()) {
            Some(data) => self.place.test(Test::NotIn(data)),
            None => self.place.test(Test::IsNotNull),
        }
    }

    /// Tells whether two values of the table are never one in queries.
    fn is_plain(&self) -> bool {
        match (&self.primitive, self.data_type) {
            (Some(primitive), DataType::Timestamp { unit }) => {
                use PrimitiveType as P;
                let own = match primitive {
                    P::TimestampNs | P::TimestampTzNs => TimeUnit::Nanos,
                    _ => TimeUnit::Micros,
                };
                unit >= own
            }
            (Some(primitive), data_type) => {
                use PrimitiveType as P;
                // Floats have two zeros.
                !matches!(primitive, P::Float | P::Double) && is_exact(primitive, data_type)
            }
            (None, data_type) => !matches!(
                data_type,
                DataType::Double | DataType::Float | DataType::Timestamp { .. }
            ),
        }
    }

    /// Returns a value of a query as the table has it; none when it has no such value, which then
    /// says nothing.
    fn datum(&self, value: &Value) -> Option<Datum> {
        if self.primitive == Some(PrimitiveType::Uuid) && self.data_type != DataType::Uuid {
            return self.uuid_of_text(value);
        }
        let exact = self
            .primitive
            .as_ref()
            .and_then(|primitive| Datum::from_value(value, primitive));
        exact.or_else(|| Datum::from_engine(value))
    }

    /// Returns the UUID that a text is. Texts are compared by their bytes, which is the order of the
    /// UUIDs for texts as the engine writes them only: others, such as capitals, are no UUID's.
    fn uuid_of_text(&self, value: &Value) -> Option<Datum> {
        (self.data_type == DataType::String).then_some(())?;
        let uuid = Datum::from_value(value, &PrimitiveType::Uuid)?;
        (uuid.to_value().as_ref() == Some(value)).then_some(uuid)
    }
}

/// Tells whether values of a column are read as they are.
fn is_exact(primitive: &PrimitiveType, data_type: DataType) -> bool {
    use PrimitiveType as P;
    match primitive {
        P::Boolean => data_type == DataType::Boolean,
        P::Int | P::Long | P::Date | P::Time => {
            matches!(data_type, DataType::Int | DataType::Long)
        }
        P::Decimal { scale, .. } => {
            matches!(data_type, DataType::BigDecimal { scale: own } if u32::try_from(own) == Ok(*scale))
        }
        P::String => data_type.is_text(),
        P::Uuid => data_type == DataType::Uuid,
        P::Fixed(_) | P::Binary => data_type == DataType::Bytes,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_uuids_as_they_are_written_only() {
        let asked = |data_type| Asked {
            place: Place::Column(FieldId(1)),
            primitive: Some(PrimitiveType::Uuid),
            data_type,
        };
        let found = |data_type, text: &str| {
            let value = Value::String(text.to_owned());
            asked(data_type).datum(&value).is_some()
        };
        let text = "f79c3e09-677c-4bbd-a479-3f349cb785e7";
        let table = [
            (DataType::String, text, true),
            (DataType::String, &text.to_uppercase(), false),
            (DataType::String, &text.replace('-', ""), false),
            (DataType::String, "f7", false),
            (DataType::Json, text, false),
            (DataType::Uuid, &text.to_uppercase(), true),
        ];
        for (data_type, text, expected) in table {
            assert_eq!(found(data_type, text), expected, "{data_type:?} {text}");
        }
        let capitals = Bound::Included(Value::String(text.to_uppercase()));
        let place = asked(DataType::String).place.test(Test::IsNotNull);
        let within = asked(DataType::String).within(&capitals, &Bound::Unbounded);
        assert_eq!(format!("{within:?}"), format!("{place:?}"));
    }
}
