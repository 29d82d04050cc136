//! Parts of texts. Positions count characters.

use std::sync::Arc;

use arrow_array::{
    builder::{ListBuilder, StringViewBuilder},
    types,
};
use growler_schema::DataType;

use super::registry::Entry;
use crate::{
    error::Error,
    expr::{call::Call, node::Node},
    sql::ast::Literal,
};

pub(super) const TABLE: &[Entry] = &[
    ("substr", substr),
    ("substring", substring),
    ("leftsubstr", left),
    ("left", left),
    ("rightsubstr", right),
    ("right", right),
    ("strpos", |call| position(call, false)),
    ("strrpos", |call| position(call, true)),
    ("split", split),
    ("splitpart", split_part),
];

/// `substr(text, begin[, end])`: counted from 0, the end excluded; negative ones count from the end
/// of the text, and an end of -1 is the end.
fn substr(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=3)?;
    let end = if call.args.len() == 3 {
        call.long(2)?
    } else {
        Node::literal(&Literal::Int(-1))?
    };
    let end = call.cast(end, DataType::Long)?;
    let args = vec![call.string(0)?, call.long(1)?, end];
    sliced(call, args, |text, begin, end| {
        let len = char_len(text);
        let from_end = |at: i64| if at < 0 { at.saturating_add(len) } else { at };
        slice(
            text,
            from_end(begin),
            if end == -1 { len } else { from_end(end) },
        )
    })
}

/// `substring(text, begin[, length])`: counted from 1.
fn substring(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=3)?;
    let length = if call.args.len() == 3 {
        call.long(2)?
    } else {
        Node::literal(&Literal::Long(i64::MAX))?
    };
    let args = vec![call.string(0)?, call.long(1)?, length];
    sliced(call, args, |text, begin, length| {
        let begin = begin.saturating_sub(1);
        slice(text, begin, begin.saturating_add(length.max(0)))
    })
}

fn left(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let args = vec![call.string(0)?, call.long(1)?, zero(call)?];
    sliced(call, args, |text, length, _| slice(text, 0, length))
}

fn right(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let args = vec![call.string(0)?, call.long(1)?, zero(call)?];
    sliced(call, args, |text, length, _| {
        let len = char_len(text);
        slice(text, len.saturating_sub(length.max(0)), len)
    })
}

fn zero(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    let zero = Node::literal(&Literal::Int(0))?;
    call.cast(zero, DataType::Long)
}

fn sliced(
    call: &mut Call<'_, '_>,
    args: Vec<Node>,
    function: fn(&str, i64, i64) -> &str,
) -> Result<Node, Error> {
    call.strict(args, DataType::String.single(), move |args| {
        let (texts, a, b) = (args.texts(0)?, args.longs(1)?, args.longs(2)?);
        Ok(args.collect_str(|row| Some(function(texts.at(row), a.at(row), b.at(row)))))
    })
}

fn char_len(text: &str) -> i64 {
    let len = if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    };
    i64::try_from(len).unwrap_or(i64::MAX)
}

/// Returns the characters `begin..end`, as many of them as there are.
fn slice(text: &str, begin: i64, end: i64) -> &str {
    let begin = usize::try_from(begin).unwrap_or(0);
    let end = usize::try_from(end).unwrap_or(0);
    if begin >= end {
        return "";
    }
    if text.is_ascii() {
        return text.get(begin..end.min(text.len())).unwrap_or_default();
    }
    let byte_of = |at: usize| {
        text.char_indices()
            .nth(at)
            .map_or(text.len(), |(byte, _)| byte)
    };
    text.get(byte_of(begin)..byte_of(end)).unwrap_or_default()
}

/// `strpos(text, find[, occurrence])`: counted from 0, -1 when it is not there. `strrpos` counts
/// occurrences from the end.
fn position(call: &mut Call<'_, '_>, from_end: bool) -> Result<Node, Error> {
    call.arity(2..=3)?;
    let occurrence = if call.args.len() == 3 {
        call.long(2)?
    } else {
        let one = Node::literal(&Literal::Int(1))?;
        call.cast(one, DataType::Long)?
    };
    let args = vec![call.string(0)?, call.string(1)?, occurrence];
    call.strict(args, DataType::Int.single(), move |args| {
        let (texts, finds, occurrences) = (args.texts(0)?, args.texts(1)?, args.longs(2)?);
        args.collect::<types::Int32Type>(|row| {
            let text = texts.at(row);
            let byte = find_nth(text, finds.at(row), occurrences.at(row), from_end);
            let at = byte.and_then(|byte| text.get(..byte)).map_or(-1, char_len);
            Ok(i32::try_from(at).ok())
        })
    })
}

fn find_nth(text: &str, find: &str, occurrence: i64, from_end: bool) -> Option<usize> {
    let skip = usize::try_from(occurrence.checked_sub(1)?).ok()?;
    // Occurrences may overlap.
    let mut at = if from_end {
        text.rfind(find)?
    } else {
        text.find(find)?
    };
    for _ in 0..skip {
        at = if from_end {
            let before = text.get(..at + find.len())?;
            let shorter = before.char_indices().next_back()?.0;
            before.get(..shorter)?.rfind(find)?
        } else {
            let step = text.get(at..)?.chars().next()?.len_utf8();
            at + step + text.get(at + step..)?.find(find)?
        };
    }
    Some(at)
}

/// Splits at a separator; neighbouring separators are one, as in Pinot.
fn pieces<'a>(text: &'a str, separator: &'a str, limit: Option<i64>) -> Vec<&'a str> {
    if separator.is_empty() {
        return text.split_whitespace().collect();
    }
    let limit = limit
        .and_then(|limit| usize::try_from(limit).ok())
        .filter(|limit| *limit > 0);
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let trimmed = rest.trim_start_matches(separator);
        if trimmed.is_empty() {
            break;
        }
        if limit == Some(pieces.len() + 1) {
            pieces.push(trimmed);
            break;
        }
        let (piece, tail) = trimmed.split_once(separator).unwrap_or((trimmed, ""));
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

/// `split(text, separator[, limit])`.
fn split(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=3)?;
    let limit = if call.args.len() == 3 {
        Some(call.constant_long(2)?)
    } else {
        None
    };
    let args = vec![call.string(0)?, call.string(1)?];
    call.strict(args, DataType::String.multi(), move |args| {
        let (texts, separators) = (args.texts(0)?, args.texts(1)?);
        let mut lists = ListBuilder::new(StringViewBuilder::new());
        for row in 0..args.row_count() {
            let valid = args.is_valid(row);
            if valid {
                for piece in pieces(texts.at(row), separators.at(row), limit) {
                    lists.values().append_value(piece);
                }
            }
            lists.append(valid);
        }
        Ok(Arc::new(lists.finish()))
    })
}

/// `splitPart(text, separator[, limit], index)`: counted from 0, from the end when negative; the text
/// `null` when there is no such part.
fn split_part(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(3..=4)?;
    let limited = call.args.len() == 4;
    let limit = if limited {
        Some(call.constant_long(2)?)
    } else {
        None
    };
    let args = vec![
        call.string(0)?,
        call.string(1)?,
        call.long(if limited { 3 } else { 2 })?,
    ];
    call.strict(args, DataType::String.single(), move |args| {
        let (texts, separators, indices) = (args.texts(0)?, args.texts(1)?, args.longs(2)?);
        args.collect_text(|row, out| {
            let pieces = pieces(texts.at(row), separators.at(row), limit);
            let count = i64::try_from(pieces.len()).unwrap_or(i64::MAX);
            let index = indices.at(row);
            let index = if index < 0 {
                index.saturating_add(count)
            } else {
                index
            };
            let piece = usize::try_from(index)
                .ok()
                .and_then(|index| pieces.get(index));
            out.push_str(piece.unwrap_or(&"null"));
            Ok(true)
        })
    })
}
