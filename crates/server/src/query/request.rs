//! What a client sends to `/query/sql`.

use std::collections::HashMap;

use serde_json::Value;

use crate::Error;
use crate::backend::QueryRequest;

const NO_SQL: &str = "Payload is missing the query string field 'sql'";

/// A query as read off a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryBody(pub QueryRequest);

impl QueryBody {
    /// Reads the body of a POST.
    ///
    /// # Errors
    /// `InvalidInput` with Pinot's texts.
    pub fn parse(body: &[u8]) -> Result<Self, Error> {
        let json: Value = serde_json::from_slice(body)
            .map_err(|error| Error::Invalid(format!("Invalid JSON: {error}")))?;
        let Value::Object(members) = json else {
            return Err(Error::Invalid(
                "Invalid JSON: expected an object".to_owned(),
            ));
        };
        let text = |name: &str| match members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(Error::Invalid(format!(
                "Invalid JSON: '{name}' must be text"
            ))),
        };
        let sql = text("sql")?;
        let trace = match members.get("trace") {
            Some(Value::Bool(trace)) => *trace,
            Some(Value::String(text)) => text.eq_ignore_ascii_case("true"),
            _ => false,
        };
        Self::new(sql, text("queryOptions")?, trace)
    }

    /// Reads the parameters of a GET.
    ///
    /// # Errors
    /// `InvalidInput` when there is no `sql`.
    pub fn from_parameters(mut parameters: HashMap<String, String>) -> Result<Self, Error> {
        let sql = parameters.remove("sql");
        let trace = parameters
            .remove("trace")
            .is_some_and(|text| text.eq_ignore_ascii_case("true"));
        Self::new(sql, parameters.remove("queryOptions"), trace)
    }

    fn new(sql: Option<String>, options: Option<String>, trace: bool) -> Result<Self, Error> {
        let sql = sql.ok_or_else(|| Error::Invalid(NO_SQL.to_owned()))?;
        let mut options = options.unwrap_or_default();
        if trace {
            options.push_str(";trace=true");
        }
        Ok(Self(QueryRequest { sql, options }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_bodies_and_says_what_is_wrong() {
        let check = |body: &str, expected: Result<(&str, &str), &str>| {
            let found = QueryBody::parse(body.as_bytes());
            let found = found.map(|QueryBody(request)| (request.sql, request.options));
            let found = found.map_err(|error| error.to_string());
            match expected {
                Ok((sql, options)) => assert_eq!(found, Ok((sql.into(), options.into())), "{body}"),
                Err(text) => {
                    let error = found.unwrap_err();
                    assert!(error.starts_with(text), "{body}: {error}");
                }
            }
        };
        check(r#"{"sql": "SELECT 1"}"#, Ok(("SELECT 1", "")));
        check(
            r#"{"sql": "x", "queryOptions": ";a=b", "trace": true}"#,
            Ok(("x", ";a=b;trace=true")),
        );
        check(
            r#"{"sql": "x", "queryOptions": null, "trace": "false"}"#,
            Ok(("x", "")),
        );
        check("{}", Err(NO_SQL));
        check(r#"{"pql": "x"}"#, Err(NO_SQL));
        check(r#"{"sql": 5}"#, Err("Invalid JSON: 'sql' must be text"));
        check("", Err("Invalid JSON: "));
        check("[1]", Err("Invalid JSON: "));
        check("{\"sql\": ", Err("Invalid JSON: "));
        check(&"[".repeat(100_000), Err("Invalid JSON: "));
    }
}
