//! EXPLAIN rows: ids, groups, which group is shown, and the first row's text.

use growler_exec::Error;
use growler_exec::explain::{
    ExplainNode, Explanation, PlanShape, broker_reduce, evaluate_only, explain,
};
use growler_exec::options::QueryOptions;
use growler_exec::sql::parse;

fn rows(explanation: &Explanation) -> Vec<String> {
    let mut json = Vec::new();
    explanation.table.write_json_rows(&mut json).unwrap();
    let rows: Vec<(String, i32, i32)> = serde_json::from_slice(&json).unwrap();
    rows.into_iter()
        .map(|(text, id, parent)| format!("{text} {id},{parent}"))
        .collect()
}

fn shape(sql: &str, combine: &str) -> Result<PlanShape, Error> {
    let query = parse(sql)?;
    let options = QueryOptions::try_new(&query.options, "")?;
    Ok(PlanShape {
        broker_reduce: broker_reduce(&query, &options),
        combine: combine.into(),
    })
}

/// Makes `texts[0]` over `texts[1]` over .. over the leaf.
fn chain(texts: &[&str], leaf: ExplainNode) -> ExplainNode {
    texts
        .iter()
        .rev()
        .fold(leaf, |child, text| ExplainNode::over(*text, child))
}

const COLUMNS: [&str; 3] = ["SELECT(selectList:a, b)", "PROJECT(a, b)", "DOC_ID_SET"];

#[test]
fn e1_plain_selection() -> Result<(), Error> {
    let shape = shape(
        "EXPLAIN PLAN FOR SELECT a, b FROM t LIMIT 100",
        "COMBINE_SELECT",
    )?;
    let plan = chain(&COLUMNS, ExplainNode::match_all_filter(3));
    let explanation = explain(&shape, &vec![plan; 4], false);
    assert_eq!(
        rows(&explanation),
        [
            "BROKER_REDUCE(limit:100) 1,0",
            "COMBINE_SELECT 2,1",
            "PLAN_START(numSegmentsForThisPlan:4) -1,-1",
            "SELECT(selectList:a, b) 3,2",
            "PROJECT(a, b) 4,3",
            "DOC_ID_SET 5,4",
            "FILTER_MATCH_ENTIRE_SEGMENT(docs:3) 6,5",
        ]
    );
    assert_eq!(
        explanation.table.names,
        ["Operator", "Operator_Id", "Parent_Id"]
    );
    let types: Vec<_> = explanation.table.type_names().collect();
    assert_eq!(types, ["STRING", "INT", "INT"]);
    assert_eq!(explanation.num_match_all_filter_segments, 4);
    assert_eq!(explanation.num_empty_filter_segments, 0);
    Ok(())
}

#[test]
fn children_of_one_operator_share_its_id_as_parent() -> Result<(), Error> {
    let shape = shape(
        "SELECT COUNT(*) FROM t WHERE a = 1 AND (b = 2 OR c = 3)",
        "COMBINE_AGGREGATE",
    )?;
    let or = ExplainNode::over_all(
        "FILTER_OR",
        vec![ExplainNode::leaf("B"), ExplainNode::leaf("C")],
    );
    let and = ExplainNode::over_all(
        "FILTER_AND",
        vec![ExplainNode::leaf("A"), or, ExplainNode::leaf("D")],
    );
    let explanation = explain(&shape, &[chain(&["FAST_FILTERED_COUNT"], and)], false);
    assert_eq!(
        rows(&explanation)[2..],
        [
            "PLAN_START(numSegmentsForThisPlan:1) -1,-1",
            "FAST_FILTERED_COUNT 3,2",
            "FILTER_AND 4,3",
            "A 5,4",
            "FILTER_OR 6,4",
            "B 7,6",
            "C 8,6",
            "D 9,4",
        ]
    );
    Ok(())
}

#[test]
fn the_first_row_tells_what_is_left_to_do() -> Result<(), Error> {
    let cases = [
        ("SELECT a FROM t", "BROKER_REDUCE(limit:10)"),
        (
            "SELECT concat(a, a, ':') FROM t ORDER BY 1 DESC",
            "BROKER_REDUCE(sort:[concat(a,a,':') DESC],limit:10)",
        ),
        (
            "SELECT b, MAX(c) FROM t GROUP BY b HAVING MAX(c) > 2 ORDER BY MAX(c) DESC",
            "BROKER_REDUCE(havingFilter:max(c) > '2',sort:[max(c) DESC],limit:10)",
        ),
        (
            "SELECT b, MAX(c) FROM t GROUP BY b HAVING MAX(c) > 2 AND NOT MIN(c) < 1 LIMIT 5",
            "BROKER_REDUCE(havingFilter:(max(c) > '2' AND (NOT min(c) < '1')),limit:5)",
        ),
        (
            "SELECT e, f FROM t ORDER BY e, f DESC NULLS LAST LIMIT 7 OFFSET 3",
            "BROKER_REDUCE(sort:[e ASC, f DESC NULLS LAST],limit:7)",
        ),
        (
            "SELECT SUM(a) + 1, SUM(a), upper(b) FROM t GROUP BY b",
            "BROKER_REDUCE(limit:10,postAggregations:plus(sum(a),'1'))",
        ),
        (
            "SELECT COUNT(a) FROM t ORDER BY COUNT(a)",
            "BROKER_REDUCE(sort:[count(*) ASC],limit:10)",
        ),
        (
            "SET enableNullHandling = true; SELECT COUNT(a) FROM t ORDER BY COUNT(a)",
            "BROKER_REDUCE(sort:[count(a) ASC],limit:10)",
        ),
    ];
    for (sql, expected) in cases {
        assert_eq!(shape(sql, "")?.broker_reduce, expected, "{sql}");
    }
    Ok(())
}

#[test]
fn e6_verbose_shows_every_group_and_plain_the_most_telling_one() -> Result<(), Error> {
    let shape = shape(
        "SELECT a, b FROM t WHERE a = 'x' OR b = 'y'",
        "COMBINE_SELECT",
    )?;
    let empty = chain(&COLUMNS, ExplainNode::empty_filter());
    let index = chain(&COLUMNS, ExplainNode::leaf("FILTER_INVERTED_INDEX(..)"));
    let plans = [empty.clone(), empty.clone(), index, empty];
    let tail = |filter: &str| {
        let above = [
            "SELECT(selectList:a, b) 3,2",
            "PROJECT(a, b) 4,3",
            "DOC_ID_SET 5,4",
        ];
        let mut rows = above.map(str::to_owned).to_vec();
        rows.push(format!("{filter} 6,5"));
        rows
    };
    let start = |count: u32| format!("PLAN_START(numSegmentsForThisPlan:{count}) -1,-1");

    let verbose = explain(&shape, &plans, true);
    let mut expected = vec![start(3)];
    expected.extend(tail("FILTER_EMPTY"));
    expected.push(start(1));
    expected.extend(tail("FILTER_INVERTED_INDEX(..)"));
    assert_eq!(rows(&verbose)[2..], expected);

    let plain = explain(&shape, &plans, false);
    let mut expected = vec![start(1)];
    expected.extend(tail("FILTER_INVERTED_INDEX(..)"));
    assert_eq!(rows(&plain)[2..], expected);
    assert_eq!(plain.num_empty_filter_segments, 3);
    Ok(())
}

#[test]
fn one_group_is_chosen_by_kind_then_depth_then_order() -> Result<(), Error> {
    let shape = shape("SELECT a FROM t", "COMBINE_SELECT")?;
    let pruned = ExplainNode::pruned;
    let empty = || chain(&["S"], ExplainNode::empty_filter());
    let all = || chain(&["S"], ExplainNode::match_all_filter(3));
    let scan = || chain(&["S"], ExplainNode::leaf("FILTER_FULL_SCAN"));
    let deep = || chain(&["S", "FILTER_NOT"], ExplainNode::leaf("FILTER_FULL_SCAN"));
    let cases: [(Vec<ExplainNode>, &str); 6] = [
        (vec![pruned(), empty()], "FILTER_EMPTY"),
        (
            vec![all(), empty(), pruned()],
            "FILTER_MATCH_ENTIRE_SEGMENT(docs:3)",
        ),
        (vec![all(), scan(), empty()], "FILTER_FULL_SCAN"),
        (vec![scan(), deep(), all()], "FILTER_NOT"),
        (
            vec![scan(), chain(&["T"], ExplainNode::leaf("OTHER"))],
            "FILTER_FULL_SCAN",
        ),
        (
            vec![
                chain(&["S", "FILTER_AND", "DEEP"], ExplainNode::empty_filter()),
                scan(),
            ],
            "FILTER_FULL_SCAN",
        ),
    ];
    for (plans, expected) in cases {
        let rows = rows(&explain(&shape, &plans, false));
        assert_eq!(
            rows.iter()
                .filter(|row| row.starts_with("PLAN_START"))
                .count(),
            1
        );
        assert_eq!(rows[4].split(' ').next(), Some(expected), "{rows:?}");
    }
    Ok(())
}

#[test]
fn pruned_segments_have_one_row() -> Result<(), Error> {
    let shape = shape("SELECT a FROM t", "COMBINE_SELECT")?;
    let pruned = [ExplainNode::pruned(), ExplainNode::pruned()];
    assert_eq!(
        rows(&explain(&shape, &pruned, false)),
        [
            "BROKER_REDUCE(limit:10) 1,0",
            "PLAN_START(numSegmentsForThisPlan:2) -1,-1",
            "ALL_SEGMENTS_PRUNED_ON_SERVER 2,1",
        ]
    );
    let mixed = [
        ExplainNode::pruned(),
        chain(&["S"], ExplainNode::match_all_filter(1)),
    ];
    assert_eq!(
        rows(&explain(&shape, &mixed, true))[1..4],
        [
            "COMBINE_SELECT 2,1",
            "PLAN_START(numSegmentsForThisPlan:1) -1,-1",
            "ALL_SEGMENTS_PRUNED_ON_SERVER 3,2",
        ]
    );
    assert_eq!(
        rows(&explain(&shape, &[], false)),
        ["BROKER_REDUCE(limit:10) 1,0"]
    );
    Ok(())
}

#[test]
fn a_query_without_a_table_is_evaluated() {
    assert_eq!(rows(&evaluate_only()), ["BROKER_EVALUATE 0,-1"]);
}
