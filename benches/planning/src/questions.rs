//! What is asked of both sides.

use growler_catalog::Datum as OurDatum;
use growler_catalog::prune::{Comparison, Predicate, Test};
use iceberg::expr::{Predicate as TheirPredicate, Reference};
use iceberg::spec::Datum as TheirDatum;

use crate::made::{DAY_US, FIRST_DAY, ID_STEP, id, region, ts};

/// One question, in both spellings.
pub struct Question {
    pub name: &'static str,
    pub theirs: fn() -> TheirPredicate,
    pub ours: fn() -> Predicate,
}

/// The day that is asked about, of a hundred.
const DAY: i64 = 37;
/// A file that is there in all sizes.
const FILE: i64 = 377;

pub const QUESTIONS: [Question; 5] = [
    Question {
        name: "one partition of a hundred: `ts` of a day",
        theirs: their_day,
        ours: our_day,
    },
    Question {
        name: "one file by bounds: `id = ..`",
        theirs: || Reference::new("id").equal_to(TheirDatum::long(id(FILE) + 1)),
        ours: || field(1, Comparison::Eq, OurDatum::Long(id(FILE) + 1)),
    },
    Question {
        name: "no file by bounds: `id = ..`",
        theirs: || Reference::new("id").equal_to(TheirDatum::long(id(FILE) + ID_STEP - 1)),
        ours: || field(1, Comparison::Eq, OurDatum::Long(id(FILE) + ID_STEP - 1)),
    },
    Question {
        name: "one file by bounds of text: `region = ..`",
        theirs: || Reference::new("region").equal_to(TheirDatum::string(region(FILE) + "m")),
        ours: || {
            let text = (region(FILE) + "m").into_boxed_str();
            field(3, Comparison::Eq, OurDatum::String(text))
        },
    },
    Question {
        name: "a partition and bounds: `ts` of a day, `value >= ..`",
        theirs: || {
            their_day()
                .and(Reference::new("value").greater_than_or_equal_to(TheirDatum::double(0.9)))
        },
        ours: || {
            let value = field(4, Comparison::GtEq, OurDatum::Double(0.9));
            Predicate::And(vec![our_day(), value])
        },
    },
];

fn their_day() -> TheirPredicate {
    let at = |day| TheirDatum::timestamp_micros(ts(FIRST_DAY + day));
    let since = Reference::new("ts").greater_than_or_equal_to(at(DAY));
    since.and(Reference::new("ts").less_than(at(DAY + 1)))
}

fn our_day() -> Predicate {
    let at = |day: i64| OurDatum::Timestamp((FIRST_DAY + day) * DAY_US);
    Predicate::And(vec![
        field(2, Comparison::GtEq, at(DAY)),
        field(2, Comparison::Lt, at(DAY + 1)),
    ])
}

fn field(id: i32, comparison: Comparison, literal: OurDatum) -> Predicate {
    Predicate::Field {
        id: growler_base::FieldId(id),
        test: Test::Compare(comparison, literal),
    }
}
