//! Random predicates: every form, on columns and keys, and trees of them.

use growler_schema::DataType;

use crate::document::KEYS;
use crate::generate::Focus;
use crate::pools::{self, BINARIES, DECIMALS, DOUBLES, TIMES, quoted};
use crate::rng::Rng;

/// What values of an operand are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Whole,
    Number,
    Boolean,
    Text,
    Bytes,
    Time,
}

/// A column or key.
#[derive(Debug, Clone)]
pub struct Operand {
    pub sql: String,
    pub class: Class,
}

const COLUMNS: [(&str, Class); 10] = [
    ("id", Class::Whole),
    ("b", Class::Boolean),
    ("i", Class::Whole),
    ("l", Class::Whole),
    ("f", Class::Number),
    ("d", Class::Number),
    ("n", Class::Number),
    ("s", Class::Text),
    ("y", Class::Bytes),
    ("t", Class::Time),
];

/// Keys beside those that configs name: of objects, of few rows, of arrays, of none.
const MORE_KEYS: [&str; 8] = ["o", "p", "a", "A", "x y", "o.p", "k.q.p", "nowhere"];

/// Picks a column or key.
pub fn operand(focus: Focus, rng: &mut Rng) -> Operand {
    if rng.chance(45) {
        let (name, class) = *rng.pick(&COLUMNS);
        return Operand {
            sql: name.to_owned(),
            class,
        };
    }
    let key = match rng.below(5) {
        0 => rng.pick(&MORE_KEYS),
        _ => rng.pick(&KEYS),
    };
    Operand {
        sql: format!("props[{}]", quoted(key)),
        class: class_of(focus, rng),
    }
}

/// Returns what a key is compared with: mostly what its values are.
fn class_of(focus: Focus, rng: &mut Rng) -> Class {
    if rng.chance(12) {
        return *rng.pick(&[Class::Text, Class::Whole, Class::Number]);
    }
    match focus.data_type {
        DataType::Int | DataType::Long => Class::Whole,
        DataType::Float | DataType::Double | DataType::BigDecimal { .. } => Class::Number,
        DataType::Boolean => Class::Boolean,
        DataType::Timestamp { .. } => Class::Time,
        DataType::Bytes => Class::Bytes,
        _ => Class::Text,
    }
}

/// Makes a literal.
pub fn literal(class: Class, rng: &mut Rng) -> String {
    match class {
        Class::Whole if rng.chance(10) => literal(Class::Number, rng),
        Class::Whole => pools::long(rng).to_string(),
        Class::Number => number(rng),
        Class::Boolean => (*rng.pick(&["true", "false"])).to_owned(),
        Class::Text => quoted(&pools::text(rng)),
        Class::Bytes => {
            let bytes = rng.pick(&BINARIES).iter();
            quoted(&bytes.map(|byte| format!("{byte:02x}")).collect::<String>())
        }
        Class::Time if rng.chance(30) => (*rng.pick(&[
            "'2023-11-14 22:13:20.123456'",
            "'1970-01-01 00:00:00.000001'",
            "'1969-12-31 00:00:00'",
        ]))
        .to_owned(),
        Class::Time => (rng.pick(&TIMES) / 1000).to_string(),
    }
}

fn number(rng: &mut Rng) -> String {
    match rng.below(7) {
        0 => pools::long(rng).to_string(),
        1 => {
            let decimal = *rng.pick(&DECIMALS);
            let sign = if decimal < 0 { "-" } else { "" };
            let digits = decimal.unsigned_abs();
            format!("{sign}{}.{:03}", digits / 1000, digits % 1000)
        }
        2 => (*rng.pick(&["'NaN'", "'Infinity'", "'-Infinity'"])).to_owned(),
        3 => (*rng.pick(&["-0.0", "0", "0.0"])).to_owned(),
        _ => {
            let double = *rng.pick(&DOUBLES);
            if double.is_finite() {
                format!("{double:?}")
            } else {
                "0.5".to_owned()
            }
        }
    }
}

/// Makes a tree of predicates.
pub fn predicate(focus: Focus, depth: usize, rng: &mut Rng) -> String {
    if depth == 0 || rng.chance(45) {
        return leaf(focus, rng);
    }
    match rng.below(5) {
        0 => format!("NOT ({})", predicate(focus, depth - 1, rng)),
        kind => {
            let word = if kind % 2 == 0 { "AND" } else { "OR" };
            let parts: Vec<String> = (0..2 + rng.below(2))
                .map(|_| format!("({})", predicate(focus, depth - 1, rng)))
                .collect();
            parts.join(&format!(" {word} "))
        }
    }
}

fn leaf(focus: Focus, rng: &mut Rng) -> String {
    if rng.chance(20) {
        return crate::documents::predicate(rng);
    }
    let operand = operand(focus, rng);
    let Operand { sql, class } = &operand;
    match rng.below(100) {
        0..34 => {
            let operator = *rng.pick(&["=", "=", "=", "<>", "!=", "<", "<=", ">", ">="]);
            let literal = literal(*class, rng);
            match rng.chance(6) {
                true => format!("{literal} {operator} {sql}"),
                false => format!("{sql} {operator} {literal}"),
            }
        }
        34..48 => members(&operand, rng),
        48..58 => {
            let (low, high) = (literal(*class, rng), literal(*class, rng));
            let not = if rng.chance(25) { "NOT " } else { "" };
            format!("{sql} {not}BETWEEN {low} AND {high}")
        }
        58..68 => pattern(sql, rng),
        68..82 => {
            let not = if rng.chance(50) { "NOT " } else { "" };
            format!("{sql} IS {not}NULL")
        }
        82..88 => {
            let operator = *rng.pick(&["=", "<>"]);
            format!("{sql} {operator} 'null'")
        }
        88..92 => {
            let not = if rng.chance(50) { "NOT " } else { "" };
            format!("props IS {not}NULL")
        }
        92..95 => format!("{sql} = {}", operand_of(*class, focus, rng)),
        _ => computed(&operand, rng),
    }
}

fn operand_of(class: Class, focus: Focus, rng: &mut Rng) -> String {
    let other = operand(focus, rng);
    match other.class == class {
        true => other.sql,
        false => literal(class, rng),
    }
}

fn members(operand: &Operand, rng: &mut Rng) -> String {
    let count = *rng.pick(&[1, 2, 2, 3, 4, 40]);
    let literals: Vec<String> = (0..count).map(|_| literal(operand.class, rng)).collect();
    let not = if rng.chance(40) { "NOT " } else { "" };
    format!("{} {not}IN ({})", operand.sql, literals.join(", "))
}

fn pattern(sql: &str, rng: &mut Rng) -> String {
    const LIKE: [&str; 14] = [
        "x", "X%", "z%", "%a", "%e%", "ze_ra", "null", "%", "", "ün%", "name-1%", "long %", "%\"%",
        "1%",
    ];
    const REGEXP: [&str; 8] = ["^x", "^ze", "a$", "[0-9]+", "^null$", ".*", "ü", "^long"];
    match rng.below(3) {
        0 => format!("REGEXP_LIKE({sql}, {})", quoted(rng.pick::<&str>(&REGEXP))),
        _ => {
            let not = if rng.chance(25) { "NOT " } else { "" };
            format!("{sql} {not}LIKE {}", quoted(rng.pick::<&str>(&LIKE)))
        }
    }
}

/// Makes a predicate on something computed, which no index holds.
fn computed(operand: &Operand, rng: &mut Rng) -> String {
    let (sql, class) = (&operand.sql, operand.class);
    match class {
        Class::Whole | Class::Number => format!("{sql} + 1 > {}", literal(class, rng)),
        Class::Text => format!("UPPER({sql}) = {}", literal(class, rng)),
        Class::Boolean => format!("NOT {sql}"),
        Class::Bytes | Class::Time => {
            format!("CAST({sql} AS STRING) <> {}", literal(Class::Text, rng))
        }
    }
}
