//! Whole texts: case, blanks, joining, padding, searching.

use arrow_array::types;
use growler_schema::DataType;

use super::registry::Entry;
use crate::{
    error::Error,
    expr::{args::Args, call::Call, node::Node},
};

/// Longest text that a function may make of shorter ones, in bytes.
const MAX_LEN: usize = 1 << 24;

pub(super) const TABLE: &[Entry] = &[
    ("lower", |call| {
        unary(call, |text, out| out.push_str(&text.to_lowercase()))
    }),
    ("upper", |call| {
        unary(call, |text, out| out.push_str(&text.to_uppercase()))
    }),
    ("initcap", |call| unary(call, init_cap)),
    ("reverse", |call| {
        unary(call, |text, out| out.extend(text.chars().rev()))
    }),
    ("trim", trim),
    ("ltrim", |call| part(call, |text| text.trim_start())),
    ("rtrim", |call| part(call, |text| text.trim_end())),
    ("length", |call| count(call, |text| text.chars().count())),
    ("concat", concat),
    ("concatws", concat_ws),
    ("lpad", |call| pad(call, true)),
    ("rpad", |call| pad(call, false)),
    ("repeat", repeat),
    ("replace", replace),
    ("remove", remove),
    ("startswith", |call| {
        predicate(call, |text, other| text.starts_with(other))
    }),
    ("endswith", |call| {
        predicate(call, |text, other| text.ends_with(other))
    }),
    ("contains", |call| {
        predicate(call, |text, other| text.contains(other))
    }),
    ("strcmp", strcmp),
    ("codepoint", |call| {
        count(call, |text| text.chars().next().map_or(0, |c| c as usize))
    }),
    ("chr", chr),
    ("hammingdistance", hamming_distance),
];

/// Makes a function that appends one text's result.
pub(super) fn unary(
    call: &mut Call<'_, '_>,
    function: fn(&str, &mut String),
) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.string(0)?;
    call.strict(vec![node], DataType::String.single(), move |args| {
        let texts = args.texts(0)?;
        args.collect_text(|row, out| {
            function(texts.at(row), out);
            Ok(true)
        })
    })
}

/// Makes a function that gives a part of its text.
fn part(call: &mut Call<'_, '_>, function: fn(&str) -> &str) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.string(0)?;
    call.strict(vec![node], DataType::String.single(), move |args| {
        let texts = args.texts(0)?;
        Ok(args.collect_str(|row| Some(function(texts.at(row)))))
    })
}

fn count(call: &mut Call<'_, '_>, function: fn(&str) -> usize) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.string(0)?;
    call.strict(vec![node], DataType::Int.single(), move |args| {
        let texts = args.texts(0)?;
        args.collect::<types::Int32Type>(|row| Ok(i32::try_from(function(texts.at(row))).ok()))
    })
}

fn predicate(call: &mut Call<'_, '_>, function: fn(&str, &str) -> bool) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let args = vec![call.string(0)?, call.string(1)?];
    call.strict(args, DataType::Boolean.single(), move |args| {
        let (a, b) = (args.texts(0)?, args.texts(1)?);
        Ok(args.collect_bool(|row| function(a.at(row), b.at(row))))
    })
}

fn init_cap(text: &str, out: &mut String) {
    let mut at_start = true;
    for c in text.chars() {
        if at_start {
            out.extend(c.to_uppercase());
        } else {
            out.extend(c.to_lowercase());
        }
        at_start = c.is_whitespace();
    }
}

/// `trim(x)` of blanks, or `trim('BOTH'|'LEADING'|'TRAILING', characters, x)`.
fn trim(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    if call.args.len() == 1 {
        // Java trims everything up to the blank.
        return part(call, |text| text.trim_matches(|c: char| c <= ' '));
    }
    call.arity(3..=3)?;
    let end = call.constant_text(0)?.to_ascii_uppercase();
    let (leading, trailing) = (end != "TRAILING", end != "LEADING");
    let args = vec![call.string(1)?, call.string(2)?];
    call.strict(args, DataType::String.single(), move |args| {
        let (characters, texts) = (args.texts(0)?, args.texts(1)?);
        Ok(args.collect_str(|row| {
            let set = characters.at(row);
            let mut text = texts.at(row);
            if leading {
                text = text.trim_start_matches(|c| set.contains(c));
            }
            if trailing {
                text = text.trim_end_matches(|c| set.contains(c));
            }
            Some(text)
        }))
    })
}

/// `concat(a, b)` joins; `concat(a, b, separator)` puts the separator between; more arguments are
/// joined.
fn concat(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=usize::MAX)?;
    let mut nodes = texts(call, 0)?;
    if nodes.len() == 3 {
        nodes.swap(1, 2);
    }
    join(call, nodes, |args, row, out| {
        for idx in 0..args.0 {
            out.push_str(args.1[idx].at(row));
        }
    })
}

/// `concatWs(separator, a, b, ..)`.
fn concat_ws(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=usize::MAX)?;
    let nodes = texts(call, 0)?;
    join(call, nodes, |args, row, out| {
        for idx in 1..args.0 {
            if idx > 1 {
                out.push_str(args.1[0].at(row));
            }
            out.push_str(args.1[idx].at(row));
        }
    })
}

type Joined<'a, 'b> = (usize, &'b [crate::expr::args::Texts<'a>]);

fn join(
    call: &mut Call<'_, '_>,
    nodes: Vec<Node>,
    function: fn(Joined<'_, '_>, usize, &mut String),
) -> Result<Node, Error> {
    let count = nodes.len();
    call.strict(nodes, DataType::String.single(), move |args| {
        let texts = (0..count)
            .map(|idx| args.texts(idx))
            .collect::<Result<Vec<_>, _>>()?;
        args.collect_text(|row, out| {
            function((count, &texts), row, out);
            Ok(true)
        })
    })
}

fn texts(call: &mut Call<'_, '_>, from: usize) -> Result<Vec<Node>, Error> {
    (from..call.args.len())
        .map(|idx| call.string(idx))
        .collect()
}

/// Pads to a count of characters; longer text stays as it is.
fn pad(call: &mut Call<'_, '_>, left: bool) -> Result<Node, Error> {
    call.arity(2..=3)?;
    let pad = if call.args.len() == 3 {
        call.string(2)?
    } else {
        Node::literal(&crate::sql::ast::Literal::String(" ".to_owned()))?
    };
    let args = vec![call.string(0)?, call.long(1)?, pad];
    let shown = call.text();
    call.strict(args, DataType::String.single(), move |args| {
        let (texts, sizes, pads) = (args.texts(0)?, args.longs(1)?, args.texts(2)?);
        args.collect_text(|row, out| {
            let text = texts.at(row);
            let pad = if pads.at(row).is_empty() {
                " "
            } else {
                pads.at(row)
            };
            let missing = usize::try_from(sizes.at(row))
                .unwrap_or(0)
                .saturating_sub(text.chars().count());
            check_len(missing.saturating_mul(4), &shown)?;
            let padding = pad.chars().cycle().take(missing);
            if left {
                out.extend(padding);
                out.push_str(text);
            } else {
                out.push_str(text);
                out.extend(padding);
            }
            Ok(true)
        })
    })
}

/// `repeat(text, times)` or `repeat(text, separator, times)`.
fn repeat(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=3)?;
    let separated = call.args.len() == 3;
    let separator = if separated {
        call.string(1)?
    } else {
        Node::literal(&crate::sql::ast::Literal::String(String::new()))?
    };
    let args = vec![
        call.string(0)?,
        separator,
        call.long(if separated { 2 } else { 1 })?,
    ];
    let shown = call.text();
    call.strict(args, DataType::String.single(), move |args: &Args<'_>| {
        let (texts, separators, times) = (args.texts(0)?, args.texts(1)?, args.longs(2)?);
        args.collect_text(|row, out| {
            let times = usize::try_from(times.at(row)).unwrap_or(0);
            let (text, separator) = (texts.at(row), separators.at(row));
            check_len((text.len() + separator.len()).saturating_mul(times), &shown)?;
            for idx in 0..times {
                if idx > 0 {
                    out.push_str(separator);
                }
                out.push_str(text);
            }
            Ok(true)
        })
    })
}

/// `replace(text, find, substitute)`.
fn replace(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(3..=3)?;
    let args = vec![call.string(0)?, call.string(1)?, call.string(2)?];
    replacing(call, args)
}

/// `remove(text, find)`.
fn remove(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let nothing = Node::literal(&crate::sql::ast::Literal::String(String::new()))?;
    let args = vec![call.string(0)?, call.string(1)?, nothing];
    replacing(call, args)
}

fn replacing(call: &mut Call<'_, '_>, args: Vec<Node>) -> Result<Node, Error> {
    let shown = call.text();
    call.strict(args, DataType::String.single(), move |args| {
        let (texts, finds, substitutes) = (args.texts(0)?, args.texts(1)?, args.texts(2)?);
        args.collect_text(|row, out| {
            let (text, find, substitute) = (texts.at(row), finds.at(row), substitutes.at(row));
            if find.is_empty() {
                out.push_str(text);
                return Ok(true);
            }
            let most = (text.len() / find.len()).saturating_mul(substitute.len());
            check_len(most, &shown)?;
            let mut pieces = text.split(find);
            out.push_str(pieces.next().unwrap_or_default());
            for piece in pieces {
                out.push_str(substitute);
                out.push_str(piece);
            }
            Ok(true)
        })
    })
}

fn check_len(len: usize, shown: &str) -> Result<(), Error> {
    if len <= MAX_LEN {
        return Ok(());
    }
    Err(Error::Execution(format!(
        "text is too long: lenBytes={len} limitBytes={MAX_LEN}, expression={shown}"
    )))
}

fn strcmp(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let args = vec![call.string(0)?, call.string(1)?];
    call.strict(args, DataType::Int.single(), |args| {
        let (a, b) = (args.texts(0)?, args.texts(1)?);
        args.collect::<types::Int32Type>(|row| Ok(Some(a.at(row).cmp(b.at(row)) as i32)))
    })
}

fn chr(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.long(0)?;
    call.strict(vec![node], DataType::String.single(), |args| {
        let codes = args.longs(0)?;
        args.collect_text(|row, out| {
            let c = u32::try_from(codes.at(row)).ok().and_then(char::from_u32);
            out.extend(c);
            Ok(c.is_some())
        })
    })
}

/// How many characters differ; -1 for texts of different lengths.
fn hamming_distance(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let args = vec![call.string(0)?, call.string(1)?];
    call.strict(args, DataType::Int.single(), |args| {
        let (a, b) = (args.texts(0)?, args.texts(1)?);
        args.collect::<types::Int32Type>(|row| {
            let (a, b) = (a.at(row), b.at(row));
            if a.chars().count() != b.chars().count() {
                return Ok(Some(-1));
            }
            let distance = a.chars().zip(b.chars()).filter(|(a, b)| a != b).count();
            Ok(i32::try_from(distance).ok())
        })
    })
}
