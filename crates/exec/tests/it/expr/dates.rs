//! Time.

use std::sync::Arc;

use arrow_array::{Int64Array, TimestampMillisecondArray};
use growler_exec::Error;
use growler_schema::{DataType, TimeUnit};

use super::harness::{NOW_MS, Table, check_errors, check_one, check_types};

#[test]
fn epochs() {
    check_one(&[
        ("toEpochSeconds(ts)", "1758649092"),
        ("toEpochMinutes(ts)", "29310818"),
        ("toEpochHours(1758649092345)", "488513"),
        ("toEpochDays(us)", "20354"),
        ("toEpochMinutesRounded(ts, 10)", "29310810"),
        ("toEpochMinutesBucket(ts, 10)", "2931081"),
        ("fromEpochSeconds(1758649092)", "1758649092000"),
        ("fromEpochDays(1)", "86400000"),
        ("fromEpochMinutesBucket(2, 10)", "1200000"),
        ("toTimestamp(0)", "1970-01-01T00:00:00"),
        ("fromTimestamp(ts)", "1758649092345"),
        ("now()", "1758649092345"),
        ("ago('PT1H')", "1758645492345"),
        (
            "timeConvert(1758649092345, 'MILLISECONDS', 'DAYS')",
            "20354",
        ),
        ("timeConvert(1, 'DAYS', 'HOURS')", "24"),
    ]);
}

#[test]
fn fields() {
    check_one(&[
        ("year(ts)", "2025"),
        ("quarter(ts)", "3"),
        ("month(ts)", "9"),
        ("week(ts)", "39"),
        ("yearOfWeek(1735603200000)", "2025"),
        ("dayOfYear(ts)", "266"),
        ("day(ts)", "23"),
        ("dayOfWeek(ts)", "2"),
        ("hour(ts)", "17"),
        ("hour(ts, 'America/Los_Angeles')", "10"),
        ("day(ts, 'Asia/Tokyo')", "24"),
        ("minute(ts)", "38"),
        ("second(ts)", "12"),
        ("millisecond(ts)", "345"),
        ("year('2024-02-29')", "2024"),
        ("EXTRACT(YEAR FROM ts)", "2025"),
        ("EXTRACT(DOW FROM ts)", "2"),
        ("EXTRACT(DAY FROM 1758649092345)", "23"),
    ]);
    check_types(&[("year(ts)", "INT"), ("EXTRACT(MONTH FROM ts)", "INT")]);
}

#[test]
fn truncation() {
    check_one(&[
        ("dateTrunc('second', ts)", "1758649092000"),
        ("dateTrunc('day', ts)", "1758585600000"),
        ("dateTrunc('WEEK', ts)", "1758499200000"),
        ("dateTrunc('month', ts)", "1756684800000"),
        ("dateTrunc('quarter', ts)", "1751328000000"),
        ("dateTrunc('year', ts)", "1735689600000"),
        ("dateTrunc('day', 1758649092, 'SECONDS')", "1758585600"),
        (
            "dateTrunc('day', 1758649092345, 'MILLISECONDS', 'America/Los_Angeles')",
            "1758610800000",
        ),
        (
            "dateTrunc('day', 1758649092, 'SECONDS', 'UTC', 'DAYS')",
            "20354",
        ),
    ]);
}

/// Superset's time grains, letter for letter.
#[test]
fn superset_time_grains() -> Result<(), Error> {
    let cases = [
        (
            "CAST(DATE_TRUNC('second', CAST(col AS TIMESTAMP)) AS TIMESTAMP)",
            "2025-09-23T17:38:12",
        ),
        (
            "CAST(DATE_TRUNC('minute', CAST(col AS TIMESTAMP)) AS TIMESTAMP)",
            "2025-09-23T17:38:00",
        ),
        (
            "CAST(ROUND(DATE_TRUNC('minute', CAST(col AS TIMESTAMP)), 300000) AS TIMESTAMP)",
            "2025-09-23T17:35:00",
        ),
        (
            "CAST(ROUND(DATE_TRUNC('minute', CAST(col AS TIMESTAMP)), 1800000) AS TIMESTAMP)",
            "2025-09-23T17:30:00",
        ),
        (
            "CAST(DATE_TRUNC('hour', CAST(col AS TIMESTAMP)) AS TIMESTAMP)",
            "2025-09-23T17:00:00",
        ),
        (
            "CAST(DATE_TRUNC('day', CAST(col AS TIMESTAMP)) AS TIMESTAMP)",
            "2025-09-23T00:00:00",
        ),
        (
            "CAST(DATE_TRUNC('week', CAST(col AS TIMESTAMP)) AS TIMESTAMP)",
            "2025-09-22T00:00:00",
        ),
        (
            "CAST(DATE_TRUNC('month', CAST(col AS TIMESTAMP)) AS TIMESTAMP)",
            "2025-09-01T00:00:00",
        ),
        (
            "CAST(DATE_TRUNC('quarter', CAST(col AS TIMESTAMP)) AS TIMESTAMP)",
            "2025-07-01T00:00:00",
        ),
        (
            "CAST(DATE_TRUNC('year', CAST(col AS TIMESTAMP)) AS TIMESTAMP)",
            "2025-01-01T00:00:00",
        ),
    ];
    let millis = DataType::Timestamp {
        unit: TimeUnit::Millis,
    }
    .single();
    for (sql, expected) in cases {
        let long = Arc::new(Int64Array::from(vec![NOW_MS]));
        let time = Arc::new(TimestampMillisecondArray::from(vec![NOW_MS]));
        for table in [
            Table::new().with("col", DataType::Long.single(), long),
            Table::new().with("col", millis, time),
        ] {
            let mut table = table;
            assert_eq!(table.rows(sql, true)?, [expected], "{sql}");
            assert_eq!(table.compile(sql, false)?.column_type().name(), "TIMESTAMP");
        }
    }
    Ok(())
}

#[test]
fn spans() {
    check_one(&[
        ("timestampAdd('DAY', 1, ts)", "1758735492345"),
        ("dateAdd('month', -7, ts)", "1740332292345"),
        ("TIMESTAMPADD(HOUR, 2, 0)", "7200000"),
        ("timestampDiff('DAY', 0, ts)", "20354"),
        ("dateDiff('YEAR', ts, 0)", "-55"),
        ("dateBin('15 minutes', ts, 0)", "2025-09-23T17:30:00"),
        ("dateBin('PT15M', ts, 60000)", "2025-09-23T17:31:00"),
    ]);
}

#[test]
fn formats() {
    check_one(&[
        ("toDateTime(ts, 'yyyy-MM-dd HH:mm')", "2025-09-23 17:38"),
        (
            "toDateTime(ts, 'yyyy-MM-dd HH:mm z', 'Europe/Berlin')",
            "2025-09-23 19:38 Europe/Berlin",
        ),
        ("fromDateTime('2025-09-23', 'yyyy-MM-dd')", "1758585600000"),
        (
            "fromDateTime('2025-09-23 10', 'yyyy-MM-dd HH', 'America/New_York')",
            "1758636000000",
        ),
        ("fromDateTime('never', 'yyyy', 'UTC', 0)", "0"),
        ("toIso8601(ts)", "2025-09-23T17:38:12.345Z"),
        ("fromIso8601('2025-09-23T17:38:12.345Z')", "1758649092345"),
        (
            "dateTimeConvert(ts, '1:MILLISECONDS:EPOCH', '1:DAYS:EPOCH', '1:DAYS')",
            "20354",
        ),
        (
            "dateTimeConvert(ts, '1:MILLISECONDS:TIMESTAMP', '1:MILLISECONDS:EPOCH', '15:MINUTES')",
            "1758648600000",
        ),
        (
            "dateTimeConvert(ts, 'EPOCH|MILLISECONDS', 'SIMPLE_DATE_FORMAT|yyyyMMdd', '1:DAYS')",
            "20250923",
        ),
        (
            "dateTimeConvert(ts, '1:MILLISECONDS:EPOCH', \
             '1:DAYS:SIMPLE_DATE_FORMAT:yyyy-MM-dd HH tz(Asia/Tokyo)', '1:HOURS')",
            "2025-09-24 02",
        ),
        (
            "dateTimeConvert('20250923', '1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd', 'TIMESTAMP', '1:DAYS')",
            "2025-09-23T00:00:00",
        ),
        (
            "dateTimeConvert(ts, '1:MILLISECONDS:EPOCH', '1:MILLISECONDS:EPOCH', '1:DAYS', \
             'America/Los_Angeles')",
            "1758610800000",
        ),
    ]);
    check_errors(&[
        (
            "fromDateTime(s, 'yyyy')",
            200,
            "QueryExecutionError: Invalid format: 'Hello World', \
             expression=fromdatetime(s,'yyyy')",
        ),
        (
            "toDateTime(ts, 'qqq')",
            700,
            "QueryValidationError: Illegal pattern: qqq, expression=todatetime(ts,'qqq')",
        ),
        (
            "hour(ts, 'Mars')",
            700,
            "QueryValidationError: The datetime zone id 'Mars' is not recognised, \
             expression=hour(ts,'Mars')",
        ),
        (
            "dateTrunc('eon', ts)",
            700,
            "QueryValidationError: 'eon' is not a valid Timestamp field, \
             expression=datetrunc('eon',ts)",
        ),
    ]);
}
