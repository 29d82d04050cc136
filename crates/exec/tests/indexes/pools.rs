//! Values that columns are made of and compared with.

use crate::rng::Rng;

/// Whole numbers.
pub const LONGS: [i64; 20] = [
    0,
    1,
    -1,
    2,
    3,
    4,
    5,
    7,
    100,
    127,
    -129,
    65_536,
    70_000,
    i32::MAX as i64,
    i32::MIN as i64,
    -(1 << 31) + 1,
    (1 << 53) + 1,
    1 << 40,
    i64::MAX,
    i64::MIN,
];

/// Fractions, and what is no number.
pub const DOUBLES: [f64; 16] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    -0.0,
    0.0,
    0.1,
    0.5,
    1.0,
    1.5,
    -2.5,
    3.0,
    1e16,
    1e300,
    -1e300,
    5e-324,
    16_777_217.0,
];

/// Decimals of three digits behind the point.
pub const DECIMALS: [i128; 10] = [
    0,
    1,
    -1,
    1_500,
    3_000,
    -2_500,
    100,
    12_345_678_901_234_567,
    99_999_999_999_999_999_999_999_999,
    -99_999_999_999_999_999_999_999_999,
];

/// Times in microseconds.
pub const TIMES: [i64; 8] = [
    0,
    1,
    -1,
    1_700_000_000_000_000,
    1_700_000_000_123_456,
    1_700_000_000_001_000,
    -86_400_000_000,
    999,
];

/// Bytes.
pub const BINARIES: [&[u8]; 7] = [b"", b"\0", b"\0\0", b"a", b"abc", b"\xff\xfe", b"abcd"];

/// Short texts.
const TEXTS: [&str; 24] = [
    "",
    "null",
    "x",
    "X",
    "y",
    "zebra",
    "Zebra",
    "z",
    "12",
    "1.5",
    "-3",
    "true",
    "ünï",
    "ÜNÏ",
    "ключ",
    "😀",
    "it's",
    "a\"b",
    "a%b",
    "a_b",
    "line\nbreak",
    "{\"x\":1}",
    "[]",
    "{}",
];

/// Returns one of many texts; some are about as long as the longest that an index holds.
pub fn text(rng: &mut Rng) -> String {
    match rng.below(12) {
        0 => format!(
            "{}{}",
            "long ".repeat(*rng.pick(&[13, 50, 51, 52])),
            rng.pick(&["", "a", "aa", "ß"])
        ),
        1 => format!("name-{}", rng.below(300)),
        _ => (*rng.pick(&TEXTS)).to_owned(),
    }
}

/// Returns one of many whole numbers.
pub fn long(rng: &mut Rng) -> i64 {
    match rng.below(3) {
        0 => *rng.pick(&LONGS),
        1 => rng.below(2000) as i64 - 1000,
        _ => rng.below(8) as i64 - 3,
    }
}

/// Writes text as SQL does.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
