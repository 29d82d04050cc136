//! A plan as EXPLAIN shows it for one segment, in Pinot's words.

use growler_base::RowGroupIdx;

use super::{BoundSegment, Grouping, Plan, Shape};
use crate::{
    explain::ExplainNode,
    filter::{Filter, Leaf, Predicate},
    lookup::{Answer, Shortcut, Via},
    prune::{
        Extent, Verdict,
        verdict::{leaf_verdict, verdict},
    },
    sql::{
        ast::{Expr, Query},
        names::{expr_text, predicate_operator, predicate_text},
    },
};

/// Returns the operators of a plan on one segment.
pub fn describe(
    plan: &Plan,
    query: &Query,
    segment: &BoundSegment,
    null_handling: bool,
) -> ExplainNode {
    let describer = Describer {
        plan,
        query,
        segment,
        null_handling,
    };
    if let Shape::Group(grouping) = &plan.shape
        && plan.filter.is_true()
        && grouping.only_counts_rows()
    {
        return ExplainNode::leaf("AGGREGATE_NO_SCAN");
    }
    if describer.is_pruned() {
        return ExplainNode::pruned();
    }
    match Shortcut::of(plan, segment) {
        None => {}
        Some(Shortcut::Values) => return ExplainNode::leaf("AGGREGATE_NO_SCAN"),
        Some(Shortcut::Count) => {
            return ExplainNode::over("FAST_FILTERED_COUNT", describer.filter());
        }
        Some(Shortcut::Groups) => return ExplainNode::leaf(describer.dictionary_groups()),
    }
    let rows = ExplainNode::over("DOC_ID_SET", describer.filter());
    let exprs = describer.projected();
    let columns = describer.columns(&exprs);
    let mut below = ExplainNode::over(format!("PROJECT({})", columns.join(", ")), rows);
    if exprs.iter().any(|expr| !matches!(expr, Expr::Column(_))) {
        let mut texts: Vec<String> = exprs.iter().map(|expr| describer.text(expr)).collect();
        texts.sort();
        texts.dedup();
        below = ExplainNode::over(format!("TRANSFORM({})", texts.join(", ")), below);
    }
    ExplainNode::over(describer.root(), below)
}

struct Describer<'p> {
    plan: &'p Plan,
    query: &'p Query,
    segment: &'p BoundSegment,
    null_handling: bool,
}

/// What is known of a filter in a whole segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Empty,
    All,
    Unknown,
}

impl Describer<'_> {
    fn text(&self, expr: &Expr) -> String {
        expr_text(expr, self.null_handling)
    }

    fn texts<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> String {
        exprs
            .into_iter()
            .map(|expr| self.text(expr))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn root(&self) -> String {
        let (query, selected) = (self.query, self.plan.selected.iter());
        match &self.plan.shape {
            Shape::Select { sort, .. } => {
                let name = if sort.is_empty() {
                    "SELECT"
                } else {
                    "SELECT_ORDERBY"
                };
                format!("{name}(selectList:{})", self.texts(selected))
            }
            Shape::Group(grouping) if grouping.is_distinct => {
                format!("DISTINCT(keyColumns:{})", self.texts(selected))
            }
            Shape::Group(grouping) => {
                let aggregations = self.texts(&self.plan.aggregations);
                if grouping.keys.is_empty() {
                    let filtered = grouping.aggregates.iter().any(|one| one.filter.is_some());
                    let name = if filtered {
                        "AGGREGATE_FILTERED"
                    } else {
                        "AGGREGATE"
                    };
                    return format!("{name}(aggregations:{aggregations})");
                }
                let keys = self.texts(&query.group_by);
                format!("GROUP_BY(groupKeys:{keys}, aggregations:{aggregations})")
            }
        }
    }

    /// Returns the operator of groups that a dictionary and its counts give.
    fn dictionary_groups(&self) -> String {
        let root = self.root();
        let (name, rest) = root.split_once('(').unwrap_or((&root, ""));
        format!("{name}_DICTIONARY({rest}")
    }

    /// Returns the expressions evaluated for each row.
    fn projected(&self) -> Vec<&Expr> {
        let order_by = self.query.order_by.iter().map(|key| &key.expr);
        let exprs: Vec<&Expr> = match &self.plan.shape {
            Shape::Select { .. } => self.plan.selected.iter().chain(order_by).collect(),
            Shape::Group(Grouping {
                is_distinct: true, ..
            }) => self.plan.selected.iter().collect(),
            Shape::Group(_) => {
                let calls = self.plan.aggregations.iter().filter_map(|expr| match expr {
                    Expr::Aggregate(call) => Some(call),
                    Expr::Column(_) | Expr::Item { .. } | Expr::Literal(_) | Expr::Call { .. } => {
                        None
                    }
                });
                let counts_rows = |name: &str| name == "count" && !self.null_handling;
                let calls = calls.filter(|call| !counts_rows(&call.name));
                // Constants of an aggregate, such as a percentile, are no expressions of rows.
                let args = calls
                    .flat_map(|call| &call.args)
                    .filter(|arg| !arg.is_constant());
                self.query.group_by.iter().chain(args).collect()
            }
        };
        exprs
    }

    /// Returns the columns under some expressions, in order, each once.
    fn columns(&self, exprs: &[&Expr]) -> Vec<String> {
        let mut columns: Vec<String> = Vec::new();
        for expr in exprs {
            expr.visit(&mut |expr| {
                if let Expr::Column(column) | Expr::Item { column, .. } = expr
                    && !columns.contains(column)
                {
                    columns.push(column.clone());
                }
                true
            });
        }
        columns
    }

    /// Tells whether statistics exclude the whole segment.
    fn is_pruned(&self) -> bool {
        let known = self.known(|row_group| verdict(&self.plan.filter, self.segment, row_group));
        known == Known::Empty && !self.has_constant_leaf()
    }

    /// Tells whether the filter is empty for another reason than statistics: these stay visible.
    fn has_constant_leaf(&self) -> bool {
        let mut found = matches!(self.plan.filter, Filter::Constant(_));
        self.plan.filter.visit(&mut |leaf| {
            found |= matches!(leaf.expr.as_call(), Some((_, [Expr::Item { .. }, ..])))
                && self.known_leaf(leaf) == Known::Empty;
        });
        found
    }

    fn known(&self, verdict: impl Fn(RowGroupIdx) -> Verdict) -> Known {
        let mut row_groups = self
            .segment
            .segment()
            .row_groups()
            .map(|(idx, _)| verdict(idx).trues);
        let Some(first) = row_groups.next() else {
            return Known::Empty;
        };
        match first {
            Extent::None if row_groups.all(|trues| trues == Extent::None) => Known::Empty,
            Extent::All if row_groups.all(|trues| trues == Extent::All) => Known::All,
            _ => Known::Unknown,
        }
    }

    fn known_leaf(&self, leaf: &Leaf) -> Known {
        self.known(|row_group| leaf_verdict(leaf, self.segment, row_group))
    }

    fn filter(&self) -> ExplainNode {
        self.node(&self.plan.filter)
    }

    fn match_all(&self) -> ExplainNode {
        ExplainNode::match_all_filter(self.segment.live_row_count())
    }

    fn node(&self, filter: &Filter) -> ExplainNode {
        match filter {
            Filter::Constant(Some(true)) => self.match_all(),
            Filter::Constant(_) => ExplainNode::empty_filter(),
            Filter::Leaf(leaf) => self.leaf(leaf),
            Filter::Not(child) => self.negation(child),
            Filter::And(children) => self.joined(
                "FILTER_AND",
                children,
                ExplainNode::empty_filter(),
                self.match_all(),
            ),
            Filter::Or(children) => self.joined(
                "FILTER_OR",
                children,
                self.match_all(),
                ExplainNode::empty_filter(),
            ),
        }
    }

    fn negation(&self, child: &Filter) -> ExplainNode {
        let node = self.node(child);
        match node == self.match_all() {
            true => ExplainNode::empty_filter(),
            // The opposite of nothing is everything only where nothing is null.
            false if node == ExplainNode::empty_filter() && !self.null_handling => self.match_all(),
            false => ExplainNode::over("FILTER_NOT", node),
        }
    }

    /// Joins children: one `absorbing` child decides alone, `neutral` ones are left out.
    fn joined(
        &self,
        name: &str,
        children: &[Filter],
        absorbing: ExplainNode,
        neutral: ExplainNode,
    ) -> ExplainNode {
        let nodes: Vec<ExplainNode> = children.iter().map(|child| self.node(child)).collect();
        if nodes.contains(&absorbing) {
            return absorbing;
        }
        let mut kept: Vec<ExplainNode> =
            nodes.into_iter().filter(|node| *node != neutral).collect();
        match kept.len() {
            0 => neutral,
            1 => kept.pop().unwrap_or(neutral),
            _ => ExplainNode::over_all(name, kept),
        }
    }

    fn leaf(&self, leaf: &Leaf) -> ExplainNode {
        let operator = predicate_operator(&leaf.expr).unwrap_or("EQ");
        let predicate = predicate_text(&leaf.expr, self.null_handling);
        let known = self.known_leaf(leaf);
        let via = self.segment.lookups().answer(leaf).map(Answer::via);
        if let Some((_, [Expr::Item { column, key }, ..])) = leaf.expr.as_call() {
            let delegate = match (known, &leaf.predicate, via) {
                (Known::Empty, ..) => "match_none",
                (_, Predicate::IsNull { .. }, _) | (_, _, Some(Via::Nulls)) => "null_vector",
                (_, _, Some(Via::Inverted)) => "inverted_index",
                (_, _, Some(Via::Range)) => "range_index",
                (_, _, Some(Via::Dictionary)) => "dictionary",
                (_, _, Some(Via::Bloom)) => "bloom_filter",
                (_, _, Some(Via::Json)) => "json_index",
                (_, _, None) => "full_scan",
            };
            return ExplainNode::leaf(format!(
                "FILTER_MAP(column:{column},key:{key},indexLookUp:map_index,operator:{operator},\
                 predicate:{predicate},delegateTo:{delegate})"
            ));
        }
        let (name, index) = match (known, &leaf.predicate, via) {
            (Known::Empty, ..) => return ExplainNode::empty_filter(),
            (Known::All, ..) => return self.match_all(),
            (_, Predicate::IsNull { .. }, _) | (_, _, Some(Via::Nulls)) => {
                return ExplainNode::leaf("FILTER_BITMAP");
            }
            (_, _, Some(Via::Inverted)) => ("FILTER_INVERTED_INDEX", "indexLookUp:inverted_index,"),
            (_, _, Some(Via::Range)) => ("FILTER_RANGE_INDEX", "indexLookUp:range_index,"),
            (_, _, Some(Via::Dictionary)) => ("FILTER_DICTIONARY", "indexLookUp:dictionary,"),
            (_, _, Some(Via::Bloom)) => ("FILTER_BLOOM_FILTER", "indexLookUp:bloom_filter,"),
            (_, _, Some(Via::Json)) => ("FILTER_JSON_INDEX", "indexLookUp:json_index,"),
            (_, Predicate::Test { operand, .. }, None) if operand.bare_slot().is_some() => {
                ("FILTER_FULL_SCAN", "")
            }
            (_, Predicate::Test { .. } | Predicate::Boolean(_), None) => ("FILTER_EXPRESSION", ""),
        };
        ExplainNode::leaf(format!(
            "{name}({index}operator:{operator},predicate:{predicate})"
        ))
    }
}
