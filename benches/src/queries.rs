//! The queries of a table, in growler's words; `benches/queries` holds them for its peers as well.

use std::collections::HashMap;

use anyhow::Context;
use serde::Deserialize;

use crate::generate::{Layout, Table};

/// Gives a query the time that a loaded machine or an instruction counter takes.
pub const PATIENCE: &str = "SET timeoutMs = 3600000; ";

/// A query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Short name.
    pub id: String,
    /// Text for growler; its table is `t`.
    pub sql: String,
}

#[derive(Deserialize)]
struct Questions {
    dialects: HashMap<String, HashMap<String, serde_json::Value>>,
    queries: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    id: String,
    sql: String,
    #[serde(default)]
    nulls: bool,
    layouts: Option<Vec<String>>,
}

/// Returns the queries that can be asked of a layout.
///
/// # Errors
/// When the file of queries is no such file.
pub fn of_layout(table: Table, layout: Layout) -> anyhow::Result<Vec<Query>> {
    let text = match table {
        Table::Events => include_str!("../queries/events.json"),
        Table::Bluesky => include_str!("../queries/bluesky.json"),
    };
    let questions: Questions = serde_json::from_str(text)?;
    let dialect = match layout {
        Layout::Flat => "growler flat",
        _ => "growler",
    };
    let words = questions.dialects.get(dialect);
    let words = words.with_context(|| format!("no such dialect: name={dialect}"))?;
    let is_asked = |question: &&Question| match &question.layouts {
        Some(layouts) => layouts.iter().any(|name| name == layout.name()),
        None => true,
    };
    let asked = questions.queries.iter().filter(is_asked);
    Ok(asked
        .filter_map(|question| question.in_words(words))
        .collect())
}

impl Question {
    /// Puts the dialect's words in; none when it lacks one.
    fn in_words(&self, words: &HashMap<String, serde_json::Value>) -> Option<Query> {
        let mut sql = PATIENCE.to_owned();
        if self.nulls {
            sql.push_str("SET enableNullHandling = true; ");
        }
        let mut rest = self.sql.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            sql.push_str(before);
            sql.push_str(match name {
                "t" => "t",
                name => words.get(name)?.as_str()?,
            });
            rest = after;
        }
        sql.push_str(rest);
        let id = self.id.clone();
        Some(Query { id, sql })
    }
}

#[cfg(test)]
mod tests {
    use super::{PATIENCE, of_layout};
    use crate::generate::{Layout, Table};

    #[test]
    fn words_are_put_in() -> anyhow::Result<()> {
        let queries = of_layout(Table::Events, Layout::Shredded)?;
        assert_eq!(
            queries[0].sql,
            format!("{PATIENCE}SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME'")
        );
        let flat = of_layout(Table::Events, Layout::Flat)?;
        assert_eq!(
            flat[0].sql,
            format!("{PATIENCE}SELECT COUNT(*) FROM t WHERE page_type = 'HOME'")
        );
        assert_eq!(
            flat.len() + 1,
            queries.len(),
            "only the whole document has no twin"
        );
        assert_eq!(of_layout(Table::Bluesky, Layout::Mixed)?.len(), 5);
        Ok(())
    }
}
