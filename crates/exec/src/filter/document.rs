//! What an index of JSON documents is asked instead of a predicate that reads them.
//!
//! `JSON_EXTRACT_SCALAR(text, '$.a.b', 'LONG', 0) > 5` depends on the value at `$.a.b` only. So the very
//! predicate is compiled again over single values - `JSON_EXTRACT_SCALAR(value, '$', 'LONG', 0) > 5` -
//! and asked for each distinct one; what it says of a document without a value, and of a row without a
//! document, is asked in the same way.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringViewArray};
use growler_schema::{DataType, Value, index_plan::json_path::JsonStep};

use super::{Builder, Filter};
use crate::{
    error::Error,
    expr::{
        CompileOptions, Input, InputBatch, Inputs, KeyView,
        json::{
            matching::Matcher,
            path::{Path, Step},
        },
    },
    sql::ast::{Expr, Literal},
};

/// Name of the column that stands for a value.
const VALUE: &str = "$value";

/// What is asked.
#[derive(Debug)]
pub enum DocumentAsk {
    /// `JSON_MATCH` over a column.
    Match(Box<MatchAsk>),
    /// A test of what `JSON_EXTRACT_SCALAR` finds.
    Extract(Box<ExtractAsk>),
}

/// A filter of `JSON_MATCH`.
#[derive(Debug)]
pub struct MatchAsk {
    pub(crate) matcher: Matcher,
    /// Whether rows without a document give null.
    pub(crate) null_handling: bool,
}

/// A test of the values at a path.
#[derive(Debug)]
pub struct ExtractAsk {
    /// The key of a VARIANT column whose text holds the path; none for a path into the column itself.
    pub key: Option<String>,
    /// The path.
    pub steps: Vec<JsonStep>,
    /// Whether it is about any of several values: elements of an array.
    pub many: bool,
    /// Whether it holds where none of them passes.
    pub negated: bool,
    /// JSON texts of the only values that `passes` can hold for, or with `excludes` fail for.
    pub candidates: Option<Vec<String>>,
    /// Whether the candidates are those that do not pass.
    pub excludes: bool,
    /// The type of a value, in upper case.
    pub element: String,
    /// Whether rows without a document give null.
    pub null_handling: bool,
    at_value: Filter,
    at_path: Filter,
}

/// What a predicate says of one value; none is null.
pub type Verdict = Option<bool>;

impl ExtractAsk {
    /// Asks the predicate about values, as JSON text.
    ///
    /// # Errors
    /// Those of evaluating it.
    pub fn of_values(&self, values: ArrayRef) -> Result<super::Truth, Error> {
        let row_count = values.len();
        let columns = vec![values];
        self.at_value.evaluate(&InputBatch { columns, row_count })
    }

    /// Asks the predicate about a document whose path leads nowhere.
    ///
    /// # Errors
    /// Those of evaluating it.
    pub fn of_nowhere(&self) -> Result<Verdict, Error> {
        one(&self.at_path, Some("null"))
    }

    /// Asks the predicate about one document; none is null.
    ///
    /// # Errors
    /// Those of evaluating it.
    pub fn of_document(&self, document: Option<&str>) -> Result<Verdict, Error> {
        one(&self.at_path, document)
    }
}

fn one(filter: &Filter, text: Option<&str>) -> Result<Verdict, Error> {
    let texts: StringViewArray = [text].into_iter().collect();
    let columns: Vec<ArrayRef> = vec![Arc::new(texts)];
    let truth = filter.evaluate(&InputBatch {
        columns,
        row_count: 1,
    })?;
    Ok(match (truth.trues.is_empty(), truth.nulls.is_empty()) {
        (false, _) => Some(true),
        (true, false) => None,
        (true, true) => Some(false),
    })
}

/// Returns what to ask instead of `JSON_MATCH(column, 'filter')`, if it is that.
pub(super) fn of_match(expr: &Expr, options: &CompileOptions) -> Option<DocumentAsk> {
    let Some(("json_match", [Expr::Column(_), Expr::Literal(Literal::String(filter))])) =
        expr.as_call()
    else {
        return None;
    };
    let matcher = Matcher::parse(filter).ok()?;
    Some(DocumentAsk::Match(Box::new(MatchAsk {
        matcher,
        null_handling: options.null_handling,
    })))
}

/// Returns what to ask instead of `JSON_EXTRACT_SCALAR(..) OP literals`, if it is that.
pub(super) fn of_test(
    name: &str,
    subject: &Expr,
    literals: &[Literal],
    options: &CompileOptions,
) -> Option<DocumentAsk> {
    let (function, args) = subject.as_call()?;
    let extracts = matches!(
        function,
        "jsonextractscalar" | "jsonextractscalarfast" | "jsonextractscalarfirstmatch"
    );
    let [source, path, data_type, rest @ ..] = args else {
        return None;
    };
    let key = match source {
        Expr::Column(column) if column != VALUE => None,
        Expr::Item { key, .. } => Some(key.clone()),
        _ => return None,
    };
    let (true, Some(path), Some(data_type)) = (extracts, text(path), text(data_type)) else {
        return None;
    };
    let data_type = data_type.to_ascii_uppercase();
    let (element, many) = match data_type.strip_suffix("_ARRAY") {
        Some(element) => (element, true),
        None => (data_type.as_str(), false),
    };
    let steps = steps(&Path::parse(path)?, many)?;
    let (positive, negated) = match (name, many) {
        ("not_equals", true) => ("equals", true),
        ("not_in", true) => ("in", true),
        ("not_like", true) => ("like", true),
        (name, _) => (name, false),
    };
    let rewrite = |name: &str, path: &str, data_type: &str, null_handling: bool| {
        let mut args = vec![
            Expr::Column(VALUE.to_owned()),
            Expr::text(path),
            Expr::text(data_type),
        ];
        args.extend(rest.iter().cloned());
        let mut test = vec![Expr::call(function, args)];
        test.extend(literals.iter().cloned().map(Expr::Literal));
        let mut builder = Builder {
            inputs: &mut OneText,
            options: CompileOptions {
                null_handling,
                ..*options
            },
        };
        builder.build(&Expr::call(name, test)).ok()
    };
    let (candidates, excludes) = match positive {
        "equals" | "in" if element == "STRING" => (candidates(literals), false),
        "not_equals" | "not_in" if element == "STRING" => (candidates(literals), true),
        _ => (None, false),
    };
    Some(DocumentAsk::Extract(Box::new(ExtractAsk {
        key,
        steps,
        many,
        negated,
        candidates,
        excludes,
        element: element.to_owned(),
        null_handling: options.null_handling,
        // An element that does not convert is a null among the others, not the type's default.
        at_value: rewrite(positive, "$", element, many || options.null_handling)?,
        at_path: rewrite(name, path, &data_type, options.null_handling)?,
    })))
}

fn text(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Literal(Literal::String(text)) => Some(text),
        _ => None,
    }
}

/// Returns the steps to the values; none where an index does not have them by path. Where several
/// values are meant they are elements, so a path to one array goes on to them.
fn steps(path: &Path, many: bool) -> Option<Vec<JsonStep>> {
    let step = |step: &Step| match step {
        Step::Name(name) => Some(JsonStep::Name(name.clone())),
        Step::Index(index) => u32::try_from(*index).ok().map(JsonStep::At),
        Step::Wildcard if many => Some(JsonStep::Any),
        _ => None,
    };
    let mut steps: Vec<JsonStep> = path.steps.iter().map(step).collect::<Option<_>>()?;
    if many && path.is_definite() {
        steps.push(JsonStep::Any);
    }
    Some(steps)
}

/// Returns the JSON texts of the scalars that read as one of some texts.
pub(crate) fn candidates(literals: &[Literal]) -> Option<Vec<String>> {
    let mut candidates = Vec::with_capacity(literals.len());
    for literal in literals {
        let text = match literal {
            Literal::String(text) => text.clone(),
            Literal::Int(number) => number.to_string(),
            Literal::Long(number) => number.to_string(),
            Literal::Boolean(value) => value.to_string(),
            Literal::Double(..) | Literal::Null => return None,
        };
        candidates.push(serde_json::Value::String(text.clone()).to_string());
        // A number or a boolean of that very text; whatever else it is, no dictionary has it.
        candidates.push(text);
    }
    Some(candidates)
}

/// The values of one column of text.
struct OneText;

impl Inputs for OneText {
    fn column(&mut self, name: &str) -> Result<Input, Error> {
        if name != VALUE {
            return Err(Error::UnknownColumn(name.to_owned()));
        }
        Ok(Input {
            slot: 0,
            column_type: DataType::String.single(),
            default_null: Value::String("null".to_owned()),
        })
    }

    fn item(&mut self, column: &str, _: &str, _: KeyView) -> Result<Input, Error> {
        Err(Error::Validation(format!("no VARIANT: column={column}")))
    }
}
