//! A small table in memory, and helpers that evaluate SQL text over it.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, DictionaryArray, Float32Array,
    Float64Array, Int32Array, Int64Array, ListArray, StringArray, StringViewArray,
    TimestampMicrosecondArray, TimestampMillisecondArray,
    builder::{ListBuilder, StringViewBuilder},
    types::{Int32Type, Int64Type},
};
use arrow_cast::display::array_value_to_string;
use growler_exec::Error;
use growler_exec::expr::{CompileOptions, Compiled, Input, InputBatch, Inputs, KeyView, compile};
use growler_exec::sql::ast::{Expr, SelectItem};
use growler_exec::sql::parse;
use growler_schema::{ColumnType, DataType, TimeUnit, Value};

/// 2025-09-23 17:38:12.345.
pub const NOW_MS: i64 = 1_758_649_092_345;

/// Columns by name and VARIANT keys by name and view.
#[derive(Default)]
pub struct Table {
    columns: BTreeMap<String, (ColumnType, ArrayRef)>,
    slots: Vec<String>,
}

impl Table {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a column; a VARIANT key is called `props.key/Own`, `props.key/Number`, ..
    pub fn with(mut self, name: &str, column_type: ColumnType, array: ArrayRef) -> Self {
        assert_eq!(
            array.len(),
            self.row_count().unwrap_or(array.len()),
            "{name}"
        );
        self.columns.insert(name.to_owned(), (column_type, array));
        self
    }

    pub fn ints(self, name: &str, values: Vec<Option<i32>>) -> Self {
        self.with(
            name,
            DataType::Int.single(),
            Arc::new(Int32Array::from(values)),
        )
    }

    pub fn longs(self, name: &str, values: Vec<Option<i64>>) -> Self {
        self.with(
            name,
            DataType::Long.single(),
            Arc::new(Int64Array::from(values)),
        )
    }

    pub fn doubles(self, name: &str, values: Vec<Option<f64>>) -> Self {
        self.with(
            name,
            DataType::Double.single(),
            Arc::new(Float64Array::from(values)),
        )
    }

    pub fn texts(self, name: &str, values: Vec<Option<&str>>) -> Self {
        self.with(
            name,
            DataType::String.single(),
            Arc::new(StringViewArray::from(values)),
        )
    }

    pub fn booleans(self, name: &str, values: Vec<Option<bool>>) -> Self {
        self.with(
            name,
            DataType::Boolean.single(),
            Arc::new(BooleanArray::from(values)),
        )
    }

    fn row_count(&self) -> Option<usize> {
        self.columns.values().next().map(|(_, array)| array.len())
    }

    fn find(&mut self, name: &str) -> Option<Input> {
        let column_type = self.columns.get(name)?.0;
        let slot = self
            .slots
            .iter()
            .position(|have| have == name)
            .unwrap_or_else(|| {
                self.slots.push(name.to_owned());
                self.slots.len() - 1
            });
        let default_null = Value::default_null(column_type.data_type);
        Some(Input {
            slot,
            column_type,
            default_null,
        })
    }

    /// Names of the slots that were asked for.
    pub fn slots(&self) -> &[String] {
        &self.slots
    }

    pub fn batch(&self) -> InputBatch {
        let columns = self
            .slots
            .iter()
            .map(|name| Arc::clone(&self.columns[name].1))
            .collect();
        InputBatch {
            columns,
            row_count: self.row_count().unwrap_or(1),
        }
    }

    pub fn compile(&mut self, sql: &str, null_handling: bool) -> Result<Compiled, Error> {
        let options = CompileOptions {
            null_handling,
            now_ms: NOW_MS,
        };
        compile(&expr(sql)?, self, &options)
    }

    /// Evaluates a call, with null handling on.
    pub fn call(&mut self, name: &str, args: Vec<Expr>) -> Result<Vec<String>, Error> {
        let call = Expr::Call {
            name: name.to_owned(),
            args,
        };
        let compiled = compile(
            &call,
            self,
            &CompileOptions {
                null_handling: true,
                now_ms: 0,
            },
        )?;
        let array = compiled.evaluate(&self.batch())?;
        Ok((0..array.len()).map(|row| cell(&array, row)).collect())
    }

    /// Evaluates an expression; one text a row, `NULL` for null.
    pub fn rows(&mut self, sql: &str, null_handling: bool) -> Result<Vec<String>, Error> {
        let compiled = self.compile(sql, null_handling)?;
        let array = compiled.evaluate(&self.batch())?;
        assert_eq!(array.len(), self.row_count().unwrap_or(1), "{sql}");
        if compiled.bare_slot().is_none() {
            assert_eq!(
                array.data_type(),
                &compiled.column_type().arrow_type(),
                "{sql}"
            );
        }
        if !null_handling && !compiled.column_type().multi_value && compiled.constant().is_none() {
            assert_eq!(array.logical_null_count(), 0, "{sql}");
        }
        Ok((0..array.len()).map(|row| cell(&array, row)).collect())
    }
}

fn cell(array: &ArrayRef, row: usize) -> String {
    if array
        .logical_nulls()
        .is_some_and(|nulls| nulls.is_null(row))
    {
        return "NULL".to_owned();
    }
    array_value_to_string(array, row).unwrap()
}

impl Inputs for Table {
    fn column(&mut self, name: &str) -> Result<Input, Error> {
        self.find(name)
            .ok_or_else(|| Error::UnknownColumn(name.to_owned()))
    }

    fn item(&mut self, column: &str, key: &str, view: KeyView) -> Result<Input, Error> {
        match self.columns.get(column) {
            None => return Err(Error::UnknownColumn(column.to_owned())),
            Some((column_type, _)) if column_type.data_type != DataType::OpenStruct => {
                return Err(Error::Validation(format!(
                    "Column: {column} must be a MAP or OPEN_STRUCT column"
                )));
            }
            Some(_) => {}
        }
        let wanted = format!("{column}.{key}/{view:?}");
        match self.find(&wanted) {
            Some(input) => Ok(input),
            // Other views of a typed key are the key's own type.
            None => self
                .find(&format!("{column}.{key}/Own"))
                .ok_or_else(|| Error::Internal(format!("no such key in the test: {wanted}"))),
        }
    }
}

/// Parses one expression.
pub fn expr(sql: &str) -> Result<Expr, Error> {
    let query = parse(&format!("SELECT {sql} FROM t"))?;
    match query.select.into_iter().next() {
        Some(SelectItem::Expr { expr, .. }) => Ok(expr),
        _ => Err(Error::Internal("not one expression".to_owned())),
    }
}

/// A table of one row with a column of every type.
pub fn one_row() -> Table {
    let decimal = Decimal128Array::from(vec![12_345])
        .with_precision_and_scale(38, 2)
        .unwrap();
    let dictionary: DictionaryArray<Int32Type> = DictionaryArray::new(
        Int32Array::from(vec![1]),
        Arc::new(StringArray::from(vec!["x", "Wörd"])),
    );
    let longs =
        ListArray::from_iter_primitive::<Int64Type, _, _>([Some([3, 1, 2, 1].map(Some).to_vec())]);
    let mut words = ListBuilder::new(StringViewBuilder::new());
    words.append_value([Some("b"), Some("a"), Some("b")]);
    let millis = DataType::Timestamp {
        unit: TimeUnit::Millis,
    };
    let micros = DataType::Timestamp {
        unit: TimeUnit::Micros,
    };
    Table::new()
        .ints("i", vec![Some(7)])
        .longs("l", vec![Some(9_007_199_254_740_993)])
        .with(
            "f",
            DataType::Float.single(),
            Arc::new(Float32Array::from(vec![0.1])),
        )
        .doubles("d", vec![Some(2.5)])
        .with(
            "dec",
            DataType::BigDecimal { scale: 2 }.single(),
            Arc::new(decimal),
        )
        .booleans("b", vec![Some(true)])
        .texts("s", vec![Some("Hello World")])
        .texts("n", vec![Some("42")])
        .with("dict", DataType::String.single(), Arc::new(dictionary))
        .with(
            "bin",
            DataType::Bytes.single(),
            Arc::new(BinaryViewArray::from(vec![&[1u8, 0xab][..]])),
        )
        .with(
            "ts",
            millis.single(),
            Arc::new(TimestampMillisecondArray::from(vec![NOW_MS])),
        )
        .with(
            "us",
            micros.single(),
            Arc::new(TimestampMicrosecondArray::from(vec![NOW_MS * 1_000 + 678])),
        )
        .with("longs", DataType::Long.multi(), Arc::new(longs))
        .with("words", DataType::String.multi(), Arc::new(words.finish()))
}

/// Checks values of expressions over [`one_row`], in both null modes: nothing in it is null.
pub fn check_one(cases: &[(&str, &str)]) {
    for (sql, expected) in cases {
        for null_handling in [false, true] {
            let rows = one_row().rows(sql, null_handling);
            assert_eq!(
                rows.as_deref(),
                Ok(&[(*expected).to_owned()][..]),
                "{sql} {null_handling}"
            );
        }
    }
}

/// Checks the rows of expressions over a table, with null handling on or off.
pub fn check_rows<const ROWS: usize>(
    table: impl Fn() -> Table,
    null_handling: bool,
    cases: &[(&str, [&str; ROWS])],
) {
    for (sql, expected) in cases {
        assert_eq!(
            table().rows(sql, null_handling).as_deref(),
            Ok(&expected.map(String::from)[..]),
            "{sql}"
        );
    }
}

/// Checks the type of expressions over [`one_row`].
pub fn check_types(cases: &[(&str, &str)]) {
    for (sql, expected) in cases {
        let compiled = one_row().compile(sql, true).unwrap();
        assert_eq!(compiled.column_type().name(), *expected, "{sql}");
    }
}

/// Checks that expressions over [`one_row`] are refused, while compiling or while running.
pub fn check_errors(cases: &[(&str, u16, &str)]) {
    for (sql, code, expected) in cases {
        let error = one_row().rows(sql, true).expect_err(sql);
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            (*code, *expected),
            "{sql}"
        );
    }
}
