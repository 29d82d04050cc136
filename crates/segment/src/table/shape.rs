//! What the values of a column depend on beside its file.

use std::fmt::Write;

use super::{Node, NodeKind, TableColumns};

impl TableColumns {
    /// Returns a text of all that the values depend on which a file shows under a served name: where two
    /// tables have equal texts, they show the same. None for a name that is not served.
    ///
    /// The type of the column itself is not in it, as queries have their own.
    pub fn shape(&self, served: &str) -> Option<String> {
        let id = self.served().get(served)?;
        let mut text = id.to_string();
        if let Some(node) = self.get(*id) {
            if let NodeKind::Leaf(_) = node.kind {
                place(node, &mut text);
            } else {
                describe(node, &mut text);
            }
        }
        Some(text)
    }
}

/// Adds where files have a column, and what they have without.
fn place(node: &Node, text: &mut String) {
    // A string takes all that is written.
    let _ = write!(text, "{:?}{:?}", node.names, node.missing);
}

fn describe(node: &Node, text: &mut String) {
    place(node, text);
    match &node.kind {
        NodeKind::Leaf(source) => {
            let _ = write!(text, "{source:?}");
        }
        NodeKind::Unknown => text.push_str("unknown"),
        NodeKind::Variant => text.push_str("variant"),
        NodeKind::Struct(fields) => below("struct", fields, text),
        NodeKind::Within(field) => below("within", [field.as_ref()], text),
        NodeKind::List(element) => below("list", [element.as_ref()], text),
        NodeKind::Map(key, value) => below("map", [key.as_ref(), value.as_ref()], text),
    }
}

fn below<'n>(kind: &str, nodes: impl IntoIterator<Item = &'n Node>, text: &mut String) {
    text.push_str(kind);
    text.push('(');
    for node in nodes {
        // Documents show the names of fields; that of the column is the one it is served under.
        let _ = write!(text, "{}{:?}", node.id, node.name);
        describe(node, text);
        text.push(';');
    }
    text.push(')');
}

#[cfg(test)]
mod tests {
    use growler_base::FieldId;
    use growler_schema::{SourceType, Value};

    use super::*;
    use crate::table::Fill;

    fn node(id: i32, name: &str, kind: NodeKind) -> Node {
        Node {
            id: FieldId(id),
            name: name.to_owned(),
            names: vec![name.to_owned()],
            required: false,
            missing: Fill::Null,
            kind,
        }
    }

    fn leaf() -> NodeKind {
        NodeKind::Leaf(SourceType::Boolean)
    }

    fn shape(column: Node) -> Option<String> {
        let served = ("c".to_owned(), column.id);
        TableColumns::new([column], true)
            .with_served([served])
            .shape("c")
    }

    #[test]
    fn what_changes_values_changes_the_shape() {
        let of = |inner: Node| shape(node(1, "c", NodeKind::Struct(vec![inner])));
        let inner = || node(2, "a", leaf());
        let before = of(inner());
        assert_eq!(before, of(inner()));
        let mut mapped = inner();
        mapped.names.push("old".to_owned());
        let mut filled = inner();
        filled.missing = Fill::Value(Value::Boolean(true));
        let mut renamed = inner();
        renamed.name = "b".to_owned();
        let again = node(3, "a", leaf());
        for other in [mapped, filled, renamed, again] {
            assert_ne!(before, of(other.clone()), "{other:?}");
        }
        // The name of the column itself is in no value.
        let mut called = node(1, "c", NodeKind::Struct(vec![inner()]));
        called.name = "other".to_owned();
        assert_eq!(before, shape(called));
    }
}
