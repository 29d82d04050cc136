use growler_base::FieldId;
use growler_schema::infer::{FileFields, complete, merge_fields, unreadable};
use growler_schema::{DataType, Field, SourceType, TableSchema, TimeUnit, Value};

type TestResult = Result<(), Box<dyn std::error::Error>>;

fn field(name: &str, id: Option<i32>, source: &SourceType) -> Field {
    let mut field = source.field(name).unwrap();
    field.field_id = id.map(FieldId);
    field
}

fn merge(files: &[Vec<Field>]) -> Result<Vec<Field>, growler_schema::Error> {
    let names = ["a.parquet", "b.parquet", "c.parquet"];
    merge_fields(
        names
            .iter()
            .zip(files)
            .map(|(file, fields)| FileFields { file, fields }),
    )
}

fn timestamp(unit: TimeUnit) -> SourceType {
    SourceType::Timestamp { unit, utc: true }
}

#[test]
fn types_widen_whatever_the_order() -> TestResult {
    let decimal = |scale| SourceType::Decimal {
        precision: 20,
        scale,
    };
    let list = |item| SourceType::List(Box::new(item));
    let cases = [
        (
            SourceType::Int32,
            SourceType::Int64,
            DataType::Long.single(),
        ),
        (
            SourceType::Int8,
            SourceType::UInt32,
            DataType::Long.single(),
        ),
        (
            SourceType::Float32,
            SourceType::Float64,
            DataType::Double.single(),
        ),
        (
            decimal(2),
            decimal(6),
            DataType::BigDecimal { scale: 6 }.single(),
        ),
        (
            timestamp(TimeUnit::Millis),
            timestamp(TimeUnit::Nanos),
            DataType::Timestamp {
                unit: TimeUnit::Nanos,
            }
            .single(),
        ),
        (
            list(SourceType::Int32),
            list(SourceType::Int64),
            DataType::Long.multi(),
        ),
        (
            SourceType::Variant,
            SourceType::Variant,
            DataType::OpenStruct.single(),
        ),
    ];
    for (left, right, expected) in cases {
        for pair in [[&left, &right], [&right, &left]] {
            let files = pair.map(|source| vec![field("c", None, source)]);
            let merged = merge(&files)?;
            assert_eq!(merged.len(), 1);
            assert_eq!(merged[0].column_type, expected, "{left} with {right}");
            let usual = Value::default_null(expected.data_type);
            assert_eq!(merged[0].default_null, usual, "{left} with {right}");
        }
    }
    Ok(())
}

#[test]
fn types_without_a_common_one_name_both_files() {
    let cases = [
        (SourceType::Int32, SourceType::String, "INT", "STRING"),
        (SourceType::Int64, SourceType::Float64, "LONG", "DOUBLE"),
        (SourceType::Variant, SourceType::Json, "OPEN_STRUCT", "JSON"),
        (
            SourceType::Int32,
            SourceType::List(Box::new(SourceType::Int32)),
            "INT",
            "INT_ARRAY",
        ),
    ];
    for (left, right, left_name, right_name) in cases {
        let files = [
            vec![field("c", None, &left)],
            vec![],
            vec![field("c", None, &right)],
        ];
        let expected = format!(
            "column 'c' has types without a common one: {left_name} in 'a.parquet', {right_name} \
             in 'c.parquet'"
        );
        assert_eq!(merge(&files).unwrap_err().to_string(), expected);
    }
}

#[test]
fn ids_tell_renamed_columns_from_new_ones() -> TestResult {
    let int = SourceType::Int32;
    let text = SourceType::String;
    let renamed = [
        vec![field("old", Some(1), &int)],
        vec![field("new", Some(1), &int)],
    ];
    let merged = merge(&renamed)?;
    assert_eq!(merged.len(), 1);
    assert_eq!(
        (merged[0].name.as_str(), &merged[0].aliases[..]),
        ("new", &["old".to_owned()][..])
    );

    let replaced = [
        vec![field("a", Some(1), &int)],
        vec![field("a", Some(2), &text)],
    ];
    let merged = merge(&replaced)?;
    assert_eq!(
        merged.len(),
        1,
        "a dropped column does not come back under its name"
    );
    assert_eq!(merged[0].field_id, Some(FieldId(2)));

    let swapped = [
        vec![field("a", Some(1), &int), field("b", Some(2), &text)],
        vec![field("b", Some(1), &int), field("a", Some(2), &text)],
    ];
    let merged = merge(&swapped)?;
    let names: Vec<_> = merged
        .iter()
        .map(|field| (field.name.as_str(), field.field_id))
        .collect();
    assert_eq!(names, [("b", Some(FieldId(1))), ("a", Some(FieldId(2)))]);

    let without = [
        vec![field("a", None, &int)],
        vec![field("a", Some(3), &int)],
    ];
    assert_eq!(merge(&without)?[0].field_id, Some(FieldId(3)));
    Ok(())
}

#[test]
fn declared_schema_takes_scale_unit_and_ids_from_the_files() -> TestResult {
    let inferred = [
        field(
            "d",
            Some(4),
            &SourceType::Decimal {
                precision: 9,
                scale: 3,
            },
        ),
        field("t", None, &timestamp(TimeUnit::Nanos)),
        field("i", None, &SourceType::Int32),
        field("s", None, &SourceType::Uuid),
    ];
    let mut long = field("i", None, &SourceType::Int64);
    long.default_null = Value::Long(-1);
    let mut decimal = field("d", None, &SourceType::UInt64);
    decimal.default_null = Value::BigDecimal(15, 1);
    let declared = TableSchema::new(
        "t",
        vec![
            decimal,
            field("t", None, &timestamp(TimeUnit::Millis)),
            long,
            field("s", None, &SourceType::String),
            field("absent", None, &SourceType::Float64),
        ],
    );
    assert_eq!(unreadable(&declared, &inferred), Vec::<String>::new());
    let schema = complete(&declared, &inferred);
    let found = |name: &str| schema.field(name).cloned().unwrap();
    assert_eq!(
        found("d").column_type,
        DataType::BigDecimal { scale: 3 }.single()
    );
    assert_eq!(
        (found("d").field_id, found("d").default_null),
        (Some(FieldId(4)), Value::BigDecimal(1500, 3))
    );
    assert_eq!(
        found("t").column_type,
        DataType::Timestamp {
            unit: TimeUnit::Nanos
        }
        .single()
    );
    assert_eq!(found("t").date_time.unwrap().format, "1:NANOSECONDS:EPOCH");
    assert_eq!(found("i").column_type, DataType::Long.single());
    assert_eq!(found("i").default_null, Value::Long(-1));
    assert_eq!(found("absent").column_type, DataType::Double.single());

    let wrong = TableSchema::new("t", vec![field("t", None, &SourceType::Int32)]);
    let expected = "Column 't' is INT in the schema but TIMESTAMP(NANOSECONDS) in the files";
    assert_eq!(unreadable(&wrong, &inferred), [expected]);
    Ok(())
}
