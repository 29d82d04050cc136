//! Random predicates on what a table has.

use crate::verify::inside::Matched;
use crate::verify::random::Random;
use crate::verify::sample::{Class, Operand, quoted};

/// Operands to pick from.
#[derive(Debug)]
pub struct Operands {
    indexed: Vec<Operand>,
    all: Vec<Operand>,
    matched: Vec<Matched>,
}

impl Operands {
    /// Tells those apart that are indexed.
    pub fn new(all: Vec<Operand>, matched: Vec<Matched>) -> Self {
        let indexed = all.iter().filter(|operand| operand.is_indexed);
        Self {
            indexed: indexed.cloned().collect(),
            all,
            matched,
        }
    }

    /// Picks one, mostly one that is indexed; none when the table has no columns.
    pub fn pick(&self, random: &mut Random) -> Option<&Operand> {
        let from_indexed = !self.indexed.is_empty() && random.chance(85);
        random.pick(if from_indexed {
            &self.indexed
        } else {
            &self.all
        })
    }

    /// Makes a predicate of at most some levels of AND, OR and NOT.
    pub fn predicate(&self, depth: usize, random: &mut Random) -> Option<String> {
        if depth == 0 || random.chance(55) {
            return self.leaf(random);
        }
        let mut part = || self.predicate(depth - 1, random);
        let (first, second) = (part()?, part()?);
        Some(match random.below(5) {
            0 => format!("NOT ({first})"),
            1 | 2 => format!("({first}) OR ({second})"),
            _ => format!("({first}) AND ({second})"),
        })
    }

    /// Makes a `JSON_MATCH` of one or two conditions on a column.
    fn json_match(&self, matched: &Matched, random: &mut Random) -> Option<String> {
        let mut filter = condition(matched, random)?;
        let other = random.pick(&self.matched)?;
        if other.column == matched.column && random.chance(50) {
            let word = random.word(&["AND", "OR"]);
            filter = format!("{filter} {word} {}", condition(other, random)?);
        }
        Some(format!(
            "JSON_MATCH({}, {})",
            matched.column,
            quoted(&filter)
        ))
    }

    fn leaf(&self, random: &mut Random) -> Option<String> {
        if random.chance(20)
            && let Some(matched) = random.pick(&self.matched)
        {
            return self.json_match(matched, random);
        }
        let operand = self.pick(random)?;
        let sql = &operand.sql;
        Some(match random.below(100) {
            0..30 => {
                let operator = random.word(&["=", "=", "<>"]);
                format!("{sql} {operator} {}", literal(operand, random)?)
            }
            30..45 => {
                let operator = random.word(&["<", "<=", ">", ">="]);
                format!("{sql} {operator} {}", literal(operand, random)?)
            }
            45..58 => members(operand, random)?,
            58..68 => {
                let (low, high) = (literal(operand, random)?, literal(operand, random)?);
                format!("{sql} BETWEEN {low} AND {high}")
            }
            68..78 if operand.class == Class::Text => pattern(operand, random)?,
            78..84 => format!("{sql} = 'null'"),
            _ => format!("{sql} IS {}NULL", random.word(&["", "NOT "])),
        })
    }
}

/// Makes one condition of `JSON_MATCH`.
fn condition(matched: &Matched, random: &mut Random) -> Option<String> {
    let key = &matched.key;
    let mut literal = || random.pick(&matched.literals).cloned();
    let (first, second) = (literal()?, literal()?);
    Some(match random.below(8) {
        0 => format!("{key} IS NOT NULL"),
        1 => format!("{key} <> {first}"),
        2 => format!("{key} IN ({first}, {second})"),
        3 => format!("{key} >= {first}"),
        4 => format!("NOT ({key} NOT IN ({first}, {second}))"),
        _ => format!("{key} = {first}"),
    })
}

/// Returns a value of the operand, or one near it, or another one.
fn literal(operand: &Operand, random: &mut Random) -> Option<String> {
    let literal = random.pick(&operand.literals)?;
    Some(match (random.below(10), operand.class) {
        (0, Class::Number) => random
            .word(&["0", "1", "-1", "1.5", "2147483647"])
            .to_owned(),
        (1, Class::Number) => format!(
            "{}",
            literal.parse::<i32>().map_or(0, |n| n.wrapping_add(1))
        ),
        (0, Class::Text) => random.word(&["''", "'null'", "'x'", "'0'"]).to_owned(),
        (1, Class::Text) => {
            let text = literal.trim_matches('\'').replace('\'', "");
            quoted(&format!("{text}{}", random.word(&["a", "~"])))
        }
        _ => literal.clone(),
    })
}

fn members(operand: &Operand, random: &mut Random) -> Option<String> {
    let count = 1 + random.below(5);
    let literals: Option<Vec<String>> = (0..count).map(|_| literal(operand, random)).collect();
    let not = random.word(&["", "", "NOT "]);
    Some(format!(
        "{} {not}IN ({})",
        operand.sql,
        literals?.join(", ")
    ))
}

fn pattern(operand: &Operand, random: &mut Random) -> Option<String> {
    let literal = random.pick(&operand.literals)?;
    let text: Vec<char> = literal
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ')
        .take(40)
        .collect();
    let part: String = text.iter().take(1 + random.below(text.len())).collect();
    let sql = &operand.sql;
    Some(match random.below(4) {
        0 => format!("{sql} LIKE {}", quoted(&format!("%{part}%"))),
        1 => format!("REGEXP_LIKE({sql}, {})", quoted(&format!("^{part}"))),
        2 => format!("{sql} NOT LIKE {}", quoted(&format!("{part}%"))),
        _ => format!("{sql} LIKE {}", quoted(&format!("{part}%"))),
    })
}
