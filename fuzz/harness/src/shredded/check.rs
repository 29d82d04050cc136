//! Documents and keys as arrays, against the rows one by one.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, StringArray, StructArray};
use arrow_schema::DataType as ArrowType;
use growler_base::LeafIdx;
use growler_schema::{DataType, KeyType};
use growler_variant::shred::{
    DocumentReader, KeyColumn, KeyOutput, KeyPlan, KeyReader, Layout, LeafFacts, NonObjectRoot,
};
use growler_variant::{Error, KeyPath};

use super::arrays::{Form, Maker, facts};
use super::cell::{self, Row};
use super::expect::{self, Expected};
use super::shape;
use crate::draw::Draw;
use crate::plain::{Plain, json};

/// Most rows drawn.
const ROWS: usize = 5;
const KEYS: [&str; 9] = ["a", "b", "a.b", "b.c", "a.b.c", "", "é", "c.a", "a.b.c.a"];

pub(crate) fn check(input: &[u8]) {
    let mut draw = Draw::new(input);
    let form = [Form::Offsets, Form::Views, Form::Dictionary][draw.below(3)];
    let layout = Arc::new(shape::layout(&mut draw));
    let mut rows = Vec::new();
    while rows.len() < ROWS && (rows.is_empty() || !draw.is_empty()) {
        rows.push(cell::row(&layout.root, &mut draw));
    }
    let expected = rows
        .iter()
        .map(|row| expect::row(&layout.root, row))
        .collect();
    let whole = Maker { form, kept: None }.column(&layout, &rows);
    let known = facts(&layout, &rows);
    Case {
        form,
        layout,
        rows,
        expected,
        whole,
        known,
    }
    .check();
}

struct Case {
    form: Form,
    layout: Arc<Layout>,
    rows: Vec<Row>,
    expected: Vec<Expected>,
    /// All leaves, as arrays.
    whole: StructArray,
    known: LeafFacts,
}

impl Case {
    fn check(&self) {
        self.documents();
        for key in KEYS {
            let path = KeyPath::parse(key).expect("a short key");
            let plan = Arc::new(KeyPlan::compile(&self.layout, &path));
            for output in outputs(&plan) {
                self.key(&plan, output);
            }
        }
    }

    fn documents(&self) {
        for roots in [NonObjectRoot::Null, NonObjectRoot::Fail] {
            let reader = DocumentReader::new(Arc::clone(&self.layout), roots);
            let pruned = self.column(&reader.leaves(&self.known));
            for column in [&self.whole, &pruned] {
                if let Some(read) = self.settle(reader.read(column), roots) {
                    let expected = |whole: &Plain| whole.is_object().then(|| whole.clone());
                    self.compare(&read, "document", KeyOutput::Json, expected);
                }
            }
        }
    }

    /// Reads a key of all leaves, and of those alone that the plan asks for.
    fn key(&self, plan: &Arc<KeyPlan>, output: KeyOutput) {
        let key = plan.path().text();
        for roots in [NonObjectRoot::Null, NonObjectRoot::Fail] {
            let mut reader = KeyReader::new(Arc::clone(plan), output, roots);
            let whole = reader.read(&self.whole, &LeafFacts::unknown());
            let pruned = self.pruned(&mut reader, plan, output);
            for read in [whole, pruned] {
                if let Some(read) = self.settle(read, roots) {
                    self.compare(&read, key, output, |whole| whole.find(key).cloned());
                }
            }
        }
    }

    /// Reads again as often as residuals turn out to be needed: each time more of them are read.
    fn pruned(
        &self,
        reader: &mut KeyReader,
        plan: &KeyPlan,
        output: KeyOutput,
    ) -> Result<KeyColumn, Error> {
        let mut known = self.known.clone();
        for _ in self.layout.leaves() {
            let column = self.column(&plan.leaves(&known, output));
            match reader.read(&column, &known) {
                Err(Error::NeedsResidual { residuals, .. }) => {
                    known = known.with_residuals(&residuals);
                }
                settled => return settled,
            }
        }
        panic!("residuals are asked for without end");
    }

    fn column(&self, kept: &[LeafIdx]) -> StructArray {
        let (form, kept) = (self.form, Some(kept));
        Maker { form, kept }.column(&self.layout, &self.rows)
    }

    /// Returns what was read; an error must have a row to blame.
    fn settle(&self, read: Result<KeyColumn, Error>, roots: NonObjectRoot) -> Option<KeyColumn> {
        let is_broken = |row: usize| matches!(self.expected[row], Expected::Broken);
        match read {
            Ok(read) => {
                assert_eq!(read.array.len(), self.rows.len());
                let all_objects = !(0..self.rows.len()).any(|row| self.is_non_object(row));
                assert!(
                    roots == NonObjectRoot::Null || all_objects,
                    "no error for a root"
                );
                Some(read)
            }
            Err(Error::Contradiction { row }) => {
                assert!(is_broken(row), "row {row} does not contradict itself");
                None
            }
            Err(Error::NonObjectRoot { row, .. }) => {
                assert_eq!(roots, NonObjectRoot::Fail);
                assert!(
                    is_broken(row) || self.is_non_object(row),
                    "row {row} is an object"
                );
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn is_non_object(&self, row: usize) -> bool {
        let is_object = |whole: &Option<Plain>| whole.as_ref().is_some_and(Plain::is_object);
        matches!(&self.expected[row], Expected::Value(whole) if !is_object(whole))
    }

    fn compare(
        &self,
        read: &KeyColumn,
        what: &str,
        output: KeyOutput,
        find: impl Fn(&Plain) -> Option<Plain>,
    ) {
        let mut broken = 0;
        for (row, expected) in self.expected.iter().enumerate() {
            let held = match expected {
                Expected::Broken => {
                    broken += 1;
                    continue;
                }
                Expected::Null => None,
                Expected::Value(whole) => whole.as_ref().and_then(&find),
            };
            let fits = is_reading(&read.array, row, output, held.as_ref());
            assert!(
                fits,
                "{what} row {row} as {output:?}: {held:?} {:?}",
                read.array
            );
        }
        let counted = read.malformed_rows;
        assert!(
            counted <= broken,
            "{what} as {output:?}: malformed_rows={counted} broken={broken}"
        );
    }
}

fn outputs(plan: &KeyPlan) -> Vec<KeyOutput> {
    let typed = |data_type| {
        KeyOutput::Typed(KeyType {
            data_type,
            typed: true,
        })
    };
    let own = plan.key_type().map(typed);
    let fixed = [DataType::Long, DataType::String, DataType::Boolean].map(typed);
    let forms = [KeyOutput::Json, KeyOutput::Number];
    forms.into_iter().chain(fixed).chain(own).collect()
}

/// Tells whether a cell reads as it should; of outputs not listed here, that it is null if nothing
/// is held.
fn is_reading(array: &ArrayRef, row: usize, output: KeyOutput, held: Option<&Plain>) -> bool {
    let is_null = !array.is_valid(row);
    let Some(held) = held else {
        return is_null;
    };
    match output {
        KeyOutput::Json if *held == Plain::Null => is_null || text(array, row) == "null",
        KeyOutput::Json => !is_null && is_text_of(&text(array, row), held),
        _ if *held == Plain::Null => is_null,
        KeyOutput::Number | KeyOutput::ExactNumber { .. } => is_null != is_number(held),
        KeyOutput::Typed(key) => match key.data_type {
            DataType::Long => {
                let read = (!is_null).then(|| array.as_primitive::<Int64Type>().value(row));
                read == held.to_i64()
            }
            DataType::Boolean => {
                let read = (!is_null).then(|| array.as_boolean().value(row));
                read.map(Plain::Boolean)
                    == Some(held.clone()).filter(|held| matches!(held, Plain::Boolean(_)))
            }
            DataType::String => !is_null && is_plain_text(&text(array, row), held),
            _ => true,
        },
    }
}

fn is_number(held: &Plain) -> bool {
    matches!(
        held,
        Plain::Integer(_) | Plain::Decimal { .. } | Plain::Float(_) | Plain::Double(_)
    )
}

fn is_text_of(text: &str, held: &Plain) -> bool {
    json::parse(text).is_none_or(|said| json::says(&said, held))
}

/// Text as STRING keys have it: what JSON has in quotes stands without them.
fn is_plain_text(text: &str, held: &Plain) -> bool {
    match held {
        Plain::Text(held) => text == held,
        Plain::Bytes(held) => text.len() == held.len().div_ceil(3) * 4,
        Plain::Quoted => !text.is_empty(),
        Plain::Float(value) if !value.is_finite() => {
            matches!(text, "NaN" | "Infinity" | "-Infinity")
        }
        Plain::Double(value) if !value.is_finite() => {
            matches!(text, "NaN" | "Infinity" | "-Infinity")
        }
        held => is_text_of(text, held),
    }
}

fn text(array: &ArrayRef, row: usize) -> String {
    match array.data_type() {
        ArrowType::Utf8View => array.as_string_view().value(row).to_owned(),
        ArrowType::Utf8 => array.as_string::<i32>().value(row).to_owned(),
        ArrowType::Dictionary(..) => {
            let dictionary = array.as_dictionary::<Int32Type>();
            let texts = dictionary.downcast_dict::<StringArray>().expect("text");
            arrow_array::ArrayAccessor::value(&texts, row).to_owned()
        }
        other => panic!("no text: {other}"),
    }
}
