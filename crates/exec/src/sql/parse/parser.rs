//! The parser's state and its bounds.

use growler_base::limits;

use crate::error::Error;
use crate::sql::ast::{AggregateCall, Expr};
use crate::sql::lex::Tokens;

/// Greatest height of an expression tree. Chains of left-associative operators make a tree higher
/// than the text is nested, and whoever walks a tree recurses this deep at most.
pub(in crate::sql) const TREE_HEIGHT: usize = 2 * limits::SQL_DEPTH;

/// Reads a query from tokens.
#[derive(Debug)]
pub(in crate::sql) struct Parser {
    pub(super) tokens: Tokens,
    /// Names that may stand before a column: the table's and its alias.
    pub(super) qualifiers: Vec<String>,
    depth: usize,
    node_count: usize,
}

/// An expression with what its parents want to know about it.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) expr: Expr,
    pub(super) height: usize,
    pub(super) constant: bool,
    pub(super) aggregate: bool,
}

impl Parser {
    pub(in crate::sql) fn new(tokens: Tokens) -> Self {
        Self {
            tokens,
            qualifiers: Vec::new(),
            depth: 0,
            node_count: 0,
        }
    }

    pub(in crate::sql) fn tokens(&mut self) -> &mut Tokens {
        &mut self.tokens
    }

    /// Reads something that may hold itself again.
    pub(super) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.depth >= limits::SQL_DEPTH {
            return Err(Error::Parse(format!(
                "query is nested too deeply: limit={}",
                limits::SQL_DEPTH
            )));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Makes a tree of one node.
    pub(super) fn leaf(&mut self, expr: Expr) -> Result<Tree, Error> {
        let constant = matches!(expr, Expr::Literal(_));
        self.count(Tree {
            expr,
            height: 1,
            constant,
            aggregate: false,
        })
    }

    /// Makes a call of a function or operator.
    pub(super) fn call(&mut self, name: impl Into<String>, args: Vec<Tree>) -> Result<Tree, Error> {
        let height = 1 + args.iter().map(|arg| arg.height).max().unwrap_or(0);
        let constant = args.iter().all(|arg| arg.constant);
        let aggregate = args.iter().any(|arg| arg.aggregate);
        let args = args.into_iter().map(|arg| arg.expr).collect();
        let expr = Expr::Call {
            name: name.into(),
            args,
        };
        self.count(Tree {
            expr,
            height,
            constant,
            aggregate,
        })
    }

    /// Makes a call of an aggregate.
    pub(super) fn aggregate(
        &mut self,
        name: impl Into<String>,
        args: Vec<Tree>,
        filter: Option<Tree>,
    ) -> Result<Tree, Error> {
        let name = name.into();
        if args.iter().chain(&filter).any(|arg| arg.aggregate) {
            return Err(Error::Validation(format!(
                "aggregation functions cannot be nested: function={name}"
            )));
        }
        let height = 1 + args
            .iter()
            .chain(&filter)
            .map(|arg| arg.height)
            .max()
            .unwrap_or(0);
        let args = args.into_iter().map(|arg| arg.expr).collect();
        let filter = filter.map(|filter| filter.expr);
        let expr = Expr::Aggregate(Box::new(AggregateCall { name, args, filter }));
        self.count(Tree {
            expr,
            height,
            constant: false,
            aggregate: true,
        })
    }

    /// Counts the nodes of a tree that is about to be copied.
    pub(super) fn count_copies(&mut self, expr: &Expr) -> Result<(), Error> {
        self.count_nodes(expr.node_count())
    }

    fn count(&mut self, tree: Tree) -> Result<Tree, Error> {
        self.count_nodes(1)?;
        if tree.height > TREE_HEIGHT {
            return Err(Error::Parse(format!(
                "expression is too deep: limit={TREE_HEIGHT}"
            )));
        }
        Ok(tree)
    }

    fn count_nodes(&mut self, added: usize) -> Result<(), Error> {
        self.node_count = self.node_count.saturating_add(added);
        check_node_count(self.node_count)
    }
}

/// Checks the number of nodes in a query's expressions.
pub(in crate::sql) fn check_node_count(node_count: usize) -> Result<(), Error> {
    if node_count <= limits::SQL_NODES {
        return Ok(());
    }
    Err(Error::Parse(format!(
        "query has too many terms: limit={}",
        limits::SQL_NODES
    )))
}

/// Makes the error of SQL that growler does not do.
pub(super) fn unsupported(what: &str) -> Error {
    Error::Validation(format!("{what} is not supported"))
}
