//! A compiled unary predicate.

use std::sync::{Arc, OnceLock};

use arrow_array::{Array, ArrayRef, DictionaryArray, cast::AsArray, types};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_schema::DataType as ArrowType;
use growler_schema::{ColumnType, DataType, Value};

use super::{
    condition::{self, Comparison, Condition, Source},
    entries::Entries,
    spans::Spans,
};
use crate::{
    error::Error,
    expr::{
        convert::{self, decimal::Decimal, value},
        node::internal,
    },
    sql::ast::Literal,
};

/// A predicate over one value: `value OP literals`.
///
/// On a multi-value column it passes when any element does; a negated one (`not_equals`, `not_in`,
/// `not_like`) when none of the elements is equal, in the set, or matched. So an empty list passes
/// only negated ones.
#[derive(Debug, Clone)]
pub struct Test {
    column_type: ColumnType,
    condition: Condition,
    negated: bool,
    entries: Entries,
    /// Found when the first index asks: many literals are many ranges, and there are many segments.
    spans: Arc<OnceLock<Spans>>,
}

impl Test {
    /// Compiles `subject OP literals` for values of a type.
    ///
    /// `name` is the operator's canonical name: `equals not_equals less_than less_than_or_equal
    /// greater_than greater_than_or_equal between in not_in like not_like regexp_like`; `subject`
    /// is the left side's text, for messages.
    ///
    /// Literals are converted to the values' type: text that is a number meets numbers, a number
    /// meets text as text; one that is out of range or has a fraction where whole numbers are
    /// compared gives a constant verdict or a tighter range.
    ///
    /// # Errors
    /// [`Error::Validation`] when a literal cannot be converted to the type, or the pattern is bad.
    pub fn compile(
        name: &str,
        literals: &[Literal],
        column_type: ColumnType,
        subject: &str,
    ) -> Result<Self, Error> {
        if literals.contains(&Literal::Null) {
            let kind = name.to_ascii_uppercase();
            return Err(Error::Validation(format!(
                "Using NULL in {kind} filter is not supported"
            )));
        }
        let shown = shown(name, literals, subject);
        let (comparison, negated, count) = match name {
            "equals" => (Comparison::Any, false, 1..=1),
            "not_equals" => (Comparison::Any, true, 1..=1),
            "in" => (Comparison::Any, false, 1..=usize::MAX),
            "not_in" => (Comparison::Any, true, 1..=usize::MAX),
            "less_than" => (Comparison::Below(false), false, 1..=1),
            "less_than_or_equal" => (Comparison::Below(true), false, 1..=1),
            "greater_than" => (Comparison::Above(false), false, 1..=1),
            "greater_than_or_equal" => (Comparison::Above(true), false, 1..=1),
            "between" => (Comparison::Between, false, 2..=2),
            "like" | "not_like" | "regexp_like" => {
                let condition = condition::pattern(name, literals, &shown)?;
                return Ok(Self::of(column_type, condition, name == "not_like"));
            }
            _ => return Err(Error::Internal(format!("no such predicate: name={name}"))),
        };
        if !count.contains(&literals.len()) {
            return Err(Error::Validation(format!(
                "wrong number of arguments, expression={shown}"
            )));
        }
        let data_type = column_type.data_type;
        let condition = Source {
            comparison,
            literals,
            data_type,
            shown: &shown,
        }
        .compile()?;
        Ok(Self::of(column_type, condition, negated))
    }

    /// Makes the test of a condition, or of its opposite.
    pub(super) fn of(column_type: ColumnType, condition: Condition, negated: bool) -> Self {
        Self {
            column_type,
            condition,
            negated,
            entries: Entries::default(),
            spans: Arc::default(),
        }
    }

    /// Returns the type of the values it tests.
    pub fn column_type(&self) -> ColumnType {
        self.column_type
    }

    /// Returns the verdict when it is the same for every value, null excepted.
    pub fn verdict(&self) -> Option<bool> {
        if self.column_type.multi_value {
            return None;
        }
        match self.condition {
            Condition::Verdict(verdict) => Some(verdict != self.negated),
            _ => None,
        }
    }

    /// Tells whether the test passes where its condition does not.
    pub fn is_negated(&self) -> bool {
        self.negated
    }

    /// Returns the ranges of sorted values that the condition can hold for, its negation left aside;
    /// none for lists.
    pub fn spans(&self) -> Option<&Spans> {
        if self.column_type.multi_value {
            return None;
        }
        let find = || Spans::of_condition(&self.condition, self.column_type);
        Some(self.spans.get_or_init(find))
    }

    /// Tells for every value of a single-value array whether the condition holds, its negation left
    /// aside; null slots are arbitrary.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn holds(&self, array: &ArrayRef) -> Result<BooleanBuffer, Error> {
        self.positive(array)
    }

    /// Evaluates the test for every value; null slots are false.
    ///
    /// A dictionary array is tested once per entry.
    ///
    /// # Errors
    /// [`Error::Internal`] when the array is not of the type the test was compiled for.
    pub fn evaluate(&self, array: &ArrayRef) -> Result<BooleanBuffer, Error> {
        let passes = if self.column_type.multi_value {
            self.any_element(array)?
        } else {
            self.positive(array)?
        };
        let truth = if self.negated { !&passes } else { passes };
        Ok(match array.logical_nulls() {
            Some(nulls) if nulls.null_count() > 0 => &truth & nulls.inner(),
            _ => truth,
        })
    }

    /// Tells whether one value passes (defaults, statistics). A value of another type does not,
    /// save that numbers and timestamps of other scales and units are converted.
    pub fn matches(&self, value: &Value) -> bool {
        self.contains(value).unwrap_or(false) != self.negated
    }

    /// Tells whether a value between two bounds (inclusive, either may be unknown) could pass.
    ///
    /// Floating point bounds are taken as silent about NaN.
    pub fn may_match(&self, min: Option<&Value>, max: Option<&Value>) -> bool {
        if let Some(verdict) = self.verdict() {
            return verdict;
        }
        let (Some(min), Some(max)) = (min, max) else {
            return true;
        };
        if self.column_type.multi_value {
            return self.negated || self.may_contain(min, max).unwrap_or(true);
        }
        if self.negated {
            let silent = matches!(min, Value::Float(_) | Value::Double(_));
            return silent || min != max || self.matches(min);
        }
        self.may_contain(min, max).unwrap_or(true)
    }

    fn may_contain(&self, min: &Value, max: &Value) -> Option<bool> {
        if let Condition::Verdict(verdict) = self.condition {
            return Some(verdict);
        }
        // A timestamp in a finer unit was cut: one more is safe.
        let cut = i64::from(matches!(max, Value::Timestamp(..)));
        Some(
            match (&self.condition, self.align(min)?, self.align(max)?) {
                (Condition::Int(domain), Value::Int(min), Value::Int(max)) => {
                    domain.may_contain(min, max)
                }
                (Condition::Long(domain), Value::Long(min), Value::Long(max)) => {
                    domain.may_contain(min, max.saturating_add(cut))
                }
                (
                    Condition::Decimal(domain),
                    Value::BigDecimal(min, _),
                    Value::BigDecimal(max, _),
                ) => domain.may_contain(min, max),
                (Condition::Double(domain), Value::Double(min), Value::Double(max)) => {
                    domain.may_contain(min, max)
                }
                (Condition::Boolean(passes), Value::Boolean(min), Value::Boolean(max)) => {
                    (passes[0] && !min) || (passes[1] && max)
                }
                (Condition::Text(texts), Value::String(min), Value::String(max)) => {
                    texts.may_contain(min.as_bytes(), max.as_bytes())
                }
                (Condition::Bytes(texts), Value::Bytes(min), Value::Bytes(max)) => {
                    texts.may_contain(&min, &max)
                }
                _ => return None,
            },
        )
    }

    fn contains(&self, value: &Value) -> Option<bool> {
        if let Condition::Verdict(verdict) = self.condition {
            return Some(verdict);
        }
        Some(match (&self.condition, self.align(value)?) {
            (Condition::Int(domain), Value::Int(v)) => domain.contains(v),
            (Condition::Long(domain), Value::Long(v)) => domain.contains(v),
            (Condition::Decimal(domain), Value::BigDecimal(v, _)) => domain.contains(v),
            (Condition::Double(domain), Value::Double(v)) => domain.contains(v),
            (Condition::Boolean(passes), Value::Boolean(v)) => passes[usize::from(v)],
            (Condition::Text(texts), Value::String(v)) => texts.contains(v.as_bytes()),
            (Condition::Bytes(texts), Value::Bytes(v)) => texts.contains(&v),
            (Condition::Text(texts), other) => {
                texts.contains(convert::cast::text_of(&other).as_bytes())
            }
            _ => return None,
        })
    }

    /// Brings a value into the form that the condition holds: timestamps count the column's units,
    /// decimals have the column's scale. None when that is not possible.
    fn align(&self, value: &Value) -> Option<Value> {
        if matches!(self.condition, Condition::Text(_) | Condition::Bytes(_)) {
            return Some(value.clone());
        }
        Some(match (self.column_type.data_type, value) {
            (DataType::Long, Value::Int(v)) => Value::Long(i64::from(*v)),
            (DataType::Timestamp { unit }, Value::Timestamp(count, from)) => {
                Value::Long(value::convert_units(*count, *from, unit)?)
            }
            (DataType::BigDecimal { scale }, Value::BigDecimal(unscaled, from)) => {
                let number = Decimal {
                    unscaled: *unscaled,
                    scale: *from,
                };
                Value::BigDecimal(number.rescale_exact(scale)?, scale)
            }
            (_, Value::Float(v)) => Value::Double(f64::from(*v)),
            (_, other) => other.clone(),
        })
    }

    /// Evaluates the condition without its negation; null slots are arbitrary.
    fn positive(&self, array: &ArrayRef) -> Result<BooleanBuffer, Error> {
        if let Some(dictionary) = array.as_dictionary_opt::<types::Int32Type>() {
            return self.by_entry(array, dictionary);
        }
        let wrong = || wrong_array(array, self.column_type);
        Ok(match &self.condition {
            Condition::Verdict(true) => BooleanBuffer::new_set(array.len()),
            Condition::Verdict(false) => BooleanBuffer::new_unset(array.len()),
            Condition::Int(domain) => {
                let array = array
                    .as_primitive_opt::<types::Int32Type>()
                    .ok_or_else(wrong)?;
                domain.evaluate(array.values(), |v| v)
            }
            Condition::Long(domain) => {
                let long = array
                    .as_primitive_opt::<types::Int64Type>()
                    .map(|a| a.values().as_ref());
                let values = long
                    .or_else(|| value::timestamp_values(array))
                    .ok_or_else(wrong)?;
                domain.evaluate(values, |v| v)
            }
            Condition::Decimal(domain) => {
                let array = array
                    .as_primitive_opt::<types::Decimal128Type>()
                    .ok_or_else(wrong)?;
                domain.evaluate(array.values(), |v| v)
            }
            Condition::Double(domain) => {
                if let Some(array) = array.as_primitive_opt::<types::Float32Type>() {
                    domain.evaluate(array.values(), f64::from)
                } else {
                    let array = array
                        .as_primitive_opt::<types::Float64Type>()
                        .ok_or_else(wrong)?;
                    domain.evaluate(array.values(), |v| v)
                }
            }
            Condition::Boolean(passes) => {
                let values = array.as_boolean_opt().ok_or_else(wrong)?.values();
                match passes {
                    [false, false] => BooleanBuffer::new_unset(values.len()),
                    [false, true] => values.clone(),
                    [true, false] => !values,
                    [true, true] => BooleanBuffer::new_set(values.len()),
                }
            }
            Condition::Text(texts) => match array.as_string_view_opt() {
                Some(array) => texts.evaluate(array),
                None => texts.evaluate(as_text(array, self.column_type)?.as_string_view()),
            },
            Condition::Bytes(texts) => {
                texts.evaluate(array.as_binary_view_opt().ok_or_else(wrong)?)
            }
        })
    }

    /// Tests the entries of a dictionary, unless it is much longer than the array.
    fn by_entry(
        &self,
        array: &ArrayRef,
        dictionary: &DictionaryArray<types::Int32Type>,
    ) -> Result<BooleanBuffer, Error> {
        let values = dictionary.values();
        let entries = match self.entries.get(values) {
            Some(known) => known,
            None if values.len() > array.len().saturating_mul(4) => {
                let plain = arrow_cast::cast(array, &ArrowType::Utf8View);
                return self.positive(&plain.map_err(internal)?);
            }
            None => {
                let entries = self.positive(values)?;
                self.entries.put(values, &entries);
                entries
            }
        };
        let keys = dictionary.keys().values();
        // A null's key is arbitrary and may lie outside the dictionary.
        Ok(BooleanBuffer::collect_bool(keys.len(), |row| {
            usize::try_from(keys[row]).is_ok_and(|key| key < entries.len() && entries.value(key))
        }))
    }

    /// Tells for each list whether any of its elements passes the condition.
    fn any_element(&self, array: &ArrayRef) -> Result<BooleanBuffer, Error> {
        let lists = array
            .as_list_opt::<i32>()
            .ok_or_else(|| wrong_array(array, self.column_type))?;
        let elements = self.positive(lists.values())?;
        let elements = match lists.values().logical_nulls() {
            Some(nulls) => &elements & nulls.inner(),
            None => elements,
        };
        let mut any = BooleanBufferBuilder::new(lists.len());
        for bounds in lists.value_offsets().windows(2) {
            let [start, end] = [bounds[0], bounds[1]].map(|at| usize::try_from(at).unwrap_or(0));
            any.append((start..end).any(|idx| elements.value(idx)));
        }
        Ok(any.finish())
    }
}

/// Returns an array's text form as `Utf8View`.
fn as_text(array: &ArrayRef, column_type: ColumnType) -> Result<ArrayRef, Error> {
    if matches!(array.data_type(), ArrowType::Utf8 | ArrowType::LargeUtf8) {
        let text = arrow_cast::cast(array, &ArrowType::Utf8View);
        return text.map_err(|error| Error::Internal(error.to_string()));
    }
    if array.data_type() != &column_type.data_type.arrow_type() {
        return Err(wrong_array(array, column_type));
    }
    convert::cast(array, column_type.data_type, DataType::String)
        .map_err(|refused| Error::Internal(refused.to_string()))
}

fn wrong_array(array: &ArrayRef, column_type: ColumnType) -> Error {
    Error::Internal(format!(
        "array is not of the tested type: array={} type={}",
        array.data_type(),
        column_type.name(),
    ))
}

/// Returns the text of a predicate, for messages.
fn shown(name: &str, literals: &[Literal], subject: &str) -> String {
    let mut text = format!("{name}({subject}");
    for literal in literals.iter().take(8) {
        text.push_str(&format!(",'{}'", condition::text_of(literal)));
    }
    if literals.len() > 8 {
        text.push_str(",..");
    }
    text.push(')');
    text
}
