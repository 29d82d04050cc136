//! Everything that can be asked of a file of indexes.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::{Bound, Range};

use growler_base::{ErrorKind, limits};
use growler_index::{Error, RowSet, SegmentIndexes, ValueIndex, identity::hash};
use growler_schema::{DataType, Value};

/// Answers by question; what was answered by an error is not there.
pub(super) type Answers = BTreeMap<String, String>;

/// Rows of a segment that are looked at one by one.
const LISTED_ROWS: u32 = 1 << 20;
/// Most values, ranks and batches that are asked for one by one.
const TRIED: u32 = 12;

pub(super) fn ask(indexes: &SegmentIndexes) -> Answers {
    let mut asking = Asking {
        answers: Answers::new(),
        row_count: indexes.row_count(),
        subject: String::new(),
    };
    let mut last = None;
    for entry in indexes.entries() {
        if last.replace(&entry.subject) != Some(&entry.subject) {
            let index = indexes.of_subject(&entry.subject);
            asking.subject = entry.subject.to_string();
            asking.index(&index.expect("an entry's subject has an index"));
        }
    }
    for remainder in indexes.remainders() {
        let found = indexes.remainder(&remainder.column);
        assert!(found.is_some(), "{remainder:?}");
    }
    indexes.verify().iter().for_each(check_error);
    asking.answers
}

struct Asking {
    answers: Answers,
    row_count: u32,
    subject: String,
}

impl Asking {
    fn index(&mut self, index: &ValueIndex<'_>) {
        self.note("type", Ok(index.data_type()));
        self.note_rows("nulls", index.nulls());
        self.note_rows("others", index.others().map(Option::unwrap_or_default));
        let values = values(index.data_type());
        self.dictionary(index, &values);
        for value in &values {
            // The filter may only say no when it is sound; asked later it says yes to all.
            let may = index.may_contain(value);
            if !may {
                self.note(&format!("bloom {value:?}"), Ok(may));
            }
        }
        for (lower, upper) in bounds(&values) {
            let rows = index.range_rows(lower, upper);
            if let Some(rows) = rows.transpose() {
                self.note_rows(&format!("range {lower:?} {upper:?}"), rows);
            }
        }
    }

    fn dictionary(&mut self, index: &ValueIndex<'_>, values: &[Value]) {
        let dictionary = match index.dictionary() {
            Ok(Some(dictionary)) => dictionary,
            Ok(None) => return,
            Err(error) => return check_error(&error),
        };
        let len = dictionary.len();
        for start in (0..len).step_by(1024).take(TRIED as usize) {
            let end = len.min(start + limits::INDEX_DICTIONARY_BATCH.min(1024));
            self.note(&format!("values {start}"), dictionary.values(start..end));
            self.note(&format!("value {start}"), dictionary.value(start));
            self.postings(index, start..end);
        }
        self.note("min", dictionary.min());
        self.note("max", dictionary.max());
        for (lower, upper) in bounds(values) {
            let ranks = dictionary.rank_range(lower, upper);
            assert!(ranks.as_ref().map_or(true, |ranks| ranks.end <= len));
            self.note(&format!("ranks {lower:?} {upper:?}"), ranks);
        }
        if index.data_type().is_text() || index.data_type() == DataType::Bytes {
            for prefix in ["", "v", "v1", "\u{10ffff}"] {
                let ranks = dictionary.prefix_ranks(prefix.as_bytes());
                self.note(&format!("prefix {prefix:?}"), ranks);
            }
        }
        self.postings(index, 0..len);
        self.postings(index, 0..len / 2);
    }

    fn postings(&mut self, index: &ValueIndex<'_>, ranks: Range<u32>) {
        let apart = [ranks.start..ranks.start, ranks.clone()];
        self.note(&format!("count {ranks:?}"), index.count(&apart));
        self.note(&format!("counts {ranks:?}"), index.counts(ranks.clone()));
        self.note_rows(&format!("rows {ranks:?}"), index.rows(&apart));
        for rank in ranks.take(TRIED as usize) {
            let one = rank..rank + 1;
            self.note_rows(
                &format!("rows of {rank}"),
                index.rows(std::slice::from_ref(&one)),
            );
        }
    }

    fn note_rows(&mut self, question: &str, rows: Result<RowSet, Error>) {
        if let Ok(rows) = &rows {
            let last = rows.last();
            assert!(last.is_none_or(|last| last < self.row_count), "{question}");
        }
        // Of a segment that says to be huge only the number of rows is compared.
        let all = 0..self.row_count.min(LISTED_ROWS);
        let digest = rows.map(|rows| {
            let bits = rows.fill(all.clone());
            (
                rows.len(),
                bits.count_set_bits(),
                hash(bits.sliced().as_slice()),
            )
        });
        self.note(question, digest);
    }

    fn note<T: Debug>(&mut self, question: &str, answer: Result<T, Error>) {
        match answer {
            Ok(answer) => {
                let question = format!("{} {question}", self.subject);
                self.answers.insert(question, format!("{answer:?}"));
            }
            Err(error) => check_error(&error),
        }
    }
}

/// An index is damaged, or was found damaged before, or is none that the file has.
fn check_error(error: &Error) {
    let is_fitting = matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::NotFound);
    assert!(is_fitting, "{:?}: {error}", error.kind());
}

/// Pairs of bounds of each kind.
fn bounds(values: &[Value]) -> Vec<(Bound<&Value>, Bound<&Value>)> {
    let mut bounds = vec![(Bound::Unbounded, Bound::Unbounded)];
    for (value, next) in values.iter().zip(values.iter().skip(1)) {
        bounds.push((Bound::Included(value), Bound::Included(value)));
        bounds.push((Bound::Excluded(value), Bound::Included(next)));
        bounds.push((Bound::Unbounded, Bound::Excluded(next)));
        bounds.push((Bound::Included(next), Bound::Unbounded));
    }
    bounds
}

/// A few values of a type, ascending.
fn values(data_type: DataType) -> Vec<Value> {
    let numbers = [i32::MIN, -3, 0, 40, 1000];
    let numbers = numbers.iter();
    match data_type {
        DataType::Int => numbers.map(|n| Value::Int(*n)).collect(),
        DataType::Long => numbers.map(|n| Value::Long(i64::from(*n))).collect(),
        DataType::Float => [-0.5, 0.0, 1.0, f32::NAN].map(Value::Float).to_vec(),
        DataType::Double => [f64::NEG_INFINITY, -0.0, 0.5, 40.0]
            .map(Value::Double)
            .to_vec(),
        DataType::BigDecimal { scale } => numbers
            .map(|n| Value::BigDecimal(i128::from(*n), scale))
            .collect(),
        DataType::Boolean => [false, true].map(Value::Boolean).to_vec(),
        DataType::Timestamp { unit } => numbers
            .map(|n| Value::Timestamp(i64::from(*n), unit))
            .collect(),
        DataType::Bytes => ["", "v1", "v4"]
            .map(|text| Value::Bytes(text.into()))
            .to_vec(),
        _ => ["", "v1", "v17", "v4"]
            .map(|text| Value::String(text.into()))
            .to_vec(),
    }
}
