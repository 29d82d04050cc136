//! A set of expressions.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::sql::ast::{AggregateCall, Expr, Literal};

/// Expressions to be found again, by the hash of their whole tree.
pub(super) struct Keys<'e>(HashMap<u64, Vec<&'e Expr>>);

impl<'e> Keys<'e> {
    pub(super) fn new(exprs: impl IntoIterator<Item = &'e Expr>) -> Self {
        let mut keys: HashMap<u64, Vec<&'e Expr>> = HashMap::new();
        for expr in exprs {
            keys.entry(tree_hash(expr, &mut |_, _| {}))
                .or_default()
                .push(expr);
        }
        Self(keys)
    }

    pub(super) fn contains(&self, expr: &Expr) -> bool {
        self.contains_hashed(expr, tree_hash(expr, &mut |_, _| {}))
    }

    /// Tells whether an expression needs a column that is neither a key, nor part of one, nor
    /// inside an aggregate. Takes one walk, so that deep and wide trees stay cheap.
    pub(super) fn misses(&self, expr: &Expr) -> bool {
        let mut open = Vec::new();
        tree_hash(expr, &mut |node, hash| {
            // The walk is bottom-up: the children's answers are the last on the stack.
            let children = node.children().count();
            let missed = open
                .drain(open.len() - children..)
                .fold(false, |any, one| any | one);
            open.push(match node {
                Expr::Literal(_) | Expr::Aggregate(_) => false,
                Expr::Column(_) | Expr::Item { .. } => !self.contains_hashed(node, hash),
                Expr::Call { .. } => missed && !self.contains_hashed(node, hash),
            });
        });
        open.pop().unwrap_or(false)
    }

    fn contains_hashed(&self, expr: &Expr, hash: u64) -> bool {
        self.0.get(&hash).is_some_and(|keys| keys.contains(&expr))
    }
}

/// Hashes a tree bottom-up, telling `see` each node with its hash, children before parents.
fn tree_hash(expr: &Expr, see: &mut impl FnMut(&Expr, u64)) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    std::mem::discriminant(expr).hash(&mut hasher);
    match expr {
        Expr::Column(name) => name.hash(&mut hasher),
        Expr::Item { column, key } => (column, key).hash(&mut hasher),
        Expr::Literal(literal) => hash_literal(literal, &mut hasher),
        Expr::Call { name, .. } => name.hash(&mut hasher),
        Expr::Aggregate(call) => {
            let AggregateCall { name, filter, .. } = call.as_ref();
            (name, filter.is_some()).hash(&mut hasher);
        }
    }
    for child in expr.children() {
        tree_hash(child, see).hash(&mut hasher);
    }
    let hash = hasher.finish();
    see(expr, hash);
    hash
}

fn hash_literal(literal: &Literal, hasher: &mut impl Hasher) {
    std::mem::discriminant(literal).hash(hasher);
    match literal {
        Literal::Null => {}
        Literal::Boolean(value) => value.hash(hasher),
        Literal::Int(value) => value.hash(hasher),
        Literal::Long(value) => value.hash(hasher),
        Literal::Double(_, text) | Literal::String(text) => text.hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_keys_is_covered() {
        let column = |name: &str| Expr::Column(name.into());
        let upper = |arg| Expr::call("upper", vec![arg]);
        let plus = |left, right| Expr::call("plus", vec![left, right]);
        let keys = [column("a"), upper(column("b"))];
        let keys = Keys::new(&keys);
        let cases = [
            (column("a"), false),
            (column("b"), true),
            (upper(column("b")), false),
            (upper(column("a")), false),
            (plus(column("a"), upper(column("b"))), false),
            (plus(column("a"), column("b")), true),
            (plus(Expr::text("x"), Expr::text("y")), false),
        ];
        for (expr, expected) in cases {
            assert_eq!(keys.misses(&expr), expected, "{expr:?}");
        }
        assert!(keys.contains(&upper(column("b"))) && !keys.contains(&column("b")));
    }
}
