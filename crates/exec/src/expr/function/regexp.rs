//! Regular expressions that give text.

use arrow_array::types;
use growler_schema::DataType;

use super::registry::Entry;
use crate::{
    error::Error,
    expr::{call::Call, node::Node, test::pattern::compile_regex},
};

pub(super) const TABLE: &[Entry] = &[
    ("regexpextract", extract),
    ("regexpreplace", replace),
    ("regexpcount", count),
];

/// `regexpExtract(text, pattern[, group[, default]])`: the first match; the default (empty text)
/// when there is none.
fn extract(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=4)?;
    let regex = compile_regex(&call.constant_text(1)?)?;
    let group = if call.args.len() > 2 {
        call.constant_long(2)?
    } else {
        0
    };
    let group =
        usize::try_from(group).map_err(|_| call.invalid("the group must not be negative"))?;
    let default = call.optional_text(3)?.unwrap_or_default();
    let node = call.string(0)?;
    call.strict(vec![node], DataType::String.single(), move |args| {
        let texts = args.texts(0)?;
        args.collect_text(|row, out| {
            let captures = regex.captures(texts.at(row));
            let found = captures.as_ref().and_then(|captures| captures.get(group));
            out.push_str(found.map_or(default.as_str(), |found| found.as_str()));
            Ok(true)
        })
    })
}

/// `regexpReplace(text, pattern, replacement[, start[, occurrence[, flag]]])`: all matches from the
/// start on, or only the one of that index; `$1` in the replacement is a group.
fn replace(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(3..=6)?;
    let flag = call.optional_text(5)?.unwrap_or_default();
    let pattern = call.constant_text(1)?;
    let pattern = if flag.eq_ignore_ascii_case("i") {
        format!("(?i){pattern}")
    } else {
        pattern
    };
    let regex = compile_regex(&pattern)?;
    let replacement = replacement(&call.constant_text(2)?);
    let start = if call.args.len() > 3 {
        call.constant_long(3)?
    } else {
        0
    };
    let start =
        usize::try_from(start).map_err(|_| call.invalid("the start must not be negative"))?;
    let occurrence = if call.args.len() > 4 {
        call.constant_long(4)?
    } else {
        -1
    };
    let node = call.string(0)?;
    call.strict(vec![node], DataType::String.single(), move |args| {
        let texts = args.texts(0)?;
        args.collect_text(|row, out| {
            let text = texts.at(row);
            let byte = text
                .char_indices()
                .nth(start)
                .map_or(text.len(), |(byte, _)| byte);
            let (kept, rest) = text.split_at(byte);
            out.push_str(kept);
            let mut last = 0;
            for (idx, captures) in regex.captures_iter(rest).enumerate() {
                if occurrence >= 0 && i64::try_from(idx) != Ok(occurrence) {
                    continue;
                }
                if let Some(found) = captures.get(0) {
                    out.push_str(rest.get(last..found.start()).unwrap_or_default());
                    captures.expand(&replacement, out);
                    last = found.end();
                }
            }
            out.push_str(rest.get(last..).unwrap_or_default());
            Ok(true)
        })
    })
}

/// Turns Java's replacement syntax into this crate's: `$1` is a group, `\$` a dollar.
fn replacement(java: &str) -> String {
    let mut out = String::new();
    let mut chars = java.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('$') => out.push_str("$$"),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            '$' => {
                let mut group = String::new();
                while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                    group.push(digit);
                }
                match (group.is_empty(), chars.peek()) {
                    (false, _) => out.push_str(&format!("${{{group}}}")),
                    (true, Some('{')) => out.push('$'),
                    (true, _) => out.push_str("$$"),
                }
            }
            other => out.push(other),
        }
    }
    out
}

fn count(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let regex = compile_regex(&call.constant_text(1)?)?;
    let node = call.string(0)?;
    call.strict(vec![node], DataType::Int.single(), move |args| {
        let texts = args.texts(0)?;
        args.collect::<types::Int32Type>(|row| {
            Ok(i32::try_from(regex.find_iter(texts.at(row)).count()).ok())
        })
    })
}
