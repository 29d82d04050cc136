//! Every Parquet type of the mapping, read as its column type and as others it converts to.

use anyhow::Result;
use arrow_cast::display::array_value_to_string;
use growler_base::ErrorKind;
use growler_schema::{DataType, Field, TimeUnit};
use growler_segment::Segment;
use parquet::file::properties::WriterProperties;

use crate::reading::{column_texts, field, open, read};
use crate::writing::{Column, write};

fn fixed(values: &[&[u8]]) -> Column {
    Column::Fixed(
        values
            .iter()
            .map(|value| Some(value.to_vec()))
            .chain([None])
            .collect(),
    )
}

fn bytes(values: &[&[u8]]) -> Column {
    Column::Bytes(
        values
            .iter()
            .map(|value| Some(value.to_vec()))
            .chain([None])
            .collect(),
    )
}

fn ints(values: [i32; 2]) -> Column {
    Column::Int32(vec![Some(values[0]), Some(values[1]), None])
}

fn longs(values: [i64; 2]) -> Column {
    Column::Int64(vec![Some(values[0]), Some(values[1]), None])
}

/// Type in the file, values, name of the column type, values as they read.
type Case = (&'static str, Column, &'static str, [&'static str; 2]);

fn cases() -> Vec<Case> {
    let uuid = [0xF0; 16];
    let mut wide = [0xFF; 16];
    wide[15] = 0x85;
    vec![
        (
            "boolean c",
            Column::Bool(vec![Some(true), Some(false), None]),
            "BOOLEAN",
            ["true", "false"],
        ),
        (
            "int32 c (INTEGER(8,true))",
            ints([-128, 127]),
            "INT",
            ["-128", "127"],
        ),
        (
            "int32 c (INTEGER(16,true))",
            ints([-32768, 5]),
            "INT",
            ["-32768", "5"],
        ),
        (
            "int32 c",
            ints([i32::MIN, i32::MAX]),
            "INT",
            ["-2147483648", "2147483647"],
        ),
        (
            "int32 c (INTEGER(8,false))",
            ints([255, 0]),
            "INT",
            ["255", "0"],
        ),
        ("int32 c (UINT_16)", ints([65535, 0]), "INT", ["65535", "0"]),
        (
            "int32 c (INTEGER(32,false))",
            ints([-1, 1]),
            "LONG",
            ["4294967295", "1"],
        ),
        (
            "int64 c (INTEGER(64,false))",
            longs([-1, 1]),
            "BIG_DECIMAL",
            ["18446744073709551615", "1"],
        ),
        (
            "int64 c",
            longs([i64::MIN, 7]),
            "LONG",
            ["-9223372036854775808", "7"],
        ),
        (
            "float c",
            Column::Float(vec![Some(1.5), Some(-0.0), None]),
            "FLOAT",
            ["1.5", "-0.0"],
        ),
        (
            "double c",
            Column::Double(vec![Some(1e300), Some(0.1), None]),
            "DOUBLE",
            ["1e300", "0.1"],
        ),
        (
            "fixed_len_byte_array(2) c (FLOAT16)",
            fixed(&[&[0x00, 0x3E], &[0x00, 0xC0]]),
            "FLOAT",
            ["1.5", "-2.0"],
        ),
        (
            "int32 c (DECIMAL(9,2))",
            ints([-12345, 1]),
            "BIG_DECIMAL",
            ["-123.45", "0.01"],
        ),
        (
            "int64 c (DECIMAL(18,4))",
            longs([10_000, -1]),
            "BIG_DECIMAL",
            ["1.0000", "-0.0001"],
        ),
        (
            "fixed_len_byte_array(16) c (DECIMAL(38,2))",
            fixed(&[&wide, &[0; 16]]),
            "BIG_DECIMAL",
            ["-1.23", "0.00"],
        ),
        (
            "binary c (DECIMAL(20,3))",
            bytes(&[&[0x03, 0xE8], &[0xFF]]),
            "BIG_DECIMAL",
            ["1.000", "-0.001"],
        ),
        (
            "fixed_len_byte_array(20) c (DECIMAL(38,0))",
            fixed(&[&[0; 20], &[0xFF; 20]]),
            "BIG_DECIMAL",
            ["0", "-1"],
        ),
        (
            "int32 c (DATE)",
            ints([20_000, -1]),
            "LONG",
            ["20000", "-1"],
        ),
        (
            "int32 c (TIME(MILLIS,false))",
            ints([86_399_999, 0]),
            "INT",
            ["86399999", "0"],
        ),
        (
            "int64 c (TIME(MICROS,true))",
            longs([1, 2]),
            "LONG",
            ["1", "2"],
        ),
        (
            "int64 c (TIME(NANOS,false))",
            longs([1, 2]),
            "LONG",
            ["1", "2"],
        ),
        (
            "int64 c (TIMESTAMP(MILLIS,true))",
            longs([1_500, -1]),
            "TIMESTAMP",
            ["1970-01-01T00:00:01.500", "1969-12-31T23:59:59.999"],
        ),
        (
            "int64 c (TIMESTAMP(MICROS,false))",
            longs([1, 1_000_000]),
            "TIMESTAMP",
            ["1970-01-01T00:00:00.000001", "1970-01-01T00:00:01"],
        ),
        (
            "int64 c (TIMESTAMP(NANOS,true))",
            longs([1, 0]),
            "TIMESTAMP",
            ["1970-01-01T00:00:00.000000001", "1970-01-01T00:00:00"],
        ),
        (
            "int96 c",
            Column::Int96(vec![
                Some([1_000, 0, 2_440_589]),
                Some([0, 0, 5_373_484]),
                None,
            ]),
            "TIMESTAMP",
            ["1970-01-02T00:00:00.000001", "9999-12-31T00:00:00"],
        ),
        (
            "binary c (STRING)",
            bytes(&["käse".as_bytes(), b""]),
            "STRING",
            ["käse", ""],
        ),
        (
            "binary c (ENUM)",
            bytes(&[b"RED", b"BLUE"]),
            "STRING",
            ["RED", "BLUE"],
        ),
        (
            "binary c (JSON)",
            bytes(&[b"{\"a\":1}", b"[]"]),
            "JSON",
            ["{\"a\":1}", "[]"],
        ),
        (
            "binary c (BSON)",
            bytes(&[&[1, 2], &[0xFF]]),
            "BYTES",
            ["0102", "ff"],
        ),
        (
            "binary c",
            bytes(&[&[0xC0, 0xFF], b"a"]),
            "BYTES",
            ["c0ff", "61"],
        ),
        (
            "fixed_len_byte_array(3) c",
            fixed(&[b"abc", &[0, 1, 2]]),
            "BYTES",
            ["616263", "000102"],
        ),
        (
            "fixed_len_byte_array(12) c (INTERVAL)",
            fixed(&[&[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0], &[0; 12]]),
            "BYTES",
            ["010000000200000003000000", "000000000000000000000000"],
        ),
        (
            "fixed_len_byte_array(16) c (UUID)",
            fixed(&[&uuid, &[0x01; 16]]),
            "UUID",
            [
                "f0f0f0f0-f0f0-f0f0-f0f0-f0f0f0f0f0f0",
                "01010101-0101-0101-0101-010101010101",
            ],
        ),
    ]
}

fn values(segment: &Segment, field: &Field) -> Result<Vec<Option<String>>> {
    let source = segment.bind_column(field)?;
    let batches = read(segment, &[source], 2)?;
    let mut values = Vec::new();
    for array in batches.iter().map(|columns| &columns[0]) {
        let expected = field.column_type.arrow_type();
        let is_dictionary = matches!(array.data_type(), arrow_schema::DataType::Dictionary(..));
        assert!(
            is_dictionary || *array.data_type() == expected,
            "{}",
            array.data_type()
        );
        for row in 0..array.len() {
            let shown = || array_value_to_string(array, row);
            values.push(if array.is_null(row) {
                None
            } else {
                Some(shown()?)
            });
        }
    }
    Ok(values)
}

#[test]
fn every_type_reads_as_its_column_type() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for dictionary in [true, false] {
        for (idx, (file_type, column, name, expected)) in cases().into_iter().enumerate() {
            let path = folder.path().join(format!("{idx}_{dictionary}.parquet"));
            let properties = WriterProperties::builder()
                .set_dictionary_enabled(dictionary)
                .build();
            let message = format!("message m {{ optional {file_type}; }}");
            write(&path, &message, &[column], properties)?;
            let segment = open(&path)?;
            let field = field(&segment, "c")?;
            assert_eq!(field.column_type.name(), name, "{file_type}");
            let found = values(&segment, &field)?;
            let expected = vec![
                Some(expected[0].to_owned()),
                Some(expected[1].to_owned()),
                None,
            ];
            assert_eq!(found, expected, "{file_type}");
            check_statistics(&segment, &field, &expected, file_type)?;
        }
    }
    Ok(())
}

/// Whatever the footer proves must hold for the values.
fn check_statistics(
    segment: &Segment,
    field: &Field,
    expected: &[Option<String>],
    file_type: &str,
) -> Result<()> {
    let source = segment.bind_column(field)?;
    let nulls = expected.iter().filter(|value| value.is_none()).count() as u64;
    for (group, rows) in segment.row_groups() {
        let statistics = segment.statistics(group, &source);
        assert_eq!(statistics.row_count, rows.row_count);
        assert!(
            statistics.null_count.is_none_or(|count| count == nulls),
            "{file_type}"
        );
        let typed = statistics.min.is_some() == statistics.max.is_some();
        assert!(typed, "{file_type}: {statistics:?}");
    }
    Ok(())
}

#[test]
fn columns_convert_to_what_the_table_says() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("c.parquet");
    let message = "message m { optional int32 i; optional int64 l; optional int32 d (DATE);
        optional float f; optional int64 t (TIMESTAMP(NANOS,true)); optional binary b;
        optional int32 e (DECIMAL(4,1)); optional int64 n (TIME(NANOS,false)); }";
    let columns = [
        ints([-7, 3]),
        longs([i64::MAX, 2]),
        ints([1, -1]),
        Column::Float(vec![Some(0.5), Some(f32::NAN), None]),
        longs([-1, 1_234_567_890]),
        bytes(&["ä".as_bytes(), b"b"]),
        ints([15, -5]),
        longs([3_600_000_000_001, 0]),
    ];
    write(
        &path,
        message,
        &columns,
        WriterProperties::builder().build(),
    )?;
    let segment = open(&path)?;
    let millis = DataType::Timestamp {
        unit: TimeUnit::Millis,
    };
    let cases = [
        ("i", DataType::Long, ["-7", "3"]),
        ("i", DataType::Double, ["-7.0", "3.0"]),
        ("i", DataType::BigDecimal { scale: 2 }, ["-7.00", "3.00"]),
        ("i", DataType::String, ["-7", "3"]),
        (
            "l",
            DataType::BigDecimal { scale: 0 },
            ["9223372036854775807", "2"],
        ),
        ("d", millis, ["1970-01-02T00:00:00", "1969-12-31T00:00:00"]),
        ("d", DataType::String, ["1970-01-02", "1969-12-31"]),
        ("f", DataType::Double, ["0.5", "NaN"]),
        ("f", DataType::String, ["0.5", "NaN"]),
        (
            "t",
            millis,
            ["1969-12-31T23:59:59.999", "1970-01-01T00:00:01.234"],
        ),
        (
            "t",
            DataType::String,
            [
                "1969-12-31T23:59:59.999999999+00:00",
                "1970-01-01T00:00:01.234567890+00:00",
            ],
        ),
        ("b", DataType::String, ["ä", "b"]),
        ("e", DataType::BigDecimal { scale: 3 }, ["1.500", "-0.500"]),
        ("e", DataType::String, ["1.5", "-0.5"]),
        (
            "n",
            DataType::String,
            ["01:00:00.000000001", "00:00:00.000000000"],
        ),
    ];
    for (name, target, expected) in cases {
        let mut wanted = field(&segment, name)?;
        wanted.column_type = target.single();
        let found = values(&segment, &wanted)?;
        let expected = vec![
            Some(expected[0].to_owned()),
            Some(expected[1].to_owned()),
            None,
        ];
        assert_eq!(found, expected, "{name} as {target:?}");
    }
    for (name, target) in [
        ("l", DataType::Int),
        ("b", DataType::Long),
        ("i", DataType::Boolean),
    ] {
        let mut wanted = field(&segment, name)?;
        wanted.column_type = target.single();
        let error = segment.bind_column(&wanted).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        wanted.column_type = target.multi();
        assert!(segment.bind_column(&wanted).is_err());
    }
    Ok(())
}

#[test]
fn decimals_past_38_digits_are_refused_when_they_are_named() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("c.parquet");
    let message = "message m { optional binary c (DECIMAL(39,2)); optional int32 i; }";
    write(
        &path,
        message,
        &[bytes(&[&[1], &[2]]), ints([1, 2])],
        WriterProperties::builder().build(),
    )?;
    let segment = open(&path)?;
    let error = segment.bind_column(&field(&segment, "c")?).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("DECIMAL(39,2)"), "{error}");
    assert!(error.to_string().contains("c.parquet"), "{error}");
    assert_eq!(values(&segment, &field(&segment, "i")?)?.len(), 3);
    Ok(())
}

#[test]
fn columns_bind_by_id_then_by_name_and_alias() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("c.parquet");
    let message = "message m { optional binary a (STRING) = 1; optional binary b (STRING) = 2;
        optional binary c (STRING); }";
    let column = |text: &str| bytes(&[text.as_bytes(), text.as_bytes()]);
    write(
        &path,
        message,
        &[column("A"), column("B"), column("C")],
        WriterProperties::builder().build(),
    )?;
    let segment = open(&path)?;
    let check = |name: &str, id: Option<i32>, alias: Option<&str>, expected: Option<&str>| {
        let mut wanted = Field::new(
            name,
            growler_schema::FieldRole::Dimension,
            DataType::String.single(),
        );
        wanted.field_id = id.map(growler_base::FieldId);
        wanted.aliases = alias.map(str::to_owned).into_iter().collect();
        let source = segment.bind_column(&wanted)?;
        assert_eq!(source.is_absent(), expected.is_none(), "{name} {id:?}");
        let found = read(&segment, &[source], 10)?;
        assert_eq!(
            column_texts(&found[0][0])[0].as_deref(),
            expected,
            "{name} {id:?}"
        );
        anyhow::Ok(())
    };
    check("a", Some(2), None, Some("B"))?;
    check("renamed", Some(1), None, Some("A"))?;
    // A column that carries another id is not the one of that name.
    check("a", Some(9), None, None)?;
    check("c", Some(9), None, Some("C"))?;
    check("new", Some(9), Some("c"), Some("C"))?;
    check("new", Some(9), Some("a"), None)?;
    check("b", None, None, Some("B"))?;
    check("missing", None, None, None)?;
    Ok(())
}
