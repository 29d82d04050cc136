//! Operators of one segment's plan, as a tree of texts.

/// Text of a filter that no row passes.
pub const FILTER_EMPTY: &str = "FILTER_EMPTY";
/// Beginning of the text of a filter that every row passes.
pub const FILTER_MATCH_ENTIRE_SEGMENT: &str = "FILTER_MATCH_ENTIRE_SEGMENT";
/// Text of a segment's whole plan when pruning left the segment out.
pub const ALL_SEGMENTS_PRUNED_ON_SERVER: &str = "ALL_SEGMENTS_PRUNED_ON_SERVER";

/// One operator and what feeds it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExplainNode {
    /// The operator as Pinot writes it, such as `PROJECT(a, b)`.
    pub text: String,
    /// Operators below it, in order.
    pub children: Vec<ExplainNode>,
}

/// How telling a plan is; later ones are shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlanKind {
    /// The segment was pruned.
    Pruned,
    /// A filter is empty.
    Empty,
    /// A filter passes every row.
    MatchAll,
    /// Anything else.
    Other,
}

impl ExplainNode {
    /// Makes an operator without inputs.
    pub fn leaf(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            children: Vec::new(),
        }
    }

    /// Makes an operator over one input.
    pub fn over(text: impl Into<String>, child: Self) -> Self {
        Self {
            text: text.into(),
            children: vec![child],
        }
    }

    /// Makes an operator over several inputs.
    pub fn over_all(text: impl Into<String>, children: Vec<Self>) -> Self {
        Self {
            text: text.into(),
            children,
        }
    }

    /// Makes the plan of a pruned segment.
    pub fn pruned() -> Self {
        Self::leaf(ALL_SEGMENTS_PRUNED_ON_SERVER)
    }

    /// Makes a filter that no row passes.
    pub fn empty_filter() -> Self {
        Self::leaf(FILTER_EMPTY)
    }

    /// Makes a filter that all of a segment's rows pass.
    pub fn match_all_filter(row_count: u64) -> Self {
        Self::leaf(format!("{FILTER_MATCH_ENTIRE_SEGMENT}(docs:{row_count})"))
    }

    /// Returns the kind of the plan this is the root of.
    pub fn kind(&self) -> PlanKind {
        let own = if self.text == ALL_SEGMENTS_PRUNED_ON_SERVER {
            PlanKind::Pruned
        } else if self.text == FILTER_EMPTY {
            PlanKind::Empty
        } else if self.text.starts_with(FILTER_MATCH_ENTIRE_SEGMENT) {
            PlanKind::MatchAll
        } else {
            PlanKind::Other
        };
        self.children
            .iter()
            .map(Self::kind)
            .fold(own, PlanKind::min)
    }

    /// Returns the number of operators of the plan.
    pub fn operator_count(&self) -> usize {
        1 + self
            .children
            .iter()
            .map(Self::operator_count)
            .sum::<usize>()
    }
}
