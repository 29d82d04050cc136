//! What footer and page index prove about the rows of a source.
//!
//! Nothing here is an error: evidence that is absent, damaged or not about the asked type is no
//! evidence, and what is not known is left out. `bounds` one stored minimum or maximum as a value
//! of the source's type.
//!
//! The statistics of a typed leaf are those of a VARIANT key only where nothing else can hold a value
//! of it: in that row group the key's own residual is all null, and so is that of every object on
//! the way, or no row lacks the typed part of that object.

use growler_base::{LeafIdx, RowGroupIdx, RowRanges};
use growler_schema::{DataType, SourceType, Value};
use growler_variant::shred::ScalarType;
use parquet::file::metadata::ColumnChunkMetaData;

use crate::Source;
use crate::binding::Bound;
use crate::schema::Shape;
use crate::segment::Inner;

mod bounds;

use bounds::{Raw, Side};

/// Facts about the values of one source in one row group or page; an absent fact is unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// Rows, nulls included.
    pub row_count: usize,
    /// Rows that read as null.
    pub null_count: Option<u64>,
    /// No value is smaller; in the source's own type. Absent when there is no value, or unknown.
    pub min: Option<Value>,
    /// No value is greater.
    pub max: Option<Value>,
    /// Whether `min` and `max` are themselves values, not just bounds.
    pub exact: bool,
    /// Whether NaN may be among the values; it is outside of `min` and `max`.
    pub may_have_nan: bool,
}

impl Statistics {
    /// Returns what is known without evidence.
    pub fn unknown(row_count: usize) -> Self {
        Self {
            row_count,
            null_count: None,
            min: None,
            max: None,
            exact: false,
            may_have_nan: true,
        }
    }

    /// Returns what is known when every row is null.
    fn all_null(row_count: usize) -> Self {
        Self {
            null_count: Some(row_count as u64),
            may_have_nan: false,
            ..Self::unknown(row_count)
        }
    }

    /// Tells whether every row is known to be null.
    pub fn is_all_null(&self) -> bool {
        self.null_count == Some(self.row_count as u64)
    }
}

/// The one leaf whose statistics are a source's.
struct Evidence {
    leaf: LeafIdx,
    source: SourceType,
    target: DataType,
    /// Whether every value of the leaf is one of the source, so that nulls are the same.
    total: bool,
}

/// Returns what is known of a source in a row group.
pub(crate) fn of_row_group(segment: &Inner, group: RowGroupIdx, source: &Source) -> Statistics {
    let row_count = segment.row_group(group).row_count;
    match source.0.as_ref() {
        Bound::Absent(_) => return Statistics::all_null(row_count),
        Bound::RowId => return row_ids(segment, group),
        Bound::Filled { filled, .. } => return constant(row_count, filled.value.as_ref()),
        Bound::Column { .. } | Bound::Key(_) | Bound::Document { .. } => {}
    }
    let found = evidence(segment, group, source)
        .and_then(|evidence| of_chunk(segment, group, row_count, &evidence));
    found.unwrap_or_else(|| Statistics::unknown(row_count))
}

fn row_ids(segment: &Inner, group: RowGroupIdx) -> Statistics {
    let rows = segment.row_group(group);
    let row = |offset: usize| i32::try_from(rows.first_row.index().saturating_add(offset)).ok();
    let last = rows.row_count.checked_sub(1);
    Statistics {
        row_count: rows.row_count,
        null_count: Some(0),
        min: last.and_then(|_| row(0)).map(Value::Int),
        max: last.and_then(row).map(Value::Int),
        exact: true,
        may_have_nan: false,
    }
}

/// Returns what is known of a value that every row has; none when only the value is not.
fn constant(row_count: usize, value: Option<&Value>) -> Statistics {
    let is_nan = match value {
        Some(Value::Float(value)) => value.is_nan(),
        Some(Value::Double(value)) => value.is_nan(),
        Some(_) => false,
        None => true,
    };
    let bound = value.filter(|_| !is_nan);
    Statistics {
        row_count,
        null_count: Some(0),
        min: bound.cloned(),
        max: bound.cloned(),
        exact: bound.is_some(),
        may_have_nan: is_nan,
    }
}

/// Tells whether every row of a source reads in a row group whose pages are sound: one leaf decides
/// its values, and each of them is a value of the source's type as it is.
pub(crate) fn reads_as_it_is(segment: &Inner, group: RowGroupIdx, source: &Source) -> bool {
    if matches!(
        source.0.as_ref(),
        Bound::RowId | Bound::Absent(_) | Bound::Filled { .. }
    ) {
        return true;
    }
    evidence(segment, group, source).is_some_and(|evidence| {
        let own = evidence.source.column_type();
        own.is_ok_and(|own| {
            let (own, target) = (own.data_type, evidence.target);
            evidence.total && (own == target || is_total(own, target))
        })
    })
}

/// Finds the leaf that alone decides a source's values in a row group.
fn evidence(segment: &Inner, group: RowGroupIdx, source: &Source) -> Option<Evidence> {
    match source.0.as_ref() {
        Bound::Column {
            column,
            column_type,
            ..
        } => match (&column.shape, column.leaves.as_slice()) {
            (Ok(Shape::Leaf(source)), [leaf]) => Some(Evidence {
                leaf: *leaf,
                source: source.clone(),
                target: column_type.data_type,
                total: true,
            }),
            _ => None,
        },
        Bound::Key(key) => {
            let (leaf, scalar) = key.plan.sole_leaf(&key.facts(segment, group))?;
            let target = key.output.data_type();
            let own = scalar.key_type();
            let total = own == target || is_total(own, target);
            let source = source_type(scalar).filter(|_| total || keeps_order(own, target))?;
            Some(Evidence {
                leaf,
                source,
                target,
                total,
            })
        }
        Bound::RowId | Bound::Absent(_) | Bound::Filled { .. } | Bound::Document { .. } => None,
    }
}

/// Tells whether every value of a key type has a value in the other.
fn is_total(from: DataType, to: DataType) -> bool {
    use DataType as T;
    matches!((from, to), (T::Int, T::Long | T::Double))
}

/// Tells whether the values of a key type that convert to the other stay in order.
fn keeps_order(from: DataType, to: DataType) -> bool {
    let times = |data_type| matches!(data_type, DataType::Timestamp { .. });
    (from.is_numeric() && to.is_numeric()) || (times(from) && times(to))
}

/// Returns the column type with the order of a typed leaf; none where the key reads it in another
/// order, as dates and times of day that read as text.
fn source_type(scalar: ScalarType) -> Option<SourceType> {
    Some(match scalar {
        ScalarType::Boolean => SourceType::Boolean,
        ScalarType::Int8 => SourceType::Int8,
        ScalarType::Int16 => SourceType::Int16,
        ScalarType::Int32 => SourceType::Int32,
        ScalarType::Int64 => SourceType::Int64,
        ScalarType::Float => SourceType::Float32,
        ScalarType::Double => SourceType::Float64,
        ScalarType::Decimal { precision, scale } => SourceType::Decimal {
            precision: u32::from(precision),
            scale: i32::from(scale),
        },
        ScalarType::Timestamp { unit, utc } => SourceType::Timestamp { unit, utc },
        ScalarType::Binary => SourceType::Binary,
        ScalarType::String => SourceType::String,
        ScalarType::Uuid => SourceType::Uuid,
        ScalarType::Date | ScalarType::Time => return None,
    })
}

fn of_chunk(
    segment: &Inner,
    group: RowGroupIdx,
    row_count: usize,
    evidence: &Evidence,
) -> Option<Statistics> {
    let chunk = segment.chunk(group, evidence.leaf)?;
    // A leaf below a list has values, not rows.
    if u64::try_from(chunk.num_values()).ok()? != row_count as u64 {
        return None;
    }
    let statistics = chunk.statistics()?;
    let nulls = statistics
        .null_count_opt()
        .filter(|nulls| *nulls <= row_count as u64);
    if nulls == Some(row_count as u64) {
        return Some(Statistics::all_null(row_count));
    }
    let trusted = has_order(segment, evidence, chunk, statistics.is_min_max_deprecated());
    let bound = |side: Side| {
        let raw = Raw::of_statistics(statistics, side).filter(|_| trusted)?;
        bounds::value(&evidence.source, evidence.target, &raw, side)
    };
    let (min, max) = (bound(Side::Min), bound(Side::Max));
    let exact = statistics.min_is_exact() && statistics.max_is_exact();
    Some(Statistics {
        row_count,
        null_count: nulls.filter(|_| evidence.total),
        exact: exact && min.is_some() && max.is_some() && bounds::keeps_values(evidence.target),
        may_have_nan: bounds::has_nan(&evidence.source),
        min,
        max,
    })
}

/// Tells whether the stored order is the type's: the deprecated fields compared bytes as signed, and
/// without a declared order nothing is said of bytes and unsigned numbers.
fn has_order(
    segment: &Inner,
    evidence: &Evidence,
    chunk: &ColumnChunkMetaData,
    deprecated: bool,
) -> bool {
    use parquet::basic::ColumnOrder;
    if bounds::is_signed(&evidence.source, chunk.column_type()) {
        return true;
    }
    let order = segment
        .metadata
        .file_metadata()
        .column_order(evidence.leaf.index());
    !deprecated && matches!(order, ColumnOrder::TYPE_DEFINED_ORDER(_))
}

/// Returns the rows of pages that `keep` holds for.
pub(crate) fn page_ranges(
    segment: &Inner,
    group: RowGroupIdx,
    source: &Source,
    keep: &dyn Fn(&Statistics) -> bool,
) -> RowRanges {
    let row_count = segment.row_group(group).row_count;
    let all = || RowRanges::all(row_count);
    let Some(evidence) = evidence(segment, group, source) else {
        return all();
    };
    let Some(chunk) = segment.chunk(group, evidence.leaf) else {
        return all();
    };
    if !has_order(segment, &evidence, chunk, false) || chunk.column_descr().max_rep_level() > 0 {
        return all();
    }
    let Some(index) = segment.page_indexes.get(segment, group, evidence.leaf) else {
        return all();
    };
    let Some(values) = &index.values else {
        return all();
    };
    let pages = index.rows(row_count).enumerate();
    let kept = pages.filter(|(page, rows)| {
        let known = of_page(values, *page, rows.len(), &evidence);
        keep(&known.unwrap_or_else(|| Statistics::unknown(rows.len())))
    });
    kept.map(|(_, rows)| rows).collect()
}

fn of_page(
    values: &parquet::file::page_index::column_index::ColumnIndexMetaData,
    page: usize,
    row_count: usize,
    evidence: &Evidence,
) -> Option<Statistics> {
    if values.is_null_page(page) {
        return Some(Statistics::all_null(row_count));
    }
    let nulls = values
        .null_count(page)
        .and_then(|nulls| u64::try_from(nulls).ok());
    let nulls = nulls.filter(|nulls| *nulls <= row_count as u64);
    let bound = |side: Side| {
        let raw = Raw::of_page(values, page, side)?;
        bounds::value(&evidence.source, evidence.target, &raw, side)
    };
    Some(Statistics {
        row_count,
        null_count: nulls.filter(|_| evidence.total),
        min: bound(Side::Min),
        max: bound(Side::Max),
        exact: false,
        may_have_nan: bounds::has_nan(&evidence.source),
    })
}
