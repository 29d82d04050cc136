//! Looking at and into expressions.

use std::convert::Infallible;

use super::ast::{AggregateCall, Expr, Literal};

impl Expr {
    /// Makes a call of a function or operator by its canonical name.
    pub fn call(name: impl Into<String>, args: Vec<Expr>) -> Self {
        Self::Call {
            name: name.into(),
            args,
        }
    }

    /// Makes a text literal.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Literal(Literal::String(text.into()))
    }

    /// Returns name and arguments when this is a call of a function or operator.
    pub fn as_call(&self) -> Option<(&str, &[Expr])> {
        match self {
            Self::Call { name, args } => Some((name, args)),
            Self::Column(_) | Self::Item { .. } | Self::Literal(_) | Self::Aggregate(_) => None,
        }
    }

    /// Returns what this expression is made of directly; an aggregate's filter comes last.
    pub fn children(&self) -> impl Iterator<Item = &Expr> {
        let (args, filter) = match self {
            Self::Column(_) | Self::Item { .. } | Self::Literal(_) => (&[][..], None),
            Self::Call { args, .. } => (args.as_slice(), None),
            Self::Aggregate(call) => (call.args.as_slice(), call.filter.as_ref()),
        };
        args.iter().chain(filter)
    }

    /// Tells whether an aggregate stands in it.
    pub fn has_aggregate(&self) -> bool {
        matches!(self, Self::Aggregate(_)) || self.children().any(Self::has_aggregate)
    }

    /// Tells whether it is the same for every row: made of literals only.
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Literal(_) => true,
            Self::Call { args, .. } => args.iter().all(Self::is_constant),
            Self::Column(_) | Self::Item { .. } | Self::Aggregate(_) => false,
        }
    }

    /// Returns how many expressions it is made of, itself included.
    pub fn node_count(&self) -> usize {
        1 + self.children().map(Self::node_count).sum::<usize>()
    }

    /// Returns the length of the longest way down, 1 for a leaf.
    pub fn height(&self) -> usize {
        1 + self.children().map(Self::height).max().unwrap_or(0)
    }

    /// Calls `see` with the expression and all below it, outermost first; `see` tells whether to
    /// go on below.
    pub fn visit<'e>(&'e self, see: &mut impl FnMut(&'e Expr) -> bool) {
        if see(self) {
            for child in self.children() {
                child.visit(see);
            }
        }
    }

    /// Rebuilds the expression with `change` applied to each direct child.
    ///
    /// # Errors
    /// Whatever `change` fails with.
    pub fn try_map_children<E>(
        self,
        mut change: impl FnMut(Expr) -> Result<Expr, E>,
    ) -> Result<Self, E> {
        Ok(match self {
            Self::Column(_) | Self::Item { .. } | Self::Literal(_) => self,
            Self::Call { name, args } => Self::Call {
                name,
                args: args.into_iter().map(change).collect::<Result<_, E>>()?,
            },
            Self::Aggregate(call) => {
                let AggregateCall { name, args, filter } = *call;
                let args = args
                    .into_iter()
                    .map(&mut change)
                    .collect::<Result<_, E>>()?;
                let filter = filter.map(change).transpose()?;
                Self::Aggregate(Box::new(AggregateCall { name, args, filter }))
            }
        })
    }

    /// Rebuilds the expression with `change` applied to each direct child.
    pub fn map_children(self, mut change: impl FnMut(Expr) -> Expr) -> Self {
        match self.try_map_children(|child| Ok::<_, Infallible>(change(child))) {
            Ok(changed) => changed,
            Err(never) => match never {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_and_finds() {
        let column = || Expr::Column("a".into());
        let sum = Expr::Aggregate(Box::new(AggregateCall {
            name: "sum".into(),
            args: vec![column()],
            filter: Some(Expr::call("equals", vec![column(), Expr::text("x")])),
        }));
        let expr = Expr::call("plus", vec![sum, Expr::text("1")]);
        assert!(expr.has_aggregate() && !expr.is_constant());
        assert_eq!((expr.node_count(), expr.height()), (7, 4));
        let mut columns = 0;
        expr.visit(&mut |expr| {
            columns += usize::from(matches!(expr, Expr::Column(_)));
            true
        });
        assert_eq!(columns, 2);
        assert!(Expr::call("upper", vec![Expr::text("x")]).is_constant());
        assert_eq!(expr.clone().map_children(|child| child), expr);
    }
}
