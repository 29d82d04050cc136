//! Result tables in all their written forms, and the broker response.

use std::sync::Arc;

use arrow::ipc::reader::StreamReader;
use arrow_array::builder::{Int32Builder, ListBuilder, StringViewBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, Decimal128Array, DictionaryArray,
    Float32Array, Float64Array, Int32Array, Int64Array, NullArray, StringArray, StringViewArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
};
use growler_exec::Error;
use growler_exec::response::{BrokerResponse, QueryException, QueryStatistics, ResultTable};
use growler_schema::{ColumnType, DataType, TimeUnit};

fn array(array: impl Array + 'static) -> ArrayRef {
    Arc::new(array)
}

fn table(columns: Vec<(&str, ColumnType, ArrayRef)>) -> ResultTable {
    let names = columns
        .iter()
        .map(|(name, ..)| (*name).to_owned())
        .collect();
    let types = columns
        .iter()
        .map(|(_, column_type, _)| *column_type)
        .collect();
    let arrays = columns.into_iter().map(|(.., array)| array).collect();
    ResultTable::try_new(names, types, arrays).unwrap()
}

fn json(table: &ResultTable) -> String {
    let mut out = Vec::new();
    table.write_json_rows(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn cells_are_written_as_pinot_writes_them() {
    use DataType as T;
    let timestamp = |unit| T::Timestamp { unit }.single();
    let view = |texts: Vec<Option<&str>>| array(StringViewArray::from(texts));
    let dictionary: DictionaryArray<Int32Type> =
        vec![Some("x"), None, Some("x")].into_iter().collect();
    let decimals = Decimal128Array::from(vec![Some(12345), None, Some(-5)]);
    let decimals = decimals.with_precision_and_scale(38, 2).unwrap();
    let cases: Vec<(&str, ColumnType, ArrayRef, &str)> = vec![
        (
            "int",
            T::Int.single(),
            array(Int32Array::from(vec![Some(i32::MIN), None, Some(7)])),
            "[[-2147483648],[null],[7]]",
        ),
        (
            "long",
            T::Long.single(),
            array(Int64Array::from(vec![i64::MAX, i64::MIN])),
            "[[9223372036854775807],[-9223372036854775808]]",
        ),
        (
            "float",
            T::Float.single(),
            array(Float32Array::from(vec![0.1, f32::NEG_INFINITY, 1e10])),
            r#"[[0.1],["-Infinity"],[10000000000.0]]"#,
        ),
        (
            "double",
            T::Double.single(),
            array(Float64Array::from(vec![
                1.0,
                -0.0,
                f64::NAN,
                f64::INFINITY,
                1e300,
            ])),
            r#"[[1.0],[-0.0],["NaN"],["Infinity"],[1e300]]"#,
        ),
        (
            "decimal",
            T::BigDecimal { scale: 2 }.single(),
            array(decimals),
            r#"[["123.45"],[null],["-0.05"]]"#,
        ),
        (
            "boolean",
            T::Boolean.single(),
            array(BooleanArray::from(vec![Some(true), Some(false), None])),
            "[[true],[false],[null]]",
        ),
        (
            "millis",
            timestamp(TimeUnit::Millis),
            array(TimestampMillisecondArray::from(vec![
                Some(1_758_649_080_000),
                None,
            ])),
            r#"[["2025-09-23 17:38:00.0"],[null]]"#,
        ),
        (
            "micros",
            timestamp(TimeUnit::Micros),
            array(TimestampMicrosecondArray::from(vec![1_758_649_080_000_250])),
            r#"[["2025-09-23 17:38:00.00025"]]"#,
        ),
        (
            "nanos",
            timestamp(TimeUnit::Nanos),
            array(TimestampNanosecondArray::from(vec![1])),
            r#"[["1970-01-01 00:00:00.000000001"]]"#,
        ),
        (
            "text",
            T::String.single(),
            view(vec![Some("a\"b"), None, Some("é\n")]),
            r#"[["a\"b"],[null],["é\n"]]"#,
        ),
        (
            "utf8",
            T::String.single(),
            array(StringArray::from(vec![Some(""), None])),
            r#"[[""],[null]]"#,
        ),
        (
            "dictionary",
            T::String.single(),
            array(dictionary),
            r#"[["x"],[null],["x"]]"#,
        ),
        (
            "json",
            T::Json.single(),
            view(vec![Some(r#"{"a":1}"#)]),
            r#"[["{\"a\":1}"]]"#,
        ),
        (
            "document",
            T::OpenStruct.single(),
            view(vec![Some("{}")]),
            r#"[["{}"]]"#,
        ),
        (
            "map",
            T::Map.single(),
            view(vec![Some(r#"{"a":1}"#), None, Some("{broken")]),
            r#"[[{"a":1}],[null],["{broken"]]"#,
        ),
        (
            "uuid",
            T::Uuid.single(),
            view(vec![Some("00000000-0000-0000-0000-000000000000")]),
            r#"[["00000000-0000-0000-0000-000000000000"]]"#,
        ),
        (
            "bytes",
            T::Bytes.single(),
            array(BinaryViewArray::from(vec![
                Some(&[0_u8, 171, 255][..]),
                None,
            ])),
            r#"[["00abff"],[null]]"#,
        ),
        (
            "binary",
            T::Bytes.single(),
            array(BinaryArray::from(vec![&b""[..]])),
            r#"[[""]]"#,
        ),
        (
            "nothing",
            T::Int.single(),
            array(NullArray::new(2)),
            "[[null],[null]]",
        ),
    ];
    for (name, column_type, column, expected) in cases {
        assert_eq!(
            json(&table(vec![(name, column_type, column)])),
            expected,
            "{name}"
        );
    }
}

#[test]
fn multi_values_are_json_arrays() {
    let mut numbers = ListBuilder::new(Int32Builder::new());
    numbers.append_value([Some(1), None, Some(3)]);
    numbers.append_null();
    numbers.append_value([]);
    let mut texts = ListBuilder::new(StringViewBuilder::new());
    texts.append_value([Some("a\"")]);
    texts.append_value([Some("b"), Some("c")]);
    texts.append_null();
    let table = table(vec![
        ("n", DataType::Int.multi(), array(numbers.finish())),
        ("t", DataType::String.multi(), array(texts.finish())),
    ]);
    assert_eq!(
        json(&table),
        r#"[[[1,null,3],["a\""]],[null,["b","c"]],[[],null]]"#
    );
    let sliced = ResultTable {
        columns: table
            .columns
            .iter()
            .map(|column| column.slice(1, 2))
            .collect(),
        row_count: 2,
        ..table
    };
    assert_eq!(json(&sliced), r#"[[null,["b","c"]],[[],null]]"#);
}

#[test]
fn arrays_that_do_not_fit_are_an_internal_error() {
    let cases: [(Vec<DataType>, Vec<ArrayRef>); 4] = [
        (vec![DataType::Int], vec![array(Int64Array::from(vec![1]))]),
        (
            vec![DataType::String],
            vec![array(Int32Array::from(vec![1]))],
        ),
        (
            vec![DataType::Int, DataType::Int],
            vec![array(Int32Array::from(vec![1]))],
        ),
        (
            vec![DataType::Int, DataType::Int],
            vec![
                array(Int32Array::from(vec![1])),
                array(Int32Array::from(vec![1, 2])),
            ],
        ),
    ];
    for (types, columns) in cases {
        let names = columns.iter().map(|_| "c".to_owned()).collect();
        let types = types.into_iter().map(DataType::single).collect();
        let error = ResultTable::try_new(names, types, columns).unwrap_err();
        assert_eq!(error.code(), 450, "{error}");
    }
}

fn sample() -> ResultTable {
    let text = StringViewArray::from(vec![Some("a,\"b\"\n"), None, Some("")]);
    table(vec![
        ("user_id", DataType::String.single(), array(text)),
        (
            "sum(x)",
            DataType::Double.single(),
            array(Float64Array::from(vec![Some(1.5), Some(-20.0), None])),
        ),
    ])
}

#[test]
fn csv_tells_null_from_empty_text() -> Result<(), Error> {
    let mut out = Vec::new();
    sample().write_csv(&mut out)?;
    let expected = "user_id,sum(x)\r\n\"a,\"\"b\"\"\n\",1.5\r\n,-20.0\r\n\"\",\r\n";
    assert_eq!(String::from_utf8_lossy(&out), expected);
    Ok(())
}

#[test]
fn text_is_aligned_and_harmless() -> Result<(), Error> {
    let mut out = Vec::new();
    sample().write_text(None, &mut out)?;
    let expected = [
        r#"user_id │ sum(x)"#,
        r#"────────┼───────"#,
        r#"a,"b"\n │    1.5"#,
        r#"null    │  -20.0"#,
        r#"        │   null"#,
        "(3 rows)\n",
    ];
    assert_eq!(String::from_utf8_lossy(&out), expected.join("\n"));

    let long = "x".repeat(500);
    let texts = StringViewArray::from(vec![Some(long.as_str()), Some("\u{1b}[31mred")]);
    let wide = table(vec![
        ("first", DataType::String.single(), array(texts.clone())),
        ("last", DataType::String.single(), array(texts)),
    ]);
    let mut out = Vec::new();
    wide.write_text(Some(80), &mut out)?;
    let text = String::from_utf8_lossy(&out);
    assert!(
        !text.contains('\u{1b}') && text.contains(r"\u{1b}[31mred"),
        "{text}"
    );
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert!(text.contains('…'));
    let mut uncut = Vec::new();
    wide.write_text(None, &mut uncut)?;
    assert!(String::from_utf8_lossy(&uncut).contains(&format!("{long} │ {long}")));
    Ok(())
}

#[test]
fn a_table_without_rows_or_columns_can_be_written() -> Result<(), Error> {
    let none = ResultTable {
        names: vec![],
        types: vec![],
        columns: vec![],
        row_count: 2,
    };
    assert_eq!(json(&none), "[[],[]]");
    let empty = table(vec![(
        "a",
        DataType::Int.single(),
        array(Int32Array::from(vec![0; 0])),
    )]);
    assert_eq!(json(&empty), "[]");
    let mut text = Vec::new();
    empty.write_text(None, &mut text)?;
    assert_eq!(String::from_utf8_lossy(&text), "a\n─\n(0 rows)\n");
    Ok(())
}

#[test]
fn the_arrow_stream_reads_back() -> Result<(), Box<dyn std::error::Error>> {
    let table = sample();
    let mut out = Vec::new();
    table.write_arrow_stream(&mut out)?;
    let batches: Vec<_> = StreamReader::try_new(out.as_slice(), None)?.collect::<Result<_, _>>()?;
    assert_eq!(batches, [table.to_record_batch()?]);
    Ok(())
}

/// Pinot's fields in Pinot's order.
const FIELDS: [&str; 53] = [
    "resultTable",
    "numRowsResultSet",
    "partialResult",
    "exceptions",
    "numGroupsLimitReached",
    "numGroupsWarningLimitReached",
    "maxRowsInDistinctReached",
    "maxRowsWithoutChangeInDistinctReached",
    "maxExecutionTimeInDistinctReached",
    "timeUsedMs",
    "requestId",
    "clientRequestId",
    "brokerId",
    "numDocsScanned",
    "totalDocs",
    "numEntriesScannedInFilter",
    "numEntriesScannedPostFilter",
    "numServersQueried",
    "numServersResponded",
    "numSegmentsQueried",
    "numSegmentsProcessed",
    "numSegmentsMatched",
    "numConsumingSegmentsQueried",
    "numConsumingSegmentsProcessed",
    "numConsumingSegmentsMatched",
    "minConsumingFreshnessTimeMs",
    "numSegmentsPrunedByBroker",
    "numSegmentsPrunedByServer",
    "numSegmentsPrunedInvalid",
    "numSegmentsPrunedByLimit",
    "numSegmentsPrunedByValue",
    "brokerReduceTimeMs",
    "offlineThreadCpuTimeNs",
    "realtimeThreadCpuTimeNs",
    "offlineSystemActivitiesCpuTimeNs",
    "realtimeSystemActivitiesCpuTimeNs",
    "offlineResponseSerializationCpuTimeNs",
    "realtimeResponseSerializationCpuTimeNs",
    "offlineTotalCpuTimeNs",
    "realtimeTotalCpuTimeNs",
    "explainPlanNumEmptyFilterSegments",
    "explainPlanNumMatchAllFilterSegments",
    "traceInfo",
    "tablesQueried",
    "offlineThreadMemAllocatedBytes",
    "realtimeThreadMemAllocatedBytes",
    "offlineResponseSerMemAllocatedBytes",
    "realtimeResponseSerMemAllocatedBytes",
    "offlineTotalMemAllocatedBytes",
    "realtimeTotalMemAllocatedBytes",
    "pools",
    "rlsFiltersApplied",
    "groupsTrimmed",
];

fn parsed(response: &BrokerResponse) -> serde_json::Map<String, serde_json::Value> {
    serde_json::from_slice(&response.to_json()).unwrap()
}

#[test]
fn the_response_has_all_fields_in_order() {
    let response = BrokerResponse {
        result_table: Some(sample()),
        request_id: "42".into(),
        broker_id: "Broker_a".into(),
        tables_queried: vec!["t".into()],
        time_used_ms: 3,
        statistics: QueryStatistics {
            num_docs_scanned: 9,
            total_docs: 10,
            ..Default::default()
        },
        ..Default::default()
    };
    let fields = parsed(&response);
    let names: Vec<_> = fields.keys().map(String::as_str).collect();
    assert_eq!(names, FIELDS);
    assert_eq!(fields["requestId"], "42");
    assert!(fields["clientRequestId"].is_null());
    assert_eq!(fields["numRowsResultSet"], 3);
    assert_eq!(fields["numDocsScanned"], 9);
    assert_eq!(fields["partialResult"], false);
    assert_eq!(fields["tablesQueried"], serde_json::json!(["t"]));
    assert_eq!(
        fields["resultTable"]["dataSchema"],
        serde_json::json!({"columnNames": ["user_id", "sum(x)"], "columnDataTypes": ["STRING", "DOUBLE"]})
    );
    assert_eq!(response.error_code(), -1);
}

#[test]
fn a_failed_query_has_exceptions_and_no_table() {
    let error = Error::Validation("a \"quoted\" thing".into());
    let response = BrokerResponse::failed(&error);
    let fields = parsed(&response);
    let names: Vec<_> = fields.keys().map(String::as_str).collect();
    assert_eq!(names, FIELDS[1..]);
    assert_eq!(fields["exceptions"][0]["errorCode"], 700);
    assert_eq!(
        fields["exceptions"][0]["message"],
        "QueryValidationError: a \"quoted\" thing"
    );
    assert_eq!(fields["partialResult"], true);
    assert_eq!(fields["numServersQueried"], fields["numServersResponded"]);
    assert_eq!(response.error_code(), 700);
}

#[test]
fn a_limit_that_was_reached_makes_the_result_partial() {
    let cases = [
        QueryStatistics {
            num_groups_limit_reached: true,
            ..Default::default()
        },
        QueryStatistics {
            max_rows_in_distinct_reached: true,
            ..Default::default()
        },
    ];
    for statistics in cases {
        let response = BrokerResponse {
            statistics,
            ..Default::default()
        };
        assert_eq!(parsed(&response)["partialResult"], true);
    }
    let exceptions = vec![QueryException {
        code: 200,
        message: "x".into(),
    }];
    let response = BrokerResponse {
        exceptions,
        ..Default::default()
    };
    assert_eq!(parsed(&response)["partialResult"], true);
}

#[test]
fn a_table_that_cannot_be_written_becomes_an_exception() {
    let broken = ResultTable {
        names: vec!["a".into()],
        types: vec![DataType::Int.single()],
        columns: vec![array(Int64Array::from(vec![1]))],
        row_count: 1,
    };
    let fields = parsed(&BrokerResponse {
        result_table: Some(broken),
        ..Default::default()
    });
    assert!(!fields.contains_key("resultTable"));
    assert_eq!(fields["exceptions"][0]["errorCode"], 450);
    assert_eq!(
        (&fields["partialResult"], &fields["numRowsResultSet"]),
        (&true.into(), &0.into())
    );
}
