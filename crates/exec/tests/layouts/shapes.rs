//! Shredding schemas: right, wrong, wider, partial, idle or none.

use growler_schema::{DataType, TimeUnit};
use growler_variant::shred::{ScalarType, Shape, TypedShape};
use growler_variant::value::TimestampUnit;

use crate::document::{Doc, KEYS};
use crate::generate::Focus;
use crate::rng::Rng;

const SCALARS: [ScalarType; 15] = [
    ScalarType::Boolean,
    ScalarType::Int8,
    ScalarType::Int16,
    ScalarType::Int32,
    ScalarType::Int64,
    ScalarType::Float,
    ScalarType::Double,
    ScalarType::Decimal {
        precision: 9,
        scale: 2,
    },
    ScalarType::Decimal {
        precision: 38,
        scale: 0,
    },
    ScalarType::Date,
    ScalarType::Time,
    ScalarType::Timestamp {
        unit: TimeUnit::Micros,
        utc: true,
    },
    ScalarType::Binary,
    ScalarType::String,
    ScalarType::Uuid,
];

/// Makes the schema of a file for these rows. Files agree on the type of each key that is asked
/// for: where it is not declared, none types it; where its digits depend on the files, none has more.
pub fn shape(rng: &mut Rng, docs: &[&Doc], focus: Focus) -> Shape {
    let mut shape = match rng.below(20) {
        0..3 => Shape::unshredded(),
        3 => Shape::scalar(*rng.pick(&SCALARS)),
        4 => Shape::list(Shape::scalar(ScalarType::Int64)),
        5 => object(rng, docs, 3).idle(),
        _ => object(rng, docs, 3),
    };
    settle(&mut shape, "", focus);
    shape
}

fn settle(shape: &mut Shape, path: &str, focus: Focus) {
    let unit = match focus.data_type {
        DataType::Timestamp { unit } => unit,
        _ => TimeUnit::Nanos,
    };
    match &mut shape.typed {
        Some(TypedShape::Scalar(ScalarType::Timestamp { unit: of, .. })) => *of = unit.min(*of),
        Some(TypedShape::Object(fields)) => fields.iter_mut().for_each(|field| {
            let path = match path {
                "" => field.name.clone(),
                _ => format!("{path}.{}", field.name),
            };
            settle(&mut field.shape, &path, focus);
            if !focus.declared && KEYS.contains(&path.as_str()) {
                field.shape.typed = None;
            }
        }),
        _ => {}
    }
}

fn object(rng: &mut Rng, docs: &[&Doc], depth: usize) -> Shape {
    let mut fields: Vec<(String, Shape)> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for doc in docs {
        if let Doc::Object(of) = doc {
            names.extend(of.iter().map(|(name, _)| name.as_str()));
        }
    }
    names.sort_unstable();
    names.dedup();
    let density = *rng.pick(&[20, 60, 100]);
    for name in names.into_iter().filter(|name| !name.starts_with('f')) {
        if rng.chance(density) {
            let values: Vec<&Doc> = docs.iter().filter_map(|doc| doc.field(name)).collect();
            fields.push((name.to_owned(), value(rng, &values, depth)));
        }
    }
    if fields.is_empty() || rng.chance(10) {
        fields.push(("ghost".to_owned(), Shape::scalar(*rng.pick(&SCALARS))));
    }
    rng.shuffle(&mut fields);
    Shape::object(fields)
}

fn value(rng: &mut Rng, values: &[&Doc], depth: usize) -> Shape {
    let shape = match rng.below(20) {
        0..2 => Shape::unshredded(),
        2 => Shape::scalar(*rng.pick(&SCALARS)),
        _ if values.is_empty() => Shape::scalar(*rng.pick(&SCALARS)),
        _ => like(rng, values, depth),
    };
    if rng.chance(8) { shape.idle() } else { shape }
}

/// Makes a schema that fits one of the values.
fn like(rng: &mut Rng, values: &[&Doc], depth: usize) -> Shape {
    let scalar = match *rng.pick(values) {
        Doc::Null => return Shape::unshredded(),
        Doc::Object(_) if depth > 0 => return object(rng, values, depth - 1),
        Doc::List(_) if depth > 0 => {
            let lists = values.iter().filter_map(|doc| match doc {
                Doc::List(items) => Some(items),
                _ => None,
            });
            let items: Vec<&Doc> = lists.flatten().collect();
            return Shape::list(value(rng, &items, depth - 1));
        }
        Doc::Object(_) | Doc::List(_) => return Shape::unshredded(),
        Doc::Boolean(_) => ScalarType::Boolean,
        Doc::Int(..) => SCALARS[1 + rng.below(4)],
        Doc::Float(_) => ScalarType::Float,
        Doc::Double(_) => ScalarType::Double,
        Doc::Decimal(_, scale) => ScalarType::Decimal {
            precision: *rng.pick(&[9, 18, 38]),
            scale: *scale,
        },
        Doc::Date(_) => ScalarType::Date,
        Doc::Time(_) => ScalarType::Time,
        Doc::Timestamp(_, unit, utc) => ScalarType::Timestamp {
            unit: match unit {
                TimestampUnit::Micros => TimeUnit::Micros,
                TimestampUnit::Nanos => TimeUnit::Nanos,
            },
            utc: *utc,
        },
        Doc::Binary(_) => ScalarType::Binary,
        Doc::Text(_) => ScalarType::String,
        Doc::Uuid(_) => ScalarType::Uuid,
    };
    Shape::scalar(scalar)
}
