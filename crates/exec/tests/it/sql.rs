//! SQL texts to queries: names, options, rewrites, refusals and hostile input.

use std::time::{Duration, Instant};

use growler_exec::Error;
use growler_exec::options::QueryOptions;
use growler_exec::sql::ast::{Expr, Query, SelectItem};
use growler_exec::sql::names::{expr_text, filter_text, predicate_operator, result_name};
use growler_exec::sql::parse;
use proptest::prelude::*;

/// Parses `SELECT <list> FROM t` and returns the names of its columns.
fn names(list: &str, null_handling: bool) -> Result<Vec<String>, Error> {
    let query = parse(&format!("SELECT {list} FROM t"))?;
    Ok(names_of(&query, null_handling))
}

fn names_of(query: &Query, null_handling: bool) -> Vec<String> {
    let names = query.select.iter().map(|item| match item {
        SelectItem::All => "*".to_owned(),
        SelectItem::Expr { expr, alias } => {
            result_name(query, expr, alias.as_deref(), null_handling)
        }
    });
    names.collect()
}

fn filter(condition: &str) -> Result<String, Error> {
    let query = parse(&format!("SELECT a FROM t WHERE {condition}"))?;
    Ok(query
        .filter
        .map(|filter| filter_text(&filter, false))
        .unwrap_or_default())
}

#[test]
fn expressions_name_their_columns() -> Result<(), Error> {
    let cases = [
        ("a", "a"),
        ("\"a b\"", "a b"),
        ("\"quo\"\"te\"", "quo\"te"),
        ("t.a", "a"),
        ("$docId", "$docId"),
        ("$segmentName AS s", "s"),
        ("a AS \"the a\"", "the a"),
        ("a b", "b"),
        ("*", "*"),
        ("t.*", "*"),
        ("a.b", "a.b"),
        ("'mickey'", "'mickey'"),
        ("1", "'1'"),
        ("-1", "'-1'"),
        ("- -1", "'1'"),
        ("1.50", "'1.50'"),
        ("TRUE", "'true'"),
        ("NULL", "'null'"),
        ("'it''s'", "'it's'"),
        ("X'0AfF'", "'0aff'"),
        ("a + 1", "plus(a,'1')"),
        ("a - -1", "minus(a,'-1')"),
        ("-a", "minus('0',a)"),
        ("+a", "a"),
        ("a + b * c", "plus(a,times(b,c))"),
        ("(a + b) * c", "times(plus(a,b),c)"),
        ("a - b - c", "minus(minus(a,b),c)"),
        ("a / b % c", "mod(divide(a,b),c)"),
        ("a || '-' || b", "concat(concat(a,'-'),b)"),
        ("props['k']", "item(props,'k')"),
        ("props['device.os']", "item(props,'device.os')"),
        ("\"props\"['k']", "item(props,'k')"),
        ("t.props['k']", "item(props,'k')"),
        ("\"t\".\"props\"['k']", "item(props,'k')"),
        ("item(props, 'k')", "item(props,'k')"),
        ("props['it''s \"x\"']", "item(props,'it's \"x\"')"),
        ("MIN(props['k'])", "min(item(props,'k'))"),
        ("COUNT(*)", "count(*)"),
        ("COUNT(1)", "count(*)"),
        ("SUM(x)", "sum(x)"),
        ("COUNT(DISTINCT x)", "distinctcount(x)"),
        (
            "count(distinct props['k'])",
            "distinctcount(item(props,'k'))",
        ),
        ("SUM(DISTINCT x)", "distinctsum(x)"),
        ("AVG(DISTINCT x)", "distinctavg(x)"),
        ("DISTINCT_COUNT_HLL(x)", "distinctcounthll(x)"),
        ("PERCENTILE(x, 95)", "percentile(x,'95')"),
        ("PERCENTILE95(x)", "percentile(x,'95')"),
        ("PERCENTILETDIGEST99(x)", "percentiletdigest(x,'99')"),
        ("SUM(x) + 1", "plus(sum(x),'1')"),
        (
            "SUM(x) FILTER (WHERE a > 1)",
            "filter(sum(x),greater_than(a,'1'))",
        ),
        (
            "COUNT(*) FILTER(WHERE 1 < a AND b)",
            "filter(count(*),and(greater_than(a,'1'),equals(b,'true')))",
        ),
        ("FIRSTWITHTIME(a, ts, 'INT')", "firstwithtime(a,ts,'INT')"),
        (
            "CASE WHEN c < 10 THEN 'less' ELSE 'more' END",
            "case(less_than(c,'10'),'less','more')",
        ),
        (
            "CASE c WHEN 1 THEN 'a' WHEN 2 THEN 'b' END",
            "case(equals(c,'1'),'a',equals(c,'2'),'b')",
        ),
        ("CAST(x AS STRING)", "cast(x,'STRING')"),
        ("cast(x as varchar(20))", "cast(x,'VARCHAR')"),
        ("CAST(x AS DECIMAL(10, 2))", "cast(x,'DECIMAL')"),
        ("CAST(x AS INT ARRAY)", "cast(x,'INT_ARRAY')"),
        ("x::BIGINT", "cast(x,'BIGINT')"),
        (
            "props['k']::INT + 1",
            "plus(cast(item(props,'k'),'INT'),'1')",
        ),
        ("-x::INT", "minus('0',cast(x,'INT'))"),
        (
            "TIMESTAMP '2025-01-01 00:00:00'",
            "cast('2025-01-01 00:00:00','TIMESTAMP')",
        ),
        ("timestamp", "timestamp"),
        ("date", "date"),
        ("EXTRACT(year FROM ts)", "extract('YEAR',ts)"),
        ("EXTRACT('DOW', ts)", "extract('DOW',ts)"),
        ("YEAR(ts)", "year(ts)"),
        ("TRIM(x)", "trim(x)"),
        ("TRIM(LEADING FROM x)", "ltrim(x)"),
        ("trim(trailing from x)", "rtrim(x)"),
        ("SUBSTRING(x FROM 2 FOR 3)", "substring(x,'2','3')"),
        ("SUBSTRING(x, 2)", "substring(x,'2')"),
        ("SUBSTR(x, 0, 2)", "substr(x,'0','2')"),
        ("LEFT(x, 2)", "left(x,'2')"),
        (
            "JSON_EXTRACT_SCALAR(props, '$.a', 'STRING', 'none')",
            "jsonextractscalar(props,'$.a','STRING','none')",
        ),
        (
            "jsonExtractScalar(props['items'], '$[0]', 'INT', null)",
            "jsonextractscalar(item(props,'items'),'$[0]','INT','null')",
        ),
        ("concat(a, a, ':')", "concat(a,a,':')"),
        (
            "DATE_TRUNC('day', CAST(ts AS TIMESTAMP))",
            "datetrunc('day',cast(ts,'TIMESTAMP'))",
        ),
        ("a = 1", "equals(a,'1')"),
        ("1 = a", "equals('1',a)"),
        ("a <> b", "not_equals(a,b)"),
        ("a IS NULL", "is_null(a)"),
        ("NOT a", "not(a)"),
        ("a AND b AND c", "and(a,b,c)"),
        ("a AND (b AND c)", "and(a,b,c)"),
        ("a OR b AND c", "or(a,and(b,c))"),
        ("a IN (1, 2)", "in(a,'1','2')"),
        ("a NOT IN ('x')", "not_in(a,'x')"),
        ("a BETWEEN 1 AND 2", "between(a,'1','2')"),
        ("a LIKE 'x%'", "like(a,'x%')"),
        ("a IS DISTINCT FROM b", "isdistinctfrom(a,b)"),
        ("a IS NOT DISTINCT FROM 1", "isnotdistinctfrom(a,'1')"),
        ("now()", "now()"),
        ("coalesce(a, b, 'x')", "coalesce(a,b,'x')"),
        ("ADD(c, 0)", "plus(c,'0')"),
        ("ADD(a, b, c)", "plus(plus(a,b),c)"),
        ("\"CAST\"(a, 'INT')", "cast(a,'INT')"),
        (".5", "'0.5'"),
        ("Überraschung", "Überraschung"),
        ("\"列\" AS \"名前\"", "名前"),
    ];
    for (list, expected) in cases {
        assert_eq!(names(list, true)?, [expected], "{list}");
    }
    Ok(())
}

#[test]
fn null_handling_decides_the_name_of_a_count() -> Result<(), Error> {
    assert_eq!(
        names("COUNT(a), COUNT(*), COUNT(a) FILTER (WHERE b = 1)", false)?,
        ["count(*)", "count(*)", "filter(count(*),equals(b,'1'))"]
    );
    assert_eq!(names("COUNT(a), COUNT(*)", true)?, ["count(a)", "count(*)"]);
    Ok(())
}

#[test]
fn a_query_without_a_table_names_literals_bare() -> Result<(), Error> {
    let query = parse("SELECT 1, 'a', 2 AS two, upper('x')")?;
    assert_eq!(query.table, None);
    assert_eq!(names_of(&query, false), ["1", "a", "two", "upper('x')"]);
    Ok(())
}

#[test]
fn filters_take_one_shape_and_text() -> Result<(), Error> {
    let cases = [
        ("c = 'v'", "c = 'v'"),
        ("c = 1", "c = '1'"),
        ("1 = c", "c = '1'"),
        ("c != 1", "c != '1'"),
        ("c <> 1", "c != '1'"),
        ("5 < c", "c > '5'"),
        ("5 <= c", "c >= '5'"),
        ("5 > c", "c < '5'"),
        ("5 >= c", "c <= '5'"),
        ("c > -5.5", "c > '-5.5'"),
        ("c = true", "c = 'true'"),
        ("c", "c = 'true'"),
        ("NOT c", "(NOT c = 'true')"),
        ("startswith(c, 'x')", "startswith(c,'x') = 'true'"),
        ("props['k']", "item(props,'k') = 'true'"),
        ("props['k'] = 'x'", "item(props,'k') = 'x'"),
        ("c IN ('x', 'y')", "c IN ('x','y')"),
        ("c NOT IN (1, 20, 30)", "c NOT IN ('1','20','30')"),
        ("c BETWEEN 2 AND 101", "c BETWEEN '2' AND '101'"),
        ("c NOT BETWEEN 2 AND 101", "(NOT c BETWEEN '2' AND '101')"),
        ("c IS NULL", "c IS NULL"),
        ("c IS NOT NULL", "c IS NOT NULL"),
        ("NOT c IS NULL", "(NOT c IS NULL)"),
        ("c LIKE 'p%'", "regexp_like(c,'^p.*','i')"),
        ("c NOT LIKE 'p_x'", "(NOT regexp_like(c,'^p.x$','i'))"),
        ("c LIKE '50!%' ESCAPE '!'", r"regexp_like(c,'^50\%$','i')"),
        ("REGEXP_LIKE(c, 'p')", "regexp_like(c,'p')"),
        ("regexpLike(c, 'p', 'i')", "regexp_like(c,'p','i')"),
        ("a = b", "equals(a,b) = 'true'"),
        ("a < b + 1", "less_than(a,plus(b,'1')) = 'true'"),
        ("a * 5 < 1000", "times(a,'5') < '1000'"),
        (
            "a = 1 AND b = 2 OR c = 3",
            "((a = '1' AND b = '2') OR c = '3')",
        ),
        (
            "a = 1 AND (b = 2 OR c = 3)",
            "(a = '1' AND (b = '2' OR c = '3'))",
        ),
        ("NOT (a = 1 OR b = 2)", "(NOT (a = '1' OR b = '2'))"),
        ("a = 1 OR b = 2 OR c = 3", "(a = '1' OR b = '2' OR c = '3')"),
        ("a IS TRUE", "(a = 'true' AND a IS NOT NULL)"),
        (
            "a IS NOT FALSE",
            "(NOT ((NOT a = 'true') AND a IS NOT NULL))",
        ),
        ("true", "true"),
        ("c = upper('x')", "c = upper('x')"),
        (
            "\"c\"=1--comment\n AND/* other */ d=2",
            "(c = '1' AND d = '2')",
        ),
        (
            "CASE WHEN a > 1 THEN true ELSE false END",
            "case(greater_than(a,'1'),'true','false') = 'true'",
        ),
    ];
    for (condition, expected) in cases {
        assert_eq!(filter(condition)?, expected, "{condition}");
    }
    Ok(())
}

#[test]
fn predicates_have_operators() -> Result<(), Error> {
    let cases = [
        ("a = 1", Some("EQ")),
        ("a = b", Some("EQ")),
        ("a < b", Some("EQ")),
        ("a <> 1", Some("NOT_EQ")),
        ("a < 1", Some("RANGE")),
        ("a BETWEEN 1 AND 2", Some("RANGE")),
        ("a IN (1)", Some("IN")),
        ("a NOT IN (1)", Some("NOT_IN")),
        ("a LIKE 'x'", Some("REGEXP_LIKE")),
        ("a IS NULL", Some("IS_NULL")),
        ("a IS NOT NULL", Some("IS_NOT_NULL")),
        ("a = 1 OR a = 2", None),
    ];
    for (condition, expected) in cases {
        let query = parse(&format!("SELECT a FROM t WHERE {condition}"))?;
        let filter = query.filter.unwrap();
        assert_eq!(predicate_operator(&filter), expected, "{condition}");
    }
    Ok(())
}

#[test]
fn clauses_are_read() -> Result<(), Error> {
    let query = parse(
        "select a AS x, COUNT(*) n from default.events_OFFLINE e where e.b = 1 group by 1 \
         having n > 2 order by n desc nulls last, x limit 5 offset 7;",
    )?;
    assert_eq!(query.table.as_deref(), Some("events"));
    assert!(!query.explain && !query.distinct);
    assert_eq!(query.group_by, [Expr::Column("a".into())]);
    let having = query
        .having
        .as_ref()
        .map(|having| filter_text(having, false));
    assert_eq!(having.as_deref(), Some("count(*) > '2'"));
    let keys: Vec<_> = query
        .order_by
        .iter()
        .map(|key| (expr_text(&key.expr, false), key.descending, key.nulls_first))
        .collect();
    assert_eq!(
        keys,
        [
            ("count(*)".into(), true, Some(false)),
            ("a".into(), false, None)
        ]
    );
    assert_eq!((query.limit, query.offset), (5, 7));
    Ok(())
}

#[test]
fn limits_have_many_spellings() -> Result<(), Error> {
    let cases = [
        ("", (10, 0)),
        ("LIMIT 0", (0, 0)),
        ("LIMIT 5", (5, 0)),
        ("LIMIT 5 OFFSET 6", (5, 6)),
        ("LIMIT 6, 5", (5, 6)),
        ("OFFSET 6 LIMIT 5", (5, 6)),
        ("OFFSET 6", (10, 6)),
        ("OFFSET 6 ROWS FETCH NEXT 5 ROWS ONLY", (5, 6)),
        ("FETCH FIRST 1 ROW ONLY", (1, 0)),
        ("LIMIT 10000000", (10_000_000, 0)),
    ];
    for (clause, expected) in cases {
        let query = parse(&format!("SELECT a FROM t {clause}"))?;
        assert_eq!((query.limit, query.offset), expected, "{clause}");
    }
    Ok(())
}

#[test]
fn options_come_before_and_after() -> Result<(), Error> {
    let cases: [(&str, &[(&str, &str)]); 8] = [
        ("SELECT a FROM t", &[]),
        (
            "SET enableNullHandling = true; SELECT a FROM t",
            &[("enablenullhandling", "true")],
        ),
        (
            "set a=1; set B='x y';SELECT a FROM t;",
            &[("a", "1"), ("b", "x y")],
        ),
        ("SET a = -5; SET a = 6; SELECT a FROM t", &[("a", "6")]),
        (
            "SELECT a FROM t OPTION(timeoutMs=100, preserveType='true')",
            &[("preservetype", "true"), ("timeoutms", "100")],
        ),
        (
            "SELECT a FROM t LIMIT 5 OPTION(a=b) OPTION (c=d)",
            &[("a", "b"), ("c", "d")],
        ),
        ("SET a=1; SELECT a FROM t OPTION('a'='2')", &[("a", "2")]),
        (
            "SET \"skipIndexes\" = 'c=inverted,range&d=json'; SELECT a FROM t",
            &[("skipindexes", "c=inverted,range&d=json")],
        ),
    ];
    for (text, expected) in cases {
        let query = parse(text)?;
        let options: Vec<_> = query
            .options
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        assert_eq!(options, expected, "{text}");
        QueryOptions::try_new(&query.options, "")?;
    }
    Ok(())
}

#[test]
fn explain_is_read_behind_options() -> Result<(), Error> {
    let query = parse("SET explainPlanVerbose = true;\nEXPLAIN PLAN FOR SELECT a FROM t")?;
    assert!(query.explain && QueryOptions::try_new(&query.options, "")?.explain_verbose);
    Ok(())
}

#[test]
fn grouping_without_aggregates_is_distinct() -> Result<(), Error> {
    let cases = [
        ("SELECT DISTINCT a FROM t", true),
        ("SELECT a, b FROM t GROUP BY a, b", true),
        ("SELECT a, b FROM t GROUP BY b, a ORDER BY a", true),
        ("SELECT a AS x FROM t GROUP BY x", true),
        ("SELECT upper(a) FROM t GROUP BY upper(a)", true),
        ("SELECT a FROM t GROUP BY a, b", false),
        ("SELECT a, a || 'x' FROM t GROUP BY a", false),
        ("SELECT a, COUNT(*) FROM t GROUP BY a", false),
        ("SELECT a FROM t GROUP BY a ORDER BY COUNT(*)", false),
        ("SELECT a FROM t GROUP BY a HAVING COUNT(*) > 1", false),
        ("SELECT a FROM t", false),
    ];
    for (text, expected) in cases {
        let query = parse(text)?;
        assert_eq!(query.distinct, expected, "{text}");
        assert!(!query.distinct || query.group_by.is_empty(), "{text}");
    }
    Ok(())
}

#[test]
fn aliases_are_replaced_where_they_may_be() -> Result<(), Error> {
    let cases = [
        (
            "SELECT lower(a) AS a, COUNT(*) FROM t GROUP BY a",
            "lower(a)",
            "",
        ),
        ("SELECT SUM(x) AS x FROM t ORDER BY x", "", "sum(x)"),
        ("SELECT SUM(x) AS x FROM t ORDER BY SUM(x)", "", "sum(x)"),
        (
            "SELECT SUM(x) AS x, y FROM t GROUP BY y ORDER BY x + 1",
            "y",
            "plus(sum(x),'1')",
        ),
        ("SELECT a AS b, b AS a FROM t ORDER BY a", "", "b"),
        (
            "SELECT a, COUNT(*) FROM t GROUP BY 1 ORDER BY 2",
            "a",
            "count(*)",
        ),
        ("SELECT MAX(x) AS x, x AS y FROM t GROUP BY x", "x", ""),
    ];
    for (text, group_by, order_by) in cases {
        let query = parse(text)?;
        let texts = |exprs: Vec<&Expr>| {
            let texts: Vec<_> = exprs
                .into_iter()
                .map(|expr| expr_text(expr, false))
                .collect();
            texts.join(", ")
        };
        assert_eq!(texts(query.group_by.iter().collect()), group_by, "{text}");
        assert_eq!(
            texts(query.order_by.iter().map(|key| &key.expr).collect()),
            order_by,
            "{text}"
        );
    }
    Ok(())
}

fn check_refused(text: &str, code: u16, part: &str) {
    let error = match parse(text) {
        Ok(query) => panic!("{text} was accepted: {query:?}"),
        Err(error) => error,
    };
    assert_eq!(error.code(), code, "{text}: {error}");
    assert!(error.to_string().contains(part), "{text}: {error}");
}

#[test]
fn what_is_no_sql_is_refused_with_150() {
    let cases = [
        ("", "expected SELECT, found end of query"),
        ("   -- nothing\n", "expected SELECT"),
        ("SELECT", "expected an expression, found end of query"),
        ("SELEC a FROM t", "found 'SELEC' at Line: 1, Column: 1"),
        ("SELECT a FROM", "expected a table name"),
        ("SELECT FROM t", "expected an expression, found 'FROM'"),
        ("SELECT a, FROM t", "found 'FROM'"),
        ("SELECT a b c FROM t", "found 'c'"),
        ("SELECT a FROM t WHERE", "expected an expression"),
        ("SELECT a FROM t WHERE a =", "expected an expression"),
        ("SELECT a FROM t WHERE a = = 1", "found '='"),
        ("SELECT a FROM t WHERE (a = 1", "expected ')'"),
        ("SELECT a FROM t WHERE a = 1)", "found ')'"),
        ("SELECT a FROM t GROUP a", "found 'a'"),
        ("SELECT a FROM t ORDER BY", "expected an expression"),
        ("SELECT a FROM t LIMIT", "expected a row count"),
        ("SELECT a FROM t LIMIT -1", "expected a row count"),
        ("SELECT a FROM t LIMIT 1.5", "expected a whole row count"),
        ("SELECT a FROM t LIMIT ALL", "expected a row count"),
        ("SELECT a FROM t LIMIT 'x'", "expected a row count"),
        ("SELECT 'abc FROM t", "Unterminated string literal"),
        ("SELECT \"abc FROM t", "Expected close delimiter"),
        ("SELECT a /* FROM t", "EOF"),
        ("SELECT props['k' FROM t", "expected ']'"),
        ("SELECT props[] FROM t", "expected an expression"),
        ("SELECT a IN () FROM t", "expected an expression"),
        (
            "SELECT a IS FROM t",
            "expected NULL, TRUE, FALSE or DISTINCT FROM",
        ),
        ("SELECT CASE END FROM t", "expected WHEN"),
        ("SELECT CASE WHEN a THEN b FROM t", "expected END"),
        ("SELECT CAST(a) FROM t", "expected AS"),
        ("SELECT a BETWEEN 1 FROM t", "expected AND"),
        (
            "SELECT a LIKE 'x' ESCAPE 'ab' FROM t",
            "one character in quotes",
        ),
        ("SELECT 1e999 FROM t", "number is out of range"),
        ("SELECT X'abc' FROM t", "invalid bytes"),
        (
            "SELECT a FROM t; SELECT b FROM t",
            "expected a single query",
        ),
        ("SELECT a FROM t OPTION", "expected '('"),
        ("SELECT a FROM t OPTION(a)", "expected '='"),
        ("SELECT a FROM t OPTION(a=)", "expected an option value"),
        ("SET a = 1", "expected ';' and a query after SET"),
        ("SET = 1; SELECT a FROM t", "expected an option name"),
        ("SET a = ; SELECT a FROM t", "expected an option value"),
        ("EXPLAIN SELECT a FROM t", "expected PLAN FOR"),
        ("SELECT ; FROM t", "expected an expression"),
        ("SELECT a FROM t WHERE ?", "expected an expression"),
        ("SELECT a @ b FROM t", "found"),
        ("SELECT a AS FROM t", "found"),
        ("SELECT 1 2 FROM t", "found '2'"),
        ("SELECT t. FROM t", "expected"),
    ];
    for (text, part) in cases {
        check_refused(text, 150, part);
        check_refused(
            text,
            150,
            "SQLParsingError: Caught exception while parsing query: ",
        );
    }
}

#[test]
fn what_is_not_allowed_is_refused_with_700() {
    let cases = [
        (
            "SELECT a FROM t JOIN u ON t.a = u.a",
            "JOIN is not supported",
        ),
        (
            "SELECT a FROM t LEFT OUTER JOIN u ON t.a = u.a",
            "JOIN is not supported",
        ),
        ("SELECT a FROM t x CROSS JOIN u", "JOIN is not supported"),
        ("SELECT a FROM t, u", "more than one table is not supported"),
        (
            "SELECT a FROM (SELECT a FROM t)",
            "subquery is not supported",
        ),
        (
            "SELECT a FROM t WHERE a IN (SELECT b FROM u)",
            "subquery is not supported",
        ),
        ("SELECT (SELECT 1) FROM t", "subquery is not supported"),
        (
            "SELECT a FROM t WHERE EXISTS (SELECT 1)",
            "EXISTS is not supported",
        ),
        (
            "SELECT a FROM t UNION SELECT a FROM u",
            "UNION is not supported",
        ),
        (
            "SELECT a FROM t EXCEPT SELECT a FROM u",
            "EXCEPT is not supported",
        ),
        (
            "WITH x AS (SELECT 1) SELECT a FROM x",
            "WITH is not supported",
        ),
        ("INSERT INTO t VALUES (1)", "INSERT is not supported"),
        ("DELETE FROM t", "DELETE is not supported"),
        ("UPDATE t SET a = 1", "UPDATE is not supported"),
        ("DROP TABLE t", "DROP is not supported"),
        ("CREATE TABLE t (a INT)", "CREATE is not supported"),
        ("SHOW TABLES", "SHOW is not supported"),
        ("(SELECT a FROM t)", "query in parentheses is not supported"),
        (
            "SELECT RANK() OVER (ORDER BY a) FROM t",
            "window function is not supported",
        ),
        (
            "SELECT SUM(a) OVER (PARTITION BY b) FROM t",
            "window function is not supported",
        ),
        ("SELECT a FROM unnest(x)", "table function is not supported"),
        (
            "SELECT a FROM t GROUP BY ROLLUP(a)",
            "ROLLUP is not supported",
        ),
        (
            "SELECT a FROM t GROUP BY GROUPING SETS ((a))",
            "GROUPING SETS is not supported",
        ),
        (
            "SELECT INTERVAL '1' DAY FROM t",
            "INTERVAL is not supported",
        ),
        (
            "SELECT ARRAY[1, 2] FROM t",
            "ARRAY literal is not supported",
        ),
        (
            "SELECT a FROM t WHERE (a, b) IN ((1, 2))",
            "row of several values is not supported",
        ),
        (
            "SELECT MIN(DISTINCT a) FROM t",
            "DISTINCT in MIN is not supported",
        ),
        (
            "SELECT COUNT(DISTINCT a, b) FROM t",
            "several expressions is not supported",
        ),
        (
            "SELECT equals(a) FROM t",
            "wrong number of arguments: function=equals arguments=1",
        ),
        (
            "SELECT \"and\"() FROM t",
            "wrong number of arguments: function=and arguments=0",
        ),
        ("SELECT is_null(a, b) FROM t", "wrong number of arguments"),
        ("SELECT \"cast\"(a) FROM t", "wrong number of arguments"),
        ("SELECT item(a) FROM t", "wrong number of arguments"),
        ("SELECT PERCENTILE95() FROM t", "has no argument"),
        ("SELECT SUM(*) FROM t", "'*' in SUM is not supported"),
        ("SELECT SUM() FROM t", "has no argument"),
        ("SELECT upper(*) FROM t", "need an aggregation function"),
        ("SELECT SUM(MAX(a)) FROM t", "cannot be nested"),
        (
            "SELECT a FROM t WHERE SUM(a) > 1",
            "not allowed in WHERE clause",
        ),
        (
            "SELECT props['a']['b'] FROM t",
            "Map Item: Left operand must be an identifier",
        ),
        (
            "SELECT upper(a)['b'] FROM t",
            "Map Item: Left operand must be an identifier",
        ),
        (
            "SELECT props[b] FROM t",
            "Map Item: Right operand must be a literal",
        ),
        (
            "SELECT props[0] FROM t",
            "Map Item: Right operand must be a literal",
        ),
        (
            "SELECT a FROM t WHERE a = NULL",
            "Using NULL in EQUALS filter is not supported",
        ),
        (
            "SELECT a FROM t WHERE NULL <> a",
            "Using NULL in NOT_EQUALS filter is not supported",
        ),
        (
            "SELECT a FROM t WHERE a > NULL",
            "Using NULL in GREATER_THAN filter is not supported",
        ),
        (
            "SELECT a FROM t WHERE a IN (1, NULL)",
            "Using NULL in IN filter is not supported",
        ),
        (
            "SELECT a FROM t WHERE a NOT IN (NULL)",
            "Using NULL in NOT_IN filter is not supported",
        ),
        (
            "SELECT a FROM t WHERE NOT a BETWEEN NULL AND 2",
            "Using NULL in BETWEEN filter",
        ),
        (
            "SELECT a FROM t WHERE a LIKE NULL",
            "Using NULL in LIKE filter is not supported",
        ),
        (
            "SELECT COUNT(*) FILTER (WHERE a = NULL) FROM t",
            "Using NULL in EQUALS filter",
        ),
        (
            "SELECT a, COUNT(*) FROM t GROUP BY a HAVING COUNT(*) = NULL",
            "Using NULL in EQUALS",
        ),
        (
            "SELECT a FROM t WHERE a IN (b)",
            "right-hand side of IN is not supported",
        ),
        (
            "SELECT a FROM t WHERE a LIKE b",
            "right-hand side of LIKE is not supported",
        ),
        (
            "SELECT a FROM t WHERE a BETWEEN b AND 2",
            "right-hand side of BETWEEN",
        ),
        (
            "SELECT a, SUM(b) FROM t",
            "Columns and Aggregate functions can't co-exist without GROUP BY clause",
        ),
        (
            "SELECT *, SUM(b) FROM t",
            "Columns and Aggregate functions can't co-exist",
        ),
        (
            "SELECT a, SUM(b) FROM t GROUP BY c",
            "'a' should be functionally dependent on the columns used in GROUP BY clause.",
        ),
        (
            "SELECT upper(a), COUNT(*) FROM t GROUP BY lower(a)",
            "'upper(a)' should be functionally dependent",
        ),
        (
            "SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY b",
            "'b' should be functionally dependent",
        ),
        (
            "SELECT * FROM t GROUP BY a",
            "'*' should be functionally dependent",
        ),
        (
            "SELECT COUNT(*) FROM t GROUP BY COUNT(*)",
            "Aggregate expression 'count(*)' is not allowed in GROUP BY clause.",
        ),
        (
            "SELECT a FROM t HAVING a > 1",
            "HAVING is not supported without GROUP BY",
        ),
        ("SELECT DISTINCT * FROM t", "DISTINCT with *"),
        (
            "SELECT DISTINCT SUM(a) FROM t",
            "DISTINCT with aggregation functions",
        ),
        (
            "SELECT DISTINCT a FROM t GROUP BY a",
            "DISTINCT with GROUP BY is not supported",
        ),
        (
            "SELECT DISTINCT a FROM t ORDER BY b",
            "ORDER-BY columns should be included in the DISTINCT columns",
        ),
        (
            "SELECT DISTINCT a FROM t LIMIT 0",
            "DISTINCT must have positive LIMIT",
        ),
        (
            "SELECT a FROM t GROUP BY 2",
            "Expected Ordinal value to be between 1 and 1, found 2",
        ),
        (
            "SELECT a FROM t ORDER BY 0",
            "Expected Ordinal value to be between 1 and 1, found 0",
        ),
        ("SELECT a FROM t ORDER BY -1", "found -1"),
        ("SELECT * FROM t ORDER BY 1", "ordinal stands for '*'"),
        ("SELECT a", "Data source (FROM clause) not found"),
        ("SELECT *", "Data source (FROM clause) not found"),
        ("SELECT COUNT(*)", "Data source (FROM clause) not found"),
        (
            "SELECT 1 WHERE 1 = 1",
            "Data source (FROM clause) not found",
        ),
        (
            "SELECT a FROM t LIMIT 10000001",
            "Value for 'LIMIT' (10000001) exceeds maximum allowed value of 10000000",
        ),
        (
            "SELECT a FROM t LIMIT 99999999999999999999999",
            "exceeds maximum allowed value of 10000000",
        ),
        (
            "SELECT a FROM t LIMIT 1 OFFSET 10000001",
            "Value for 'OFFSET'",
        ),
        (
            "SELECT a LIKE 'x!' ESCAPE '!' FROM t",
            "ends in its escape character",
        ),
    ];
    for (text, part) in cases {
        check_refused(text, 700, part);
    }
}

#[test]
fn words_may_be_columns_and_quoted_ones_always_are() -> Result<(), Error> {
    let free = [
        "timestamp",
        "date",
        "time",
        "value",
        "key",
        "user",
        "count",
        "year",
        "month",
        "position",
        "filter",
        "option",
        "offset",
        "first",
        "last",
        "rows",
        "end",
        "set",
        "plan",
        "explain",
        "left",
        "right",
        "array",
        "json",
        "type",
        "language",
        "interval",
        "case_id",
        "groups",
    ];
    for word in free {
        let query = parse(&format!(
            "SELECT {word} FROM t WHERE {word} = 1 ORDER BY {word}"
        ))?;
        assert_eq!(names_of(&query, false), [word]);
    }
    for word in [
        "select", "from", "where", "group", "order", "limit", "null", "case", "distinct",
    ] {
        let query = parse(&format!(
            "SELECT \"{word}\" FROM \"{word}\" WHERE \"{word}\" = 1"
        ))?;
        assert_eq!(names_of(&query, false), [word]);
        assert_eq!(query.table.as_deref(), Some(word));
    }
    Ok(())
}

/// Parses a hostile text, which must end soon, and returns the error code, 0 for none.
fn code_soon(text: &str) -> u16 {
    let start = Instant::now();
    let code = parse(text).err().map_or(0, |error| {
        assert!(
            error.to_string().len() < 2_000,
            "long message for {}",
            &text[..text.len().min(40)]
        );
        error.code()
    });
    let spent = start.elapsed();
    assert!(
        spent < Duration::from_secs(20),
        "{spent:?} for {}…",
        &text[..text.len().min(40)]
    );
    code
}

#[test]
fn hostile_nesting_is_refused_soon() {
    let openings = [
        "(",
        "NOT ",
        "NOT(",
        "-",
        "- ",
        "+",
        "CASE WHEN ",
        "CASE(",
        "CAST(",
        "EXTRACT(YEAR FROM ",
        "f(",
        "SUM(",
        "TRIM(",
        "SUBSTRING(",
        "POSITION(",
        "a IN (",
        "props[",
        "a BETWEEN ",
        "((((",
        "EXISTS(",
        "INTERVAL(",
        "a LIKE (",
        "(SELECT ",
        "COUNT(*) FILTER (WHERE ",
        "ARRAY(",
        "[",
        "a + (",
        "CASE a WHEN ",
        "TIMESTAMP(",
        "x = (",
        "x IS DISTINCT FROM (",
    ];
    for opening in openings {
        for count in [10_usize, 60, 200, 3_000] {
            let nested = opening.repeat(count);
            for text in [
                format!("SELECT {nested}"),
                format!("SELECT {nested}1 FROM t"),
                format!("SELECT a FROM t WHERE {nested}1{}", ")".repeat(count)),
                format!("SELECT a FROM t WHERE {nested} ] "),
            ] {
                code_soon(&text);
            }
        }
    }
    let deep = |count: usize| {
        format!(
            "SELECT a FROM t WHERE {}a = 1{}",
            "(".repeat(count),
            ")".repeat(count)
        )
    };
    assert_eq!(code_soon(&deep(60)), 0);
    assert_eq!(code_soon(&deep(10_000)), 150);
}

#[test]
fn long_chains_are_bounded_but_wide_ones_pass() {
    let chain = |operand: &str, operator: &str, count: usize| {
        format!(
            "SELECT a FROM t WHERE {}",
            vec![operand; count].join(operator)
        )
    };
    assert_eq!(code_soon(&chain("a = 1", " OR ", 20_000)), 0);
    assert_eq!(code_soon(&chain("a = 1", " AND ", 20_000)), 0);
    assert_eq!(code_soon(&chain("a", " + ", 100)), 0);
    assert_eq!(code_soon(&chain("a", " + ", 50_000)), 150);
    assert_eq!(code_soon(&chain("a", " = ", 50_000)), 150);
    assert_eq!(code_soon(&chain("a", "::INT", 1)), 0);
    assert_eq!(code_soon(&chain("a = 1", " OR ", 60_000)), 150);
    let members = vec!["1"; 90_000].join(",");
    assert_eq!(
        code_soon(&format!("SELECT a FROM t WHERE a IN ({members})")),
        0
    );
    let members = vec!["1"; 110_000].join(",");
    assert_eq!(
        code_soon(&format!("SELECT a FROM t WHERE a IN ({members})")),
        150
    );
}

#[test]
fn aliases_cannot_multiply_a_query() {
    let members = vec!["1"; 20_000].join(",");
    let list = vec!["x"; 1_000].join(",");
    let text = format!("SELECT a IN ({members}) AS x FROM t ORDER BY {list}");
    assert_eq!(code_soon(&text), 150);
    let truths = " IS TRUE".repeat(60);
    assert_eq!(code_soon(&format!("SELECT a FROM t WHERE a{truths}")), 150);
    let whens = " WHEN 1 THEN 2".repeat(1_000);
    assert_eq!(
        code_soon(&format!("SELECT CASE a IN ({members}){whens} END FROM t")),
        150
    );
    let sum = vec!["a"; 120].join("+");
    let text = format!(
        "SELECT {sum} AS x FROM t ORDER BY {}",
        vec!["x"; 30].join("+")
    );
    assert_eq!(code_soon(&text), 150);
}

#[test]
fn long_texts_are_refused() {
    let name = "n".repeat(1_024);
    assert_eq!(code_soon(&format!("SELECT {name} FROM t")), 0);
    assert_eq!(code_soon(&format!("SELECT {name}x FROM t")), 150);
    assert_eq!(
        code_soon(&format!("SELECT \"{}\" FROM t", "é".repeat(1_024))),
        0
    );
    assert_eq!(
        code_soon(&format!("SELECT \"{}\" FROM t", "é".repeat(1_025))),
        150
    );
    assert_eq!(
        code_soon(&format!("SELECT '{}' FROM t", "x".repeat(1 << 20))),
        150
    );
    assert_eq!(code_soon(&"(".repeat(1 << 20)), 150);
    assert_eq!(
        code_soon(&format!("SELECT {} FROM t", "9".repeat(100_000))),
        150
    );
    assert_eq!(
        code_soon(&format!("SELECT 'x' FROM t -- {}", "(".repeat(100_000))),
        0
    );
}

#[test]
fn texts_cut_or_spoiled_anywhere_do_not_panic() {
    let texts = [
        "SET a = 'b'; EXPLAIN PLAN FOR SELECT t.a AS \"x\", COUNT(DISTINCT props['k.é']) FILTER \
         (WHERE b NOT LIKE 'x!%' ESCAPE '!') FROM t WHERE (a BETWEEN -1 AND 2.5e3 OR b IN ('it''s', \
         X'00')) AND NOT c IS NOT NULL GROUP BY 1, CASE WHEN a THEN b ELSE CAST(c AS INT) END \
         HAVING x > 1 ORDER BY 2 DESC NULLS LAST LIMIT 1, 2 OPTION(k='v')",
        "SELECT EXTRACT(YEAR FROM ts), TRIM(LEADING FROM a), SUBSTRING(a FROM 1 FOR 2), x::INT, \
         a || b, TIMESTAMP '2020-01-01', a IS NOT DISTINCT FROM b /* c */ FROM \"t\" -- end",
    ];
    for text in texts {
        for (at, character) in text.char_indices() {
            let _ = parse(&text[..at]);
            let _ = parse(&text[at..]);
            let rest = &text[at + character.len_utf8()..];
            let _ = parse(&format!("{}{rest}", &text[..at]));
            for spoiler in [
                "'", "\"", "(", ")", "[", "\0", "𝄞", ";", ".", "$", "FROM", "*", "/*",
            ] {
                let _ = parse(&format!("{}{spoiler}{rest}", &text[..at]));
            }
        }
    }
}

proptest! {
    #[test]
    fn any_text_parses_or_is_refused(text in any::<String>()) {
        let _ = parse(&text);
        let _ = parse(&format!("SELECT {text} FROM t"));
        let _ = parse(&format!("SELECT a FROM t WHERE {text}"));
    }

    #[test]
    fn any_tokens_parse_or_are_refused(words in proptest::collection::vec(
        proptest::sample::select(vec![
            "SELECT", "a", "FROM", "t", "WHERE", "(", ")", ",", "=", "<>", "NOT", "IN", "LIKE",
            "BETWEEN", "AND", "OR", "IS", "NULL", "CASE", "WHEN", "THEN", "ELSE", "END", "CAST",
            "AS", "INT", "[", "]", "'k'", "1", "-", "+", "*", ".", "GROUP", "BY", "ORDER", "LIMIT",
            "COUNT", "DISTINCT", "FILTER", "||", "::", ";", "SET", "OPTION", "\"q\"", "HAVING",
        ]), 0..40)) {
        let text = words.join(" ");
        let _ = parse(&text);
        let _ = parse(&format!("SELECT a FROM t WHERE {text}"));
    }
}

#[test]
fn queries_of_the_documentation_and_of_clients_parse() -> Result<(), Error> {
    let texts = [
        "SELECT props FROM events_variant WHERE user_id = 'u-0'",
        "SELECT COUNT(*) FROM events_variant WHERE props['page_type'] = 'HOME'",
        "SELECT COUNT(*) FROM events_variant WHERE props['device.os'] IS NULL",
        "SELECT COUNT(*) FROM events_variant WHERE props['user_tier'] IN ('gold', 'silver')",
        "SELECT COUNT(*) FROM events_variant WHERE props['user_tier'] <> 'gold'",
        "SELECT COUNT(*) FROM events_variant WHERE props['latency_ms'] >= 100",
        "SET enableNullHandling = true;\nSELECT MIN(props['latency_ms']), COUNT(props['latency_ms']) FROM events_variant",
        "SELECT COUNT(DISTINCT props['page_type']) FROM events_variant",
        "SELECT props['page_type'] AS page_type, COUNT(*) AS events\nFROM events_variant\nGROUP BY props['page_type']\nORDER BY COUNT(*) DESC",
        "SELECT user_id, props['latency_ms'] FROM events_variant ORDER BY props['latency_ms'] DESC LIMIT 10",
        "SELECT COUNT(*) FROM events_variant WHERE CAST(props['latency_ms'] AS STRING) = '100'",
        "SELECT COUNT(*) FROM events_variant\nWHERE JSON_EXTRACT_SCALAR(props['items'], '$[0].promo.code', 'STRING', 'none') = 'P0'",
        "-- Same element, addressed from the column root\nSELECT COUNT(*) FROM events_variant\nWHERE JSON_EXTRACT_SCALAR(props, '$.items[0].promo.code', 'STRING', 'none') = 'P0'",
        "SELECT COUNT(*) FROM events_variant WHERE props['tags'] = '[]'",
        "SET explainPlanVerbose = true;\nEXPLAIN PLAN FOR SELECT COUNT(*) FROM events_variant WHERE props['page_type'] = 'HOME'",
        "SELECT CAST(DATE_TRUNC('day', CAST(ts AS TIMESTAMP)) AS TIMESTAMP), COUNT(*) FROM t GROUP BY CAST(DATE_TRUNC('day', CAST(ts AS TIMESTAMP)) AS TIMESTAMP) ORDER BY COUNT(*) DESC LIMIT 50000",
        "SELECT CAST(ROUND(DATE_TRUNC('minute', CAST(ts AS TIMESTAMP)), 300000) AS TIMESTAMP) FROM t",
        "SELECT c, COUNT(*) FROM t GROUP BY c ORDER BY 1 DESC NULLS LAST",
        "SELECT c1, COUNT(c2) FROM t GROUP BY c1 HAVING NOT (c1 IS NULL)",
        "SELECT (CASE WHEN c = -2147483648 THEN 1 ELSE 2 END) + 0 FROM t",
        "SELECT c FROM t WHERE NOT(c + 0 > 0) AND GREATEST(c1, c2) < 0 OR STARTSWITH(c, NULL)",
        "SELECT \"count\"(*) AS \"count\" FROM \"t\" ORDER BY \"count\" DESC LIMIT 5 OPTION(preserveType='true')",
        "SELECT ARRAY_AGG(c, 'INT', true), LASTWITHTIME(c, ts, 'STRING'), BOOL_AND(b) FROM t",
        "SELECT 1, COUNT(*) FROM t",
        "SELECT * , $docId, $segmentName FROM t LIMIT 0",
    ];
    for text in texts {
        parse(text)?;
    }
    Ok(())
}
