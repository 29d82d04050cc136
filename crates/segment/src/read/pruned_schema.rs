//! A Parquet schema of just the wanted leaves, and the Arrow types they are read as.
//!
//! The `parquet` crate makes array readers for every leaf of the schema it is shown. Shown this one,
//! it does nothing for the others. Annotations are kept where they steer the decoder the right way
//! and replaced where they do not:
//!
//! | leaf | shown as | read as |
//! | - | - | - |
//! | STRING, ENUM, JSON | STRING, so that UTF-8 is checked | `Utf8View`, `Dictionary(Int32, Utf8)` |
//! | INTERVAL | bare: the crate would drop its months | `FixedSizeBinary(12)` |
//! | other bytes | bare | `BinaryView`; variant metadata also `Dictionary(Int32, Binary)` |
//! | INT96 | INT96 | `Timestamp(us)`: nanoseconds end in 2262 |
//! | VARIANT group | bare group | `Struct` |

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, TimeUnit};
use growler_base::LeafIdx;
use growler_schema::SourceType;
use parquet::arrow::{
    FieldLevels, ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema,
};
use parquet::basic::{LogicalType, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use crate::schema::Column;
use crate::schema::leaf_type::leaf_type;
use crate::schema::shape::LeafCounter;

/// Builds the pruned schema of columns. `leaves` are wanted and ascending; every column has at least
/// one of them. `as_dictionary` tells which leaves may come as dictionaries.
pub(crate) fn field_levels(
    schema: &SchemaDescriptor,
    columns: &[Arc<Column>],
    leaves: &[LeafIdx],
    as_dictionary: &dyn Fn(LeafIdx) -> bool,
) -> Result<FieldLevels, ParquetError> {
    let fields = schema.root_schema().get_fields();
    let mut roots = Vec::with_capacity(columns.len());
    for column in columns {
        let first = column.leaves.first().copied().unwrap_or(LeafIdx(0));
        let mut counter = LeafCounter::new(first);
        let field = fields.get(column.idx.0);
        roots.extend(
            field
                .map(|field| prune(field, leaves, &mut counter))
                .transpose()?
                .flatten(),
        );
    }
    let root = Type::group_type_builder("root")
        .with_fields(roots)
        .build()?;
    let pruned = SchemaDescriptor::new(Arc::new(root));
    let plain = parquet_to_arrow_schema(&pruned, None)?;
    let hinted = Hint {
        pruned: &pruned,
        leaves,
        as_dictionary,
        next: 0,
    }
    .fields(plain.fields());
    parquet_to_arrow_field_levels(&pruned, ProjectionMask::all(), Some(&hinted))
}

fn prune(
    field: &TypePtr,
    leaves: &[LeafIdx],
    counter: &mut LeafCounter,
) -> Result<Option<TypePtr>, ParquetError> {
    if field.is_primitive() {
        let wanted = leaves.binary_search(&counter.next()).is_ok();
        return if wanted {
            shown(field).map(Some)
        } else {
            Ok(None)
        };
    }
    let mut kept = Vec::new();
    for child in field.get_fields() {
        kept.extend(prune(child, leaves, counter)?);
    }
    if kept.is_empty() {
        return Ok(None);
    }
    let info = field.get_basic_info();
    let is_variant = matches!(info.logical_type_ref(), Some(LogicalType::Variant(_)));
    let mut group = Type::group_type_builder(field.name()).with_fields(kept);
    if info.has_repetition() {
        group = group.with_repetition(info.repetition());
    }
    if !is_variant {
        group = group.with_converted_type(info.converted_type());
        group = group.with_logical_type(info.logical_type_ref().cloned());
    }
    Ok(Some(Arc::new(group.build()?)))
}

/// Returns a leaf as the decoder is shown it.
fn shown(leaf: &TypePtr) -> Result<TypePtr, ParquetError> {
    let info = leaf.get_basic_info();
    let annotation = match leaf_type(leaf) {
        Ok(SourceType::String | SourceType::Enum | SourceType::Json)
            if !matches!(info.logical_type_ref(), Some(LogicalType::Unknown)) =>
        {
            Some(LogicalType::String)
        }
        Ok(
            SourceType::Interval
            | SourceType::Bson
            | SourceType::Geometry
            | SourceType::Geography
            | SourceType::Binary
            | SourceType::Uuid,
        ) => None,
        _ => return Ok(leaf.clone()),
    };
    let Type::PrimitiveType {
        physical_type,
        type_length,
        ..
    } = leaf.as_ref()
    else {
        return Ok(leaf.clone());
    };
    let shown = Type::primitive_type_builder(leaf.name(), *physical_type)
        .with_repetition(info.repetition())
        .with_length(*type_length)
        .with_logical_type(annotation)
        .build()?;
    Ok(Arc::new(shown))
}

/// Walks Arrow fields in leaf order and names the type that each leaf is wanted as.
struct Hint<'a> {
    pruned: &'a SchemaDescriptor,
    leaves: &'a [LeafIdx],
    as_dictionary: &'a dyn Fn(LeafIdx) -> bool,
    next: usize,
}

impl Hint<'_> {
    fn fields(&mut self, fields: &Fields) -> Fields {
        fields.iter().map(|field| self.field(field)).collect()
    }

    fn field(&mut self, field: &Field) -> Field {
        let data_type = match field.data_type() {
            DataType::Struct(fields) => DataType::Struct(self.fields(fields)),
            DataType::List(item) => DataType::List(Arc::new(self.field(item))),
            DataType::Map(entries, sorted) => DataType::Map(Arc::new(self.field(entries)), *sorted),
            leaf => self.leaf(leaf),
        };
        field.clone().with_data_type(data_type)
    }

    fn leaf(&mut self, found: &DataType) -> DataType {
        let idx = self.next;
        self.next = idx.saturating_add(1);
        let column = self.pruned.columns().get(idx);
        let is_int96 = column.is_some_and(|column| column.physical_type() == Physical::INT96);
        let flat = column.is_some_and(|column| column.max_rep_level() == 0);
        let is_metadata = column.is_some_and(|column| column.name() == "metadata");
        let dictionary = |values| DataType::Dictionary(Box::new(DataType::Int32), Box::new(values));
        let wants_dictionary = flat
            && self
                .leaves
                .get(idx)
                .is_some_and(|leaf| (self.as_dictionary)(*leaf));
        match found {
            DataType::Utf8 if wants_dictionary => dictionary(DataType::Utf8),
            DataType::Utf8 => DataType::Utf8View,
            DataType::Binary if wants_dictionary && is_metadata => dictionary(DataType::Binary),
            DataType::Binary => DataType::BinaryView,
            DataType::Timestamp(TimeUnit::Nanosecond, None) if is_int96 => {
                DataType::Timestamp(TimeUnit::Microsecond, None)
            }
            other => other.clone(),
        }
    }
}
