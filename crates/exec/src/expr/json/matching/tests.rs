use super::Matcher;

/// Documents of Pinot's `JsonMatchQueriesTest`.
const DOCUMENTS: [&str; 29] = [
    "null",
    "1",
    r#""foo""#,
    "true",
    "[1,2,3]",
    r#"[1,"foo",true]"#,
    r#"[1,["foo",true]]"#,
    r#"[{"key":1},{"key":"foo"}]"#,
    r#"{"key":null}"#,
    r#"{"key":1}"#,
    r#"{"key":"foo"}"#,
    r#"{"key":true}"#,
    r#"{"key":[1,["foo",true]]}"#,
    r#"{"key":[1,["foo",[true]]],"key2":[2,["bar",false]]}"#,
    "{}",
    r#"{"cities":["New York"]}"#,
    r#"{"cities":["Washington","New York"]}"#,
    r#"{"cities":["New York","Washington"]}"#,
    r#"{"cities":["Washington"]}"#,
    r#"{"cities":["San Francisco"]}"#,
    r#"{"cities":["San Francisco","Miami","Washington"]}"#,
    r#"{"cities":[]}"#,
    r#"{"cities":[""]}"#,
    r#"{"cities":["Washington","Washington"]}"#,
    r#"{"country":"USA"}"#,
    r#"{"country":"Canada"}"#,
    r#"{"country":"Mexico"}"#,
    r#"{"country":""}"#,
    r#"{"country":null}"#,
];

fn matching(filter: &str, documents: &[&str]) -> Vec<usize> {
    let matcher = Matcher::parse(filter).unwrap();
    let rows = documents.iter().enumerate();
    rows.filter(|(_, document)| matcher.matches(document).unwrap())
        .map(|(row, _)| row)
        .collect()
}

#[test]
fn matches_what_pinot_matches() {
    let cases: &[(&str, &[usize])] = &[
        (r#""$"=1"#, &[1]),
        (r#""$" IN (1,'foo')"#, &[1, 2]),
        (r#""$" IS NOT NULL"#, &[1, 2, 3]),
        (r#""$[0]"=1"#, &[4, 5, 6]),
        (r#""$[*]"=2"#, &[4]),
        (r#""$[2]"=true"#, &[5]),
        (r#""$[*][*]"=1"#, &[]),
        (r#""$[1][0]"='foo'"#, &[6]),
        (r#""$[1].key"='foo'"#, &[7]),
        (r#""$.key"=1"#, &[9]),
        (r#""$.key" IS NOT NULL"#, &[9, 10, 11]),
        (r#""$.key[0]"=1"#, &[12, 13]),
        (r#""$.key[1][1][0]"=true"#, &[13]),
        (r#""$.key[0]"=1 AND "$.key2[0]"=2"#, &[13]),
        (
            r#""$.cities[*]" != 'Washington'"#,
            &[15, 16, 17, 19, 20, 22],
        ),
        (r#""$.cities[0]" != 'Washington'"#, &[15, 17, 19, 20, 22]),
        (
            r#""$.cities[0]" NOT IN ('Washington','New York')"#,
            &[19, 20, 22],
        ),
        (
            r#""$.cities[*]" NOT IN ('Washington','New York')"#,
            &[19, 20, 22],
        ),
        (r#""$.country" != 'USA'"#, &[25, 26, 27]),
        (r#"REGEXP_LIKE("$.country", '[MC][ea].*')"#, &[25, 26]),
        (r#""$.country" < 'Romania'"#, &[25, 26, 27]),
        (r#"country = 'USA' OR "cities[0]" = ''"#, &[22, 24]),
        (r#"NOT ("$.country" = 'USA')"#, &[25, 26, 27]),
        (r#""$.country" LIKE 'can%'"#, &[25]),
        (
            r#"NOT ("$.key" IS NULL OR "$.key" IN ('foo', 'true'))"#,
            &[9],
        ),
        (r#""$['key']" BETWEEN 0 AND 5"#, &[9]),
        (r#""$[*]" >= 3"#, &[4]),
    ];
    for (filter, expected) in cases {
        assert_eq!(matching(filter, &DOCUMENTS), *expected, "{filter}");
    }
    let missing = matching(r#""$.country" IS NULL"#, &DOCUMENTS);
    let there = matching(r#""$.country" IS NOT NULL"#, &DOCUMENTS);
    let all: Vec<usize> = (0..DOCUMENTS.len()).collect();
    let rest = all.iter().filter(|row| !there.contains(row));
    assert_eq!(missing, rest.copied().collect::<Vec<_>>());
}

#[test]
fn conditions_on_one_array_hold_for_one_element() {
    let documents = [
        r#"{"a":[{"x":1,"y":1},{"x":2,"y":2}]}"#,
        r#"{"a":[{"x":1,"y":2}]}"#,
        r#"{"a":[{"x":1}],"b":[3,4]}"#,
        r#"{"a":[{"x":1,"z":[7,8]},{"x":2,"z":[8]}],"b":[3,4]}"#,
        r#"{"a.b":5}"#,
        r#"{"a":{"b":5}}"#,
        "{",
        r#"{"n":1.0}"#,
        r#"{"n":1}"#,
    ];
    let cases: &[(&str, &[usize])] = &[
        (r#""$.a[*].x" = 1 AND "$.a[*].y" = 2"#, &[1]),
        (r#""$.a[0].x" = 1 AND "$.a[1].x" = 2"#, &[]),
        (r#""$.a[*].x" = 1 AND "$.b[*]" = 4"#, &[2, 3]),
        (r#""$.b[*]" = 3 AND "$.b[*]" = 4"#, &[]),
        (r#""$.a[*].x" = 2 AND "$.a[*].z[*]" = 7"#, &[]),
        (r#""$.a[*].x" = 2 AND "$.a[*].z[*]" = 8"#, &[3]),
        (r#""$.a.b" = 5"#, &[4, 5]),
        (r#""$['a.b']" = 5"#, &[4]),
        (r#""$.n" = 1"#, &[8]),
        (r#""$.n" >= 1"#, &[7, 8]),
        (r#""$.n" IS NULL"#, &[0, 1, 2, 3, 4, 5, 6]),
    ];
    for (filter, expected) in cases {
        assert_eq!(matching(filter, &documents), *expected, "{filter}");
    }
}

/// Puts a document below a name of so many steps.
fn nested(document: &str, steps: usize) -> String {
    format!(r#"{{"{}":{document}}}"#, vec!["a"; steps].join("."))
}

#[test]
fn combinations_are_bounded_and_few_where_few_conditions_are_asked() {
    let list = (0..3000).map(|n| n.to_string()).collect::<Vec<_>>();
    let list = list.join(",");
    let document = format!(r#"{{"a":[{list}],"b":[{list}],"c":[{list}]}}"#);
    let filter = r#""$.a[*]" = 1 AND "$.b[*]" = 2999 AND "$.c[*]" > 2998.5"#;
    assert!(Matcher::parse(filter).unwrap().matches(&document).unwrap());

    let names = ["a", "b", "c"].iter();
    let filter: Vec<String> = names
        .flat_map(|name| (0..20).map(move |n| format!("\"$.{name}[*]\" = {n}")))
        .collect();
    let matcher = Matcher::parse(&filter.join(" AND ")).unwrap();
    let error = matcher.matches(&document).unwrap_err().to_string();
    assert!(error.contains("too many combinations"), "{error}");

    let elements = (0..11).map(|n| format!(r#""c{n}":["x","y"]"#));
    let lists = format!("{{{}}}", elements.collect::<Vec<_>>().join(","));
    let dotted =
        (1..40).map(|n| format!(r#""{}":{}"#, vec!["a"; n].join("."), nested(&lists, 40 - n)));
    let document = format!("{{{}}}", dotted.collect::<Vec<_>>().join(","));
    let steps = vec!["a"; 40].join(".");
    let conditions = (0..11).map(|n| format!(r#""$.{steps}.c{n}[*]" = 'x'"#));
    let filter = conditions.collect::<Vec<_>>().join(" AND ");
    let error = Matcher::parse(&filter).unwrap().matches(&document);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("too many combinations"), "{error}");

    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(!matcher.matches(&deep).unwrap());
}

#[test]
fn filters_that_are_none_are_refused() {
    let long = vec![r#""$.a" = 1"#; 65].join(" OR ");
    let cases = [
        (r#""$.a" IS NULL AND "$.b" = 1"#, "cannot be nested"),
        (
            r#"NOT ("$.a" IS NOT NULL AND "$.b" = 1)"#,
            "cannot be nested",
        ),
        ("'a' = 'b'", "must be an identifier"),
        (r#""$.a" = "$.b""#, "no literal"),
        (r#""$.a[" = 1"#, "wrong key"),
        (r#""$." = 1"#, "wrong key"),
        (r#""$a" = 1"#, "wrong key"),
        (r#""$.a[-1]" = 1"#, "wrong key"),
        (r#""$.a" ="#, "wrong JSON_MATCH filter"),
        ("", "wrong JSON_MATCH filter"),
        (r#""$.a" = 1 GROUP BY x"#, "wrong JSON_MATCH filter"),
        (r#"lower("$.a") = 'x'"#, "must be an identifier"),
        (r#""$.a" = NULL"#, "NULL"),
        (r#"REGEXP_LIKE("$.a", '(')"#, "("),
        (long.as_str(), "too many conditions"),
    ];
    for (filter, expected) in cases {
        let error = Matcher::parse(filter).unwrap_err().to_string();
        assert!(error.contains(expected), "{filter}: {error}");
    }
}
