//! EXPLAIN: which index each segment uses.

use growler_index::{Kind, Kinds};

use super::harness::{Indexed, all_kinds, complete, inverted};
use crate::indexing::Wanted;
use crate::support::{sample, view};

#[test]
fn segments_that_are_shredded_differently_are_groups_of_their_own() {
    let view = view("t", sample("spark/perfile").to_str().unwrap());
    let field = view.schema().field("props").unwrap().clone();
    let path = growler_segment::KeyPath::parse("page_type").unwrap();
    let typed: Vec<bool> = view
        .segments()
        .iter()
        .map(|segment| segment.key_type(&field, &path).unwrap().is_some())
        .collect();
    let expected = typed.iter().filter(|typed| **typed).count();
    assert!(expected > 0 && expected < typed.len());
    // A key is indexed where its file types it; one other file has the index of the remainder.
    let remainder = typed.iter().position(|typed| !typed).unwrap();
    let table = Indexed::new(view, |idx| {
        let wanted = Wanted::new("props", Some("page_type"), inverted());
        match typed[idx] || idx == remainder {
            true => (vec![wanted], Vec::new()),
            false => (Vec::new(), Vec::new()),
        }
    });
    let sql = "SELECT user_id FROM t WHERE props['page_type'] = 'HOME'";
    table.check(sql);
    let plan = table.plan(&format!(
        "SET explainPlanVerbose = true; EXPLAIN PLAN FOR {sql}"
    ));
    let count = |end: &str| plan.iter().filter(|row| row.ends_with(end)).count();
    assert_eq!(count("delegateTo:inverted_index)"), 1, "{plan:#?}");
    assert_eq!(count("delegateTo:json_index)"), 1, "{plan:#?}");
    let others = typed.len() - expected - 1;
    assert_eq!(
        count("delegateTo:full_scan)"),
        usize::from(others > 0),
        "{plan:#?}"
    );
    let start = format!("PLAN_START(numSegmentsForThisPlan:{expected})");
    assert!(plan.contains(&start), "{plan:#?}");
}

#[test]
fn each_index_has_its_operator() {
    let range = Kinds::NONE.with(Kind::Dictionary).with(Kind::Range);
    let wanted = [
        Wanted::new("user_id", None, inverted()),
        Wanted::new("ts", None, range),
        Wanted::new("props", Some("latency_ms"), range),
        Wanted::new("props", Some("user_tier"), inverted()),
    ];
    let table = Indexed::sample("spark/seed4_typed.parquet", &wanted, &[complete()]);
    let map = |key: &str, operator: &str, predicate: &str, delegate: &str| {
        format!(
            "FILTER_MAP(column:props,key:{key},indexLookUp:map_index,operator:{operator},\
             predicate:item(props,'{key}'){predicate},delegateTo:{delegate})"
        )
    };
    for (filter, expected) in [
        (
            "user_id = 'u-1'",
            "FILTER_INVERTED_INDEX(indexLookUp:inverted_index,operator:EQ,predicate:user_id = 'u-1')"
                .to_owned(),
        ),
        (
            "user_id NOT IN ('u-1', 'u-0')",
            "FILTER_INVERTED_INDEX(indexLookUp:inverted_index,operator:NOT_IN,\
             predicate:user_id NOT IN ('u-1','u-0'))"
                .to_owned(),
        ),
        (
            "ts BETWEEN 1789700000001 AND 1789700004000",
            "FILTER_RANGE_INDEX(indexLookUp:range_index,operator:RANGE,\
             predicate:ts BETWEEN '1789700000001' AND '1789700004000')"
                .to_owned(),
        ),
        (
            "props['latency_ms'] > 100",
            map("latency_ms", "RANGE", " > '100'", "range_index"),
        ),
        (
            "props['latency_ms'] IS NULL",
            map("latency_ms", "IS_NULL", " IS NULL", "null_vector"),
        ),
        (
            "props['user_tier'] = 'gold'",
            map("user_tier", "EQ", " = 'gold'", "json_index"),
        ),
        (
            "props['user_tier'] = 'silver'",
            map("user_tier", "EQ", " = 'silver'", "match_none"),
        ),
        (
            "props['tags'] = '[]'",
            map("tags", "EQ", " = '[]'", "full_scan"),
        ),
        ("user_id = 'u-10'", "FILTER_EMPTY".to_owned()),
    ] {
        let sql = format!("SELECT user_id FROM t WHERE {filter} OR UPPER(user_id) = 'U-0'");
        table.check(&sql);
        let plan = table.plan(&format!("EXPLAIN PLAN FOR {sql}"));
        let shown = plan.contains(&expected);
        let dropped = expected == "FILTER_EMPTY" && !plan.contains(&"FILTER_OR".to_owned());
        assert!(shown || dropped, "{filter}\n{expected}\n{plan:#?}");
    }
}

#[test]
fn a_proof_names_what_proves() {
    let cases = [
        (Kinds::NONE.with(Kind::Bloom), "bloom_filter"),
        (Kinds::NONE.with(Kind::Dictionary), "dictionary"),
        (inverted(), "inverted_index"),
    ];
    for (kinds, delegate) in cases {
        let wanted = [Wanted::new("props", Some("latency_ms"), kinds)];
        let table = Indexed::sample("spark/seed4_typed.parquet", &wanted, &[]);
        let sql = "SELECT user_id FROM t WHERE props['latency_ms'] <> 999999";
        table.check(sql);
        let plan = table.plan(&format!(
            "SET enableNullHandling = true; EXPLAIN PLAN FOR {sql}"
        ));
        let expected = format!("delegateTo:{delegate})");
        assert!(plan[6].ends_with(&expected), "{expected} {plan:#?}");
    }
}

#[test]
fn skipped_kinds_are_not_used() {
    let wanted = [
        Wanted::new("ts", None, all_kinds()),
        Wanted::new("props", Some("page_type"), inverted()),
        Wanted::new("props", Some("user_tier"), inverted()),
    ];
    let table = Indexed::sample("spark/seed4_typed.parquet", &wanted, &[complete()]);
    for (filter, skipped, delegate) in [
        ("ts = 1789700001000", "ts=range", "FILTER_INVERTED_INDEX"),
        ("ts = 1789700001000", "ts=inverted", "FILTER_RANGE_INDEX"),
        (
            "ts = 1789700001000",
            "ts=inverted,range",
            "FILTER_FULL_SCAN",
        ),
        ("ts = 1789700001000", "*=inverted,range", "FILTER_FULL_SCAN"),
        (
            "ts = 1789700001000",
            "props=inverted,range",
            "FILTER_INVERTED_INDEX",
        ),
        (
            "props['page_type'] = 'HOME'",
            "props=json",
            "inverted_index",
        ),
        ("props['page_type'] = 'HOME'", "props=inverted", "full_scan"),
        (
            "props['page_type'] = 'HOME'",
            "props$page_type=inverted",
            "full_scan",
        ),
        (
            "props['user_tier'] = 'gold'",
            "props=inverted",
            "json_index",
        ),
        ("props['user_tier'] = 'gold'", "props=json", "full_scan"),
        ("props['user_tier'] = 'gold'", "*", "full_scan"),
        ("props['nokey'] <> 'x'", "props=json", "full_scan"),
    ] {
        let sql = format!("SELECT user_id FROM t WHERE {filter}");
        table.check(&format!("SET skipIndexes = '{skipped}'; {sql}"));
        let plan = format!("SET skipIndexes = '{skipped}'; EXPLAIN PLAN FOR {sql}");
        let plan = table.plan(&plan);
        let shown = plan.last().unwrap();
        assert!(shown.contains(delegate), "{skipped} {filter} {shown}");
    }
}

#[test]
fn an_index_that_costs_more_than_the_scan_is_declined() {
    let numbers: Vec<Option<i32>> = (0..200_000)
        .map(|row| Some((row * 7919) % 200_003))
        .collect();
    let table = crate::generate::batch(vec![("c", crate::generate::ints(&numbers))]);
    let files = crate::generate::Files::new(&[table], crate::generate::Cut::default());
    let with = |kinds: Kinds| {
        let wanted = Wanted::new("c", None, kinds);
        Indexed::new(files.view("t"), |_| (vec![wanted.clone()], Vec::new()))
    };
    let (postings, both) = (with(inverted()), with(inverted().with(Kind::Range)));
    for (filter, alone, together) in [
        ("c = 5", "FILTER_INVERTED_INDEX", "FILTER_INVERTED_INDEX"),
        ("c <> 5", "FILTER_INVERTED_INDEX", "FILTER_INVERTED_INDEX"),
        ("c < 50", "FILTER_INVERTED_INDEX", "FILTER_INVERTED_INDEX"),
        ("c >= 50", "FILTER_INVERTED_INDEX", "FILTER_INVERTED_INDEX"),
        ("c < 100000", "FILTER_FULL_SCAN", "FILTER_RANGE_INDEX"),
        ("c LIKE '%7%'", "FILTER_FULL_SCAN", "FILTER_FULL_SCAN"),
    ] {
        let sql = format!("SELECT COUNT(*), SUM(c) FROM t WHERE {filter}");
        for (table, expected) in [(&postings, alone), (&both, together)] {
            table.check(&sql);
            let plan = table.plan(&format!("EXPLAIN PLAN FOR {sql}"));
            let shown = plan.last().unwrap();
            assert!(shown.starts_with(expected), "{filter} {shown}");
        }
    }
}
