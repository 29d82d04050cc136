//! The plan of a query instead of its answer.

use crate::{
    error::Error,
    explain::{self, ExplainNode, PlanShape},
    options::QueryOptions,
    plan::{BoundSegment, Plan, Shape, describe::describe},
    response::{BrokerResponse, QueryStatistics},
    run::query::Runner,
    sql::ast::Query,
};

impl Runner<'_> {
    /// Explains a plan on every segment.
    ///
    /// # Errors
    /// [`Error::Execution`] when a file does not have a column in a form that can be read.
    pub fn explain(
        &self,
        plan: &Plan,
        query: &Query,
        options: &QueryOptions,
    ) -> Result<BrokerResponse, Error> {
        let candidates = self.candidates(plan);
        let mut trees = Vec::with_capacity(candidates.len());
        for idx in candidates {
            let bound = self.bind(plan, idx)?;
            trees.push(self.tree(plan, query, &bound, options));
        }
        let shape = PlanShape {
            broker_reduce: explain::broker_reduce(query, options),
            combine: combine(plan).to_owned(),
        };
        let explanation = explain::explain(&shape, &trees, options.explain_verbose);
        let statistics = QueryStatistics {
            total_docs: self.view.row_count(),
            num_segments_queried: self.view.segments().len() as u64,
            explain_plan_num_empty_filter_segments: explanation.num_empty_filter_segments,
            explain_plan_num_match_all_filter_segments: explanation.num_match_all_filter_segments,
            ..QueryStatistics::default()
        };
        let result_table = Some(explanation.table);
        Ok(BrokerResponse {
            result_table,
            statistics,
            ..BrokerResponse::default()
        })
    }

    fn tree(
        &self,
        plan: &Plan,
        query: &Query,
        segment: &BoundSegment,
        options: &QueryOptions,
    ) -> ExplainNode {
        describe(plan, query, segment, options.null_handling)
    }
}

fn combine(plan: &Plan) -> &'static str {
    match &plan.shape {
        Shape::Select { sort, .. } if sort.is_empty() => "COMBINE_SELECT",
        Shape::Select { .. } => "COMBINE_SELECT_ORDERBY",
        Shape::Group(grouping) if grouping.is_distinct => "COMBINE_DISTINCT",
        Shape::Group(grouping) if grouping.keys.is_empty() => "COMBINE_AGGREGATE",
        Shape::Group(_) => "COMBINE_GROUP_BY",
    }
}
