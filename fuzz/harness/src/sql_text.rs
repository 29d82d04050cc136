//! Query texts: a query, or an error that blames the text.

use growler_base::ErrorKind;
use growler_exec::options::QueryOptions;
use growler_exec::sql::ast::SelectItem;
use growler_exec::sql::names::{expr_text, filter_text, result_name};
use growler_exec::sql::parse;

pub(crate) fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let query = match parse(&text) {
        Ok(query) => query,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
            // An error may show an expression as calls: `-.1` becomes `minus(..,'0.1')`.
            assert!(error.to_string().len() < 4096 + 16 * text.len(), "{error}");
            return;
        }
    };
    assert_eq!(parse(&text), Ok(query.clone()), "parsing repeats");
    if let Err(error) = QueryOptions::try_new(&query.options, "") {
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    }
    for null_handling in [false, true] {
        for item in &query.select {
            if let SelectItem::Expr { expr, alias } = item {
                let _ = result_name(&query, expr, alias.as_deref(), null_handling);
                let _ = expr_text(expr, null_handling);
            }
        }
        let _ = query
            .filter
            .as_ref()
            .map(|filter| filter_text(filter, null_handling));
    }
}
