//! Arithmetic, rounding, CAST between numbers.

use super::harness::{check_errors, check_one, check_types};

#[test]
fn arithmetic_is_double() {
    check_one(&[
        ("i + 1", "8.0"),
        ("i - 10", "-3.0"),
        ("i * d", "17.5"),
        ("i / 2", "3.5"),
        ("i % 4", "3.0"),
        ("i / 0", "inf"),
        ("-i / 0", "-inf"),
        ("i % 0", "NaN"),
        ("mod(-7, 4)", "-3.0"),
        ("l + 0", "9007199254740992.0"),
        ("1 + 2 * 3", "7.0"),
        ("add(1, 2, 3, i)", "13.0"),
        ("n + 1", "43.0"),
        ("intDiv(i, 2)", "3"),
        ("intDiv(-7, 2)", "-3"),
        ("intDiv(l, 1)", "9007199254740993"),
        ("b + 1", "2.0"),
    ]);
}

#[test]
fn decimals_stay_exact() {
    check_one(&[
        ("dec + 1", "124.45"),
        ("dec - 0.005", "123.445"),
        ("dec * dec", "15239.9025"),
        ("dec * 2", "246.90"),
        ("dec + l", "9007199254741116.45"),
        ("dec / 3", "41.150000000000000000"),
        ("dec / 0 IS NULL", "true"),
        ("dec + d", "125.95"),
        ("mod(dec, 100)", "23.450000000000003"),
        ("abs(-1 * dec)", "123.45"),
        ("ceil(dec)", "124.00"),
        ("floor(dec)", "123.00"),
    ]);
    check_types(&[
        ("dec + 1", "BIG_DECIMAL"),
        ("dec * 1.5", "BIG_DECIMAL"),
        ("dec + d", "DOUBLE"),
        ("mod(dec, 2)", "DOUBLE"),
        ("i + i", "DOUBLE"),
    ]);
}

#[test]
fn functions_of_numbers() {
    check_one(&[
        ("abs(-2.5)", "2.5"),
        ("ceil(d)", "3.0"),
        ("floor(d)", "2.0"),
        ("sign(-3)", "-1.0"),
        ("sign(0)", "0.0"),
        ("sqrt(16)", "4.0"),
        ("power(2, 10)", "1024.0"),
        ("exp(0)", "1.0"),
        ("ln(1)", "0.0"),
        ("log2(8)", "3.0"),
        ("log10(1000)", "3.0"),
        ("roundDecimal(2.5)", "3.0"),
        ("roundDecimal(-2.5)", "-3.0"),
        ("roundDecimal(1.005, 2)", "1.01"),
        ("roundDecimal(1234.5, -2)", "1200.0"),
        ("truncate(-2.7)", "-2.0"),
        ("truncate(2.789, 2)", "2.78"),
        ("round(d)", "3.0"),
        ("round(12345, 100)", "12300"),
        ("round(-12345, 100)", "-12300"),
        ("round(ts, 300000)", "1758648900000"),
        ("least(i, 3, d)", "2.5"),
        ("greatest(i, 3)", "7"),
        ("greatest(s, 'Z')", "Z"),
        ("least(l, 9007199254740992)", "9007199254740992"),
        ("greatest(dec, 100)", "123.45"),
        ("greatest(d, 0.0 / 0)", "NaN"),
        ("least(0.0 / 0, d)", "NaN"),
        ("degrees(0)", "0.0"),
        ("cos(0)", "1.0"),
    ]);
    check_types(&[
        ("least(i, 3)", "INT"),
        ("greatest(i, l)", "LONG"),
        ("greatest(i, d)", "DOUBLE"),
    ]);
}

#[test]
fn casts() {
    check_one(&[
        ("CAST(d AS INT)", "2"),
        ("CAST(-2.9 AS LONG)", "-2"),
        ("CAST(1e300 AS INT)", "2147483647"),
        ("CAST(l AS INT)", "2147483647"),
        ("CAST('1.5' AS LONG)", "1"),
        ("CAST(n AS INT)", "42"),
        ("CAST('1e3' AS INT)", "1000"),
        ("CAST(i AS STRING)", "7"),
        ("CAST(d AS VARCHAR)", "2.5"),
        ("CAST(f AS STRING)", "0.1"),
        ("CAST(f AS DOUBLE)", "0.10000000149011612"),
        ("CAST(dec AS STRING)", "123.45"),
        ("CAST(dec AS DOUBLE)", "123.45"),
        ("CAST(dec AS INT)", "123"),
        ("CAST(i AS BIG_DECIMAL)", "7"),
        ("CAST('1.50' AS DECIMAL)", "1.50"),
        ("CAST(d AS BIG_DECIMAL)", "2.500000000000000000"),
        ("CAST(b AS STRING)", "true"),
        ("CAST(b AS INT)", "1"),
        ("CAST(2 AS BOOLEAN)", "true"),
        ("CAST('TRUE' AS BOOLEAN)", "true"),
        ("CAST('1' AS BOOLEAN)", "true"),
        ("CAST('yes' AS BOOLEAN)", "false"),
        ("CAST(bin AS STRING)", "01ab"),
        ("CAST('01AB' AS BYTES)", "01ab"),
        ("CAST(ts AS LONG)", "1758649092345"),
        ("CAST(us AS LONG)", "1758649092345"),
        ("CAST(ts AS STRING)", "2025-09-23 17:38:12.345"),
        ("CAST(us AS STRING)", "2025-09-23 17:38:12.345678"),
        ("CAST(us AS TIMESTAMP)", "2025-09-23T17:38:12.345678"),
        ("CAST(0 AS TIMESTAMP)", "1970-01-01T00:00:00"),
        (
            "CAST('2025-09-23T17:38:00' AS TIMESTAMP)",
            "2025-09-23T17:38:00",
        ),
        (
            "CAST('2025-09-23 17:38:00.5' AS TIMESTAMP)",
            "2025-09-23T17:38:00.500",
        ),
        (
            "CAST('1758649092345' AS TIMESTAMP)",
            "2025-09-23T17:38:12.345",
        ),
        (
            "CAST('0B1C2D3E-4F50-6172-8394-A5B6C7D8E9F0' AS UUID)",
            "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0",
        ),
        ("CAST(longs AS STRING_ARRAY)", "[3, 1, 2, 1]"),
        ("CAST(longs AS DOUBLE_ARRAY)", "[3.0, 1.0, 2.0, 1.0]"),
    ]);
    check_types(&[
        ("CAST(s AS JSON)", "JSON"),
        ("CAST(longs AS INT_ARRAY)", "INT_ARRAY"),
        ("CAST(i AS BIGINT)", "LONG"),
    ]);
}

#[test]
fn refusals_name_the_expression() {
    check_errors(&[
        (
            "CAST(s AS INT)",
            200,
            "QueryExecutionError: Cannot convert value: 'Hello World' to type: INT, \
             expression=cast(s,'INT')",
        ),
        (
            "CAST('x' AS LONG)",
            200,
            "QueryExecutionError: Cannot convert value: 'x' to type: LONG, \
             expression=cast('x','LONG')",
        ),
        (
            "CAST(s AS TIMESTAMP)",
            200,
            "QueryExecutionError: Cannot convert value: 'Hello World' to type: TIMESTAMP, \
             expression=cast(s,'TIMESTAMP')",
        ),
        (
            "CAST(i AS STRUCT)",
            700,
            "QueryValidationError: Unable to cast expression to type - STRUCT, \
             expression=cast(i,'STRUCT')",
        ),
        (
            "CAST(i AS BYTES)",
            700,
            "QueryValidationError: Unable to cast expression to type - BYTES, \
             expression=cast(i,'BYTES')",
        ),
        (
            "s + 1",
            200,
            "QueryExecutionError: Cannot convert value: 'Hello World' to type: DOUBLE, \
             expression=plus(s,'1')",
        ),
        (
            "nope(i)",
            700,
            "QueryValidationError: Unsupported function: nope with 1 arguments",
        ),
        (
            "abs(i, 1)",
            700,
            "QueryValidationError: abs needs 1 arguments, has 2, expression=abs(i,'1')",
        ),
        (
            "abs(longs)",
            700,
            "QueryValidationError: argument 1 must be single-value, expression=abs(longs)",
        ),
        (
            "zz + 1",
            710,
            "UnknownColumnError: Unknown columnName 'zz' found in the query",
        ),
        (
            "greatest(i, s)",
            700,
            "QueryValidationError: Cannot upcast from STRING to INT, expression=greatest(i,s)",
        ),
        (
            "dec * 99999999999999999999999999999999999999",
            200,
            "QueryExecutionError: decimal has more than 38 digits, \
             expression=times(dec,'99999999999999999999999999999999999999')",
        ),
    ]);
}
