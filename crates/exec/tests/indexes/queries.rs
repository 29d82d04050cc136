//! Random queries around random predicates.

use crate::generate::Focus;
use crate::predicates::{Class, operand, predicate};
use crate::rng::Rng;

/// A query over `t`, without its options.
#[derive(Debug, Clone)]
pub struct Query {
    pub sql: String,
    pub null_handling: bool,
}

/// Makes a query.
pub fn query(focus: Focus, rng: &mut Rng) -> Query {
    let filter = match rng.chance(85) {
        true => {
            let depth = *rng.pick(&[0, 1, 1, 2, 2, 3]);
            format!(" WHERE {}", predicate(focus, depth, rng))
        }
        false => String::new(),
    };
    let sql = match rng.below(100) {
        0..62 => format!("SELECT COUNT(*) FROM t{filter}"),
        62..68 => format!("SELECT id FROM t{filter} LIMIT 100000"),
        68..76 => aggregates(&filter, focus, rng),
        76..84 => groups(&filter, focus, rng),
        84..88 => {
            let limit = *rng.pick(&[1, 3, 1000]);
            let columns = columns(focus, rng);
            format!("SELECT DISTINCT {columns} FROM t{filter} LIMIT {limit}")
        }
        88..93 => orders(&filter, focus, rng),
        93..98 => filtered(&filter, focus, rng),
        _ => {
            let limit = 1 + rng.below(6);
            let key = operand(focus, rng).sql;
            format!("SELECT id, {key} FROM t{filter} LIMIT {limit}")
        }
    };
    Query {
        sql,
        null_handling: rng.chance(50),
    }
}

fn columns(focus: Focus, rng: &mut Rng) -> String {
    let columns = (0..1 + rng.below(2)).map(|_| operand(focus, rng).sql);
    columns.collect::<Vec<_>>().join(", ")
}

fn aggregates(filter: &str, focus: Focus, rng: &mut Rng) -> String {
    // Over all rows dictionaries may answer: of equal zeros they must keep the one that comes first.
    let filter = if rng.chance(50) { "" } else { filter };
    let aggregates: Vec<String> = (0..1 + rng.below(3))
        .map(|_| match rng.chance(30) {
            true => {
                let name = rng.pick::<&str>(&["MIN", "MAX", "MINMAXRANGE", "DISTINCTCOUNT"]);
                format!("{name}({})", rng.pick::<&str>(&["f", "d"]))
            }
            false => aggregate(focus, rng),
        })
        .collect();
    format!("SELECT {} FROM t{filter}", aggregates.join(", "))
}

fn aggregate(focus: Focus, rng: &mut Rng) -> String {
    let operand = operand(focus, rng);
    let sql = operand.sql;
    let is_number = matches!(operand.class, Class::Whole | Class::Number);
    match rng.below(8) {
        0 => format!("COUNT({sql})"),
        1 | 2 => format!("COUNT(DISTINCT {sql})"),
        3 if is_number => format!("SUM({sql})"),
        4 if is_number => format!("MINMAXRANGE({sql})"),
        5 => format!("DISTINCTCOUNTHLL({sql})"),
        kind if is_number => format!("{}({sql})", ["MIN", "MAX"][kind % 2]),
        kind => format!("{}({sql})", ["COUNT", "DISTINCTCOUNT"][kind % 2]),
    }
}

fn groups(filter: &str, focus: Focus, rng: &mut Rng) -> String {
    let keys = match rng.chance(15) {
        true => (*rng.pick(&["f", "d"])).to_owned(),
        false => columns(focus, rng),
    };
    let filter = if rng.chance(40) { "" } else { filter };
    let aggregate = match rng.chance(60) {
        true => "COUNT(*)".to_owned(),
        false => aggregate(focus, rng),
    };
    let having = match rng.chance(15) {
        true => " HAVING COUNT(*) > 1",
        false => "",
    };
    let order = match rng.below(3) {
        0 => format!(" ORDER BY {keys}"),
        1 => format!(" ORDER BY {aggregate} DESC, {keys}"),
        _ => String::new(),
    };
    let limit = *rng.pick(&[2, 10, 100_000]);
    format!(
        "SELECT {keys}, {aggregate} FROM t{filter} GROUP BY {keys}{having}{order} LIMIT {limit}"
    )
}

fn orders(filter: &str, focus: Focus, rng: &mut Rng) -> String {
    let key = operand(focus, rng).sql;
    let direction = *rng.pick(&["", " DESC", " NULLS FIRST", " DESC NULLS LAST"]);
    let limit = *rng.pick(&[1, 4, 20]);
    format!("SELECT id, {key} FROM t{filter} ORDER BY {key}{direction}, id LIMIT {limit}")
}

fn filtered(filter: &str, focus: Focus, rng: &mut Rng) -> String {
    let (first, second) = (predicate(focus, 1, rng), predicate(focus, 2, rng));
    let key = operand(focus, rng).sql;
    format!(
        "SELECT COUNT(*) FILTER (WHERE {first}), COUNT({key}) FILTER (WHERE {second}), COUNT(*) FROM t{filter}"
    )
}
