//! A layout drawn from the input.

use growler_base::LeafIdx;
use growler_schema::TimeUnit;
use growler_variant::shred::{Group, Layout, ScalarType, ShreddedField, Typed};

use super::NAMES;
use crate::draw::Draw;

/// Deepest nesting of groups.
const DEPTH: usize = 3;

pub(super) const SCALARS: [ScalarType; 16] = {
    use ScalarType as S;
    let (micros, nanos) = (TimeUnit::Micros, TimeUnit::Nanos);
    [
        S::String,
        S::Int64,
        S::Boolean,
        S::Double,
        S::Int32,
        S::Int8,
        S::Int16,
        S::Float,
        decimal(9, 2),
        decimal(18, 4),
        decimal(38, 10),
        S::Date,
        S::Time,
        S::Timestamp {
            unit: micros,
            utc: true,
        },
        S::Timestamp {
            unit: nanos,
            utc: false,
        },
        S::Binary,
    ]
};

const fn decimal(precision: u8, scale: u8) -> ScalarType {
    ScalarType::Decimal { precision, scale }
}

/// Draws a layout; leaves are numbered as in a file, depth first.
pub(super) fn layout(draw: &mut Draw<'_>) -> Layout {
    let mut next = 1;
    Layout {
        metadata: LeafIdx(0),
        root: group(draw, 0, &mut next),
    }
}

fn group(draw: &mut Draw<'_>, depth: usize, next: &mut u32) -> Group {
    let choice = draw.byte();
    let has_typed = choice & 0x0c != 0;
    let has_value = choice & 0x03 != 3 || !has_typed;
    let value = has_value.then(|| leaf(next));
    let typed = has_typed.then(|| typed(draw, choice >> 4, depth, next));
    Group { value, typed }
}

fn typed(draw: &mut Draw<'_>, choice: u8, depth: usize, next: &mut u32) -> Typed {
    let is_root = depth == 0;
    match choice {
        0..8 if depth < DEPTH && (is_root || choice < 5) => {
            Typed::Object(fields(draw, depth, next))
        }
        5..8 if depth < DEPTH => Typed::List(Box::new(group(draw, depth + 1, next))),
        _ => Typed::Scalar {
            leaf: leaf(next),
            scalar: SCALARS[draw.below(SCALARS.len())],
        },
    }
}

/// Draws which names are shredded: a bit each.
fn fields(draw: &mut Draw<'_>, depth: usize, next: &mut u32) -> Vec<ShreddedField> {
    let set = draw.byte().max(1);
    let held = (0..NAMES.len()).filter(|bit| set >> bit & 1 == 1);
    held.map(|bit| ShreddedField {
        name: NAMES[bit].to_owned(),
        group: group(draw, depth + 1, next),
    })
    .collect()
}

fn leaf(next: &mut u32) -> LeafIdx {
    *next += 1;
    LeafIdx(*next - 1)
}
