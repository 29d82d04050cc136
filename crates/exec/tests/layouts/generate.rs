//! Rows made by chance.

use growler_schema::DataType;
use growler_variant::value::TimestampUnit;

use crate::document::{Doc, Row};
use crate::rng::Rng;

/// Names of fields at the top.
const NAMES: [&str; 15] = [
    "k", "o", "k.x", "o.n", "", "ключ", "it's", "q\"uote", "😀", "😀.z", "a", "A", "x y", "p",
    "\u{e000}",
];
/// Names of fields below.
const BELOW: [&str; 7] = ["x", "n", "p", "q", "z", "p.q", ""];

/// What a round is about: the type that its keys are read as.
#[derive(Debug, Clone, Copy)]
pub struct Focus {
    pub data_type: DataType,
    /// Whether numbers may be NaN, infinite or minus zero.
    pub wild: bool,
    /// Whether the type is declared; otherwise no file types the keys either.
    pub declared: bool,
    /// Whether roots may be no objects.
    pub roots: Roots,
    /// Whether bytes may be malformed.
    pub malformed: bool,
    /// Whether the variants lie in a struct, a list and a map, too.
    pub nested: bool,
}

/// What roots are, and how queries take those that are no objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roots {
    Objects,
    Refused,
    Softened,
}

/// Bytes that are no value, whatever the dictionary.
const MALFORMED: [&[u8]; 6] = [
    b"",
    // An object without its count; one without its values; one of a value that is cut.
    b"\x02",
    b"\x02\x01\x00\x00\x05",
    b"\x02\x01\x00\x00\x05\x14\x01",
    // An object of a name that no dictionary has.
    b"\x32\x01\xff\xff\xff\xff\x00\x01\x00",
    // An object of more fields than there are bytes.
    b"\x42\xff\xff\xff\x7f\x00\x00",
];

/// Makes a row.
pub fn row(rng: &mut Rng, focus: Focus) -> Row {
    if rng.chance(4) {
        return Row::Null;
    }
    if focus.malformed && rng.chance(10) {
        let bytes: &&[u8] = rng.pick(&MALFORMED);
        return Row::Malformed(bytes);
    }
    if focus.roots != Roots::Objects && rng.chance(6) {
        return Row::Doc(match value(rng, focus, 1) {
            Doc::Object(_) => Doc::Null,
            other => other,
        });
    }
    Row::Doc(document(rng, focus))
}

fn document(rng: &mut Rng, focus: Focus) -> Doc {
    let mut fields = Vec::new();
    let density = *rng.pick(&[0, 40, 70, 70, 95]);
    for name in NAMES {
        if rng.chance(density) {
            fields.push((name.to_owned(), value(rng, focus, 4)));
        }
    }
    if rng.chance(4) {
        let count = *rng.pick(&[1, 20, 90, 245, 300]);
        fields.extend((0..count).map(|at| (format!("f{at:03}"), Doc::Int(at, 2))));
    }
    rng.shuffle(&mut fields);
    Doc::Object(fields)
}

fn value(rng: &mut Rng, focus: Focus, depth: usize) -> Doc {
    match rng.below(100) {
        0..8 => Doc::Null,
        8..24 => any_scalar(rng, focus.wild),
        24..44 if depth > 0 => object(rng, focus, depth - 1),
        44..54 if depth > 0 => {
            let count = rng.below(4);
            Doc::List((0..count).map(|_| value(rng, focus, depth - 1)).collect())
        }
        54..56 => deep(rng, focus),
        _ => of_type(rng, focus),
    }
}

fn object(rng: &mut Rng, focus: Focus, depth: usize) -> Doc {
    let mut fields = Vec::new();
    for name in BELOW {
        if rng.chance(45) {
            fields.push((name.to_owned(), value(rng, focus, depth)));
        }
    }
    Doc::Object(fields)
}

/// Nests deeper than shredding ever does.
fn deep(rng: &mut Rng, focus: Focus) -> Doc {
    let levels = rng.below(60);
    (0..levels).fold(of_type(rng, focus), |inner, level| match level % 3 {
        0 => Doc::List(vec![inner]),
        _ => Doc::Object(vec![("p".to_owned(), inner)]),
    })
}

/// Makes a value that the round's type can hold, most of the time.
fn of_type(rng: &mut Rng, focus: Focus) -> Doc {
    match focus.data_type {
        DataType::Boolean => Doc::Boolean(rng.chance(50)),
        DataType::Timestamp { .. } => timestamp(rng),
        DataType::Bytes => binary(rng),
        DataType::String => match rng.below(10) {
            0 => any_scalar(rng, focus.wild),
            _ => text(rng),
        },
        // Mostly one kind of number, so that files can be shredded well.
        other => match rng.below(10) {
            0..2 => number(rng, focus.wild),
            _ => match other {
                DataType::Float => float(rng, focus.wild),
                DataType::Double => double(rng, focus.wild),
                DataType::BigDecimal { .. } => decimal(rng),
                _ => int(rng),
            },
        },
    }
}

fn number(rng: &mut Rng, wild: bool) -> Doc {
    match rng.below(4) {
        0 => int(rng),
        1 => double(rng, wild),
        2 => decimal(rng),
        _ => float(rng, wild),
    }
}

fn float(rng: &mut Rng, wild: bool) -> Doc {
    if wild && rng.chance(30) {
        return Doc::Float(*rng.pick(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0]));
    }
    Doc::Float(*rng.pick(&[0.5, 1.5, 3.0, -2.0, 0.1, 1e20, 16_777_216.0]))
}

fn int(rng: &mut Rng) -> Doc {
    const LARGE: [i64; 10] = [
        127,
        -129,
        32_768,
        70_000,
        1 << 31,
        1 << 40,
        (1 << 53) + 1,
        i64::MAX,
        i64::MIN,
        -(1 << 31),
    ];
    let value = match rng.below(3) {
        0 => *rng.pick(&LARGE),
        _ => rng.below(8) as i64 - 3,
    };
    let least = match value {
        -128..=127 => 0,
        -32_768..=32_767 => 1,
        -2_147_483_648..=2_147_483_647 => 2,
        _ => 3,
    };
    let width = least + rng.below(4 - least);
    Doc::Int(value, 1 << width)
}

fn double(rng: &mut Rng, wild: bool) -> Doc {
    if wild && rng.chance(30) {
        return Doc::Double(*rng.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0]));
    }
    Doc::Double(*rng.pick(&[0.5, 1.0, -2.5, 3.0, 1e16, 1e300, 0.1, 2.0, -3.0, 1e-7]))
}

fn decimal(rng: &mut Rng) -> Doc {
    const VALUES: [(i128, u8); 10] = [
        (100, 2),
        (150, 2),
        (-325, 2),
        (7, 2),
        (5, 0),
        (12_345, 3),
        (-1, 1),
        (100_000_000_000_000_000_000, 0),
        (3_000, 3),
        (99_999_999_999_999_999_999_999_999_999_999_999_999, 2),
    ];
    let (unscaled, scale) = *rng.pick(&VALUES);
    Doc::Decimal(unscaled, scale)
}

fn text(rng: &mut Rng) -> Doc {
    const TEXTS: [&str; 14] = [
        "",
        "x",
        "X",
        "null",
        "zebra",
        "12",
        "1.5",
        "true",
        "ünï",
        "a\"b",
        "line\nbreak",
        "it's",
        "{\"x\":1}",
        "a text that is longer than sixty-three bytes, so that it is no short string at all",
    ];
    Doc::Text((*rng.pick(&TEXTS)).to_owned())
}

fn timestamp(rng: &mut Rng) -> Doc {
    let micros = *rng.pick(&[
        0,
        1,
        -1,
        1_700_000_000_000_000,
        1_700_000_000_123_456,
        -86_400_000_000,
    ]);
    let utc = rng.chance(50);
    match rng.below(5) {
        0 => Doc::Timestamp(micros * 1000, TimestampUnit::Nanos, utc),
        1 => Doc::Timestamp(micros * 1000 + 7, TimestampUnit::Nanos, utc),
        _ => Doc::Timestamp(micros, TimestampUnit::Micros, utc),
    }
}

fn binary(rng: &mut Rng) -> Doc {
    const VALUES: [&[u8]; 5] = [b"", b"\0", b"abc", b"\xff\xfe", b"abcd"];
    Doc::Binary(rng.pick(&VALUES).to_vec())
}

fn any_scalar(rng: &mut Rng, wild: bool) -> Doc {
    match rng.below(9) {
        0 => Doc::Boolean(rng.chance(50)),
        1 => number(rng, wild),
        2 => Doc::Date(*rng.pick(&[0, -1, 19_723])),
        3 => Doc::Time(*rng.pick(&[0, 1, 86_399_999_999])),
        4 => timestamp(rng),
        5 => binary(rng),
        6 => Doc::Uuid([7; 16]),
        _ => text(rng),
    }
}
