//! JSON functions.

use growler_exec::Error;

use super::harness::{Table, check_errors};

const DOCUMENT: &str = r#"{"name":"{\"first\":\"Ada\",\"last\":\"Lovelace\"}","n":1.5,"t":true,
    "max":9223372036854775807,"min":-9223372036854775808,"big":123456789012345678901234567890.12,
    "o":{"b":2,"a":[1,{"c":"x"}]},"empty":[],"nil":null,"dup":1,"dup":2,"zero":0,"s":"12",
    "items":[{"sku":"a","price":5,"promo":{"code":"P0"}},{"sku":"b","price":15},{"sku":"c","price":"7"}],
    "when":"2025-09-23T17:38:00","ms":1758649092345,"b64":"aGk=","e":1e3,"it's":1,"a.b":"dot","nums":[1,2,3],
    "mixed":[1,null,"x"]}"#;

fn table() -> Table {
    Table::new().texts("c", vec![Some(DOCUMENT)])
}

fn extract(path: &str, data_type: &str, default: &str) -> Result<String, Error> {
    let path = path.replace('\'', "''");
    let default = if default.is_empty() {
        String::new()
    } else {
        format!(", {default}")
    };
    let sql = format!("JSON_EXTRACT_SCALAR(c, '{path}', '{data_type}'{default})");
    Ok(table().rows(&sql, false)?.concat())
}

#[test]
fn paths() -> Result<(), Error> {
    let cases = [
        ("$.o.b", "2"),
        ("$['o']['b']", "2"),
        ("$[\"o\"].b", "2"),
        ("$.o", r#"{"b":2,"a":[1,{"c":"x"}]}"#),
        ("$.o.a[1].c", "x"),
        ("$.o.a[-1].c", "x"),
        ("$.items[0].promo.code", "P0"),
        ("$.items[*].sku", r#"["a","b","c"]"#),
        ("$.items[0,2].sku", r#"["a","c"]"#),
        ("$.items[1:].sku", r#"["b","c"]"#),
        ("$.items[:1].sku", r#"["a"]"#),
        ("$.items[-1:].sku", r#"["c"]"#),
        ("$..c", r#"["x"]"#),
        ("$..sku", r#"["a","b","c"]"#),
        ("$.o.*", r#"[2,[1,{"c":"x"}]]"#),
        ("$.o['b','a']", r#"[2,[1,{"c":"x"}]]"#),
        ("$.items[?(@.price > 6)].sku", r#"["b","c"]"#),
        ("$.items[?(@.price == 5)].sku", r#"["a"]"#),
        ("$.items[?(@.sku == 'b')].price", "[15]"),
        ("$.items[?(@.sku != 'b')].sku", r#"["a","c"]"#),
        ("$.items[?(@.promo)].sku", r#"["a"]"#),
        ("$.items[?(!@.promo)].sku", r#"["b","c"]"#),
        ("$.items[?(@.promo.code == 'P0')].sku", r#"["a"]"#),
        ("$.items[?(@.price < 10 && @.sku == \"a\")].sku", r#"["a"]"#),
        (
            "$.items[?(@.sku == 'a' || @.sku == 'c')].sku",
            r#"["a","c"]"#,
        ),
        ("$.items[?(@.sku in ['a','b'])].sku", r#"["a","b"]"#),
        ("$.items[?(@.sku nin ['a','b'])].sku", r#"["c"]"#),
        ("$.items[?(@.sku =~ /[AB]/i)].sku", r#"["a","b"]"#),
        ("$.items[?(@.price > $.o.b)].sku", r#"["a","b","c"]"#),
        // J5: a filter that keeps nothing is an empty list.
        ("$.items[?(@.price > 100)]", "[]"),
        ("$.empty", "[]"),
        ("$.dup", "2"),
        ("$['it\\'s']", "1"),
        ("$['a.b']", "dot"),
        ("$.n", "1.5"),
        ("$.big", "123456789012345678901234567890.12"),
        ("$.e", "1e3"),
        ("$.t", "true"),
        ("$.name", r#"{"first":"Ada","last":"Lovelace"}"#),
    ];
    for (path, expected) in cases {
        assert_eq!(
            extract(path, "STRING", "").unwrap_or_else(|e| e.to_string()),
            expected,
            "{path}"
        );
    }
    for path in [
        "$.nope",
        "$.nil",
        "$.o.b.c",
        "$.items.sku",
        "$[0]",
        "$.items[9]",
        "$.items[-9]",
    ] {
        assert_eq!(extract(path, "STRING", "'none'")?, "none", "{path}");
    }
    Ok(())
}

#[test]
fn types() -> Result<(), Error> {
    let cases = [
        ("$.n", "LONG", "1"),
        ("$.s", "LONG", "12"),
        ("$.t", "INT", "1"),
        ("$.e", "INT", "1000"),
        ("$.max", "LONG", "9223372036854775807"),
        ("$.min", "LONG", "-9223372036854775808"),
        ("$.n", "DOUBLE", "1.5"),
        ("$.n", "FLOAT", "1.5"),
        ("$.n", "BIG_DECIMAL", "1.500000000000000000"),
        ("$.n", "BOOLEAN", "true"),
        ("$.zero", "BOOLEAN", "false"),
        ("$.t", "BOOLEAN", "true"),
        ("$.s", "BOOLEAN", "false"),
        ("$.when", "TIMESTAMP", "2025-09-23T17:38:00"),
        ("$.ms", "TIMESTAMP", "2025-09-23T17:38:12.345"),
        ("$.b64", "BYTES", "6869"),
        ("$.o", "JSON", r#"{"b":2,"a":[1,{"c":"x"}]}"#),
        ("$.s", "JSON", "\"12\""),
        ("$.nums", "INT_ARRAY", "[1, 2, 3]"),
        ("$.nums", "STRING_ARRAY", "[1, 2, 3]"),
        ("$.items[*].price", "LONG_ARRAY", "[5, 15, 7]"),
        ("$.items[*].price", "DOUBLE_ARRAY", "[5.0, 15.0, 7.0]"),
        ("$.nope", "LONG_ARRAY", "[]"),
        ("$.n", "LONG_ARRAY", "[]"),
    ];
    for (path, data_type, expected) in cases {
        let found = extract(path, data_type, "").unwrap_or_else(|error| error.to_string());
        assert_eq!(found, expected, "{path} {data_type}");
    }
    // What does not convert is as good as not there.
    for (path, data_type) in [
        ("$.name", "INT"),
        ("$.max", "INT"),
        ("$.o", "LONG"),
        ("$.o", "DOUBLE"),
    ] {
        assert_eq!(
            extract(path, data_type, "-1")?.trim_end_matches(".0"),
            "-1",
            "{path}"
        );
    }
    assert_eq!(extract("$.mixed", "STRING_ARRAY", "'?'")?, "[1, ?, x]");
    Ok(())
}

#[test]
fn defaults() -> Result<(), Error> {
    // J1: extraction nests.
    let nested =
        "JSON_EXTRACT_SCALAR(JSON_EXTRACT_SCALAR(c, '$.name', 'STRING'), '$.last', 'STRING')";
    assert_eq!(table().rows(nested, false)?, ["Lovelace"]);
    // J3: a NULL default is null, or the placeholder of the type.
    for (data_type, placeholder) in [("LONG", "0"), ("STRING", "null"), ("DOUBLE", "0.0")] {
        let sql = format!("JSON_EXTRACT_SCALAR(c, '$.nope', '{data_type}', NULL)");
        assert_eq!(table().rows(&sql, true)?, ["NULL"]);
        assert_eq!(table().rows(&sql, false)?, [placeholder]);
    }
    // J4: no default, no answer.
    let error = extract("$.nope", "STRING", "").unwrap_err();
    assert_eq!(
        error.to_string(),
        "QueryExecutionError: Cannot resolve JSON path on some records. Consider setting a default \
         value."
    );
    let error = extract("$.mixed", "STRING_ARRAY", "").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("include nulls, which is not supported in Pinot")
    );
    for text in ["", "not json", "{\"a\":", "{} trailing", "null"] {
        let mut table = Table::new().texts("c", vec![Some(text)]);
        let sql = "JSON_EXTRACT_SCALAR(c, '$.a', 'STRING', 'none')";
        assert_eq!(table.rows(sql, true)?, ["none"], "{text:?}");
    }
    Ok(())
}

#[test]
fn other_functions() -> Result<(), Error> {
    let cases = [
        ("jsonPathString(c, '$.o.b')", "2"),
        ("jsonPathString(c, '$.nope', 'none')", "none"),
        ("jsonPathString(c, '$.nope')", "null"),
        ("jsonPathLong(c, '$.max')", "9223372036854775807"),
        ("jsonPathLong(c, '$.nope')", "-9223372036854775808"),
        ("jsonPathLong(c, '$.nope', 5)", "5"),
        ("jsonPathDouble(c, '$.n')", "1.5"),
        ("jsonPathDouble(c, '$.nope')", "NaN"),
        ("jsonPathExists(c, '$.o')", "true"),
        ("jsonPathExists(c, '$.nil')", "false"),
        ("jsonPathArray(c, '$.nums')", "[1, 2, 3]"),
        (
            "jsonExtractKey('{\"a\":1,\"b\":{\"c\":2}}', '$.*')",
            "[$['a'], $['b']]",
        ),
        (
            "jsonExtractKey('{\"a\":1,\"b\":{\"c\":2}}', '$..**')",
            "[$['a'], $['b'], $['b']['c']]",
        ),
        (
            "jsonExtractKey('{\"a\":1,\"b\":{\"c\":2}}', '$..**', 'dotNotation=true')",
            "[a, b, b.c]",
        ),
        (
            "jsonExtractKey('{\"a\":1,\"b\":{\"c\":2}}', '$..**', 'maxDepth=1')",
            "[$['a'], $['b']]",
        ),
        ("jsonFormat('a\"b')", r#""a\"b""#),
        ("jsonFormat(CAST('{ \"a\" : 1 }' AS JSON))", r#"{"a":1}"#),
        ("isJson(c)", "true"),
        ("isJson('{')", "false"),
        ("JSON_EXTRACT_SCALAR(toUtf8(c), '$.n', 'DOUBLE')", "1.5"),
    ];
    for (sql, expected) in cases {
        assert_eq!(table().rows(sql, false)?, [expected], "{sql}");
    }
    Ok(())
}

#[test]
fn refusals() {
    check_errors(&[
        (
            "JSON_EXTRACT_SCALAR(s, 'o.b', 'STRING')",
            700,
            "QueryValidationError: Illegal JSON path: o.b, \
             expression=jsonextractscalar(s,'o.b','STRING')",
        ),
        (
            "JSON_EXTRACT_SCALAR(s, '$.a', 'UUID')",
            700,
            "QueryValidationError: Unsupported results type: UUID for jsonExtractScalar function. \
             Supported types are: INT/LONG/FLOAT/DOUBLE/BIG_DECIMAL/BOOLEAN/TIMESTAMP/STRING/JSON/\
             BYTES/INT_ARRAY/LONG_ARRAY/FLOAT_ARRAY/DOUBLE_ARRAY/BIG_DECIMAL_ARRAY/BOOLEAN_ARRAY/\
             TIMESTAMP_ARRAY/STRING_ARRAY, expression=jsonextractscalar(s,'$.a','UUID')",
        ),
        (
            "JSON_EXTRACT_SCALAR(s, n, 'INT')",
            700,
            "QueryValidationError: argument 2 must be a literal, \
             expression=jsonextractscalar(s,n,'INT')",
        ),
    ]);
    for path in [
        "$.",
        "$..",
        "$[",
        "$[a]",
        "$['a'",
        "$[?(@.a",
        "$[?()]",
        "$[?(1 == )]",
        "$x",
        "",
        "$.a b",
    ] {
        assert_eq!(
            extract(path, "STRING", "'none'").unwrap_err().code(),
            700,
            "{path}"
        );
    }
}
