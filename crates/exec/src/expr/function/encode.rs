//! Texts to bytes and back; digests.

use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use growler_schema::DataType;
use sha2::Digest as _;

use super::{registry::Entry, text::unary};
use crate::{
    error::Error,
    expr::{
        KeyView,
        call::Call,
        convert::number::{parse_hex, write_hex},
        node::Node,
    },
};

pub(super) const TABLE: &[Entry] = &[
    ("toutf8", |call| {
        to_bytes(call, |text| Some(text.as_bytes().to_vec()))
    }),
    ("toascii", |call| {
        to_bytes(call, |text| Some(text.chars().map(ascii).collect()))
    }),
    ("frombase64", |call| {
        to_bytes(call, |text| STANDARD.decode(text).ok())
    }),
    ("hextobytes", |call| to_bytes(call, parse_hex)),
    ("fromutf8", |call| {
        of_bytes(call, |bytes, out| {
            out.push_str(&String::from_utf8_lossy(bytes))
        })
    }),
    ("fromascii", |call| {
        of_bytes(call, |bytes, out| {
            out.push_str(&String::from_utf8_lossy(bytes))
        })
    }),
    ("tobase64", |call| {
        of_bytes(call, |bytes, out| STANDARD.encode_string(bytes, out))
    }),
    ("bytestohex", |call| of_bytes(call, write_hex)),
    ("md5", |call| {
        of_bytes(call, |bytes, out| write_hex(&md5::Md5::digest(bytes), out))
    }),
    ("sha256", |call| {
        of_bytes(call, |bytes, out| {
            write_hex(&sha2::Sha256::digest(bytes), out)
        })
    }),
    ("sha224", |call| {
        of_bytes(call, |bytes, out| {
            write_hex(&sha2::Sha224::digest(bytes), out)
        })
    }),
    ("sha512", |call| {
        of_bytes(call, |bytes, out| {
            write_hex(&sha2::Sha512::digest(bytes), out)
        })
    }),
    ("encodeurl", |call| unary(call, encode_url)),
    ("decodeurl", |call| unary(call, decode_url)),
];

fn ascii(c: char) -> u8 {
    u8::try_from(c).ok().filter(u8::is_ascii).unwrap_or(b'?')
}

/// Makes a function of a text that gives bytes.
fn to_bytes(call: &mut Call<'_, '_>, function: fn(&str) -> Option<Vec<u8>>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.string(0)?;
    call.strict(vec![node], DataType::Bytes.single(), move |args| {
        let texts = args.texts(0)?;
        Ok(args.collect_bytes(|row| function(texts.at(row))))
    })
}

/// Makes a function of bytes that gives a text; a text stands for its UTF-8 bytes.
fn of_bytes(call: &mut Call<'_, '_>, function: fn(&[u8], &mut String)) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.single(0, KeyView::Own)?;
    let string = DataType::String.single();
    if node.column_type.data_type == DataType::Bytes {
        return call.strict(vec![node], string, move |args| {
            let bytes = args.bytes(0)?;
            args.collect_text(|row, out| {
                function(bytes.value(row), out);
                Ok(true)
            })
        });
    }
    let node = call.cast(node, DataType::String)?;
    call.strict(vec![node], string, move |args| {
        let texts = args.texts(0)?;
        args.collect_text(|row, out| {
            function(texts.at(row).as_bytes(), out);
            Ok(true)
        })
    })
}

fn encode_url(text: &str, out: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
}

fn decode_url(text: &str, out: &mut String) {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = tail
            .get(..2)
            .and_then(|pair| std::str::from_utf8(pair).ok());
        match (first, escaped.and_then(parse_hex)) {
            (b'%', Some(byte)) => {
                bytes.extend(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            (b'+', _) => {
                bytes.push(b' ');
                rest = tail;
            }
            (other, _) => {
                bytes.push(*other);
                rest = tail;
            }
        }
    }
    out.push_str(&String::from_utf8_lossy(&bytes));
}
