//! A predicate over the files of one table.

use std::collections::HashMap;

use growler_base::FieldId;

use super::predicate::{Predicate, Test, VariantPath};
use super::project::inclusive;
use super::{Evidence, variant_bounds};
use crate::Datum;
use crate::datum::order::compare;
use crate::manifest::{ColumnStats, Columns, FieldSummary, PartitionTuple};
use crate::metadata::{PartitionSpec, PrimitiveType, Schema};

/// A predicate with the types of the fields that it asks about.
#[derive(Debug, Clone)]
pub struct FileFilter {
    predicate: Predicate,
    fields: HashMap<FieldId, AskedField>,
}

/// A field that a predicate asks about.
#[derive(Debug, Clone)]
pub(crate) struct AskedField {
    pub(crate) primitive: PrimitiveType,
    /// Whether it is a column, not a field of a struct, whose counts writers understand differently.
    is_column: bool,
}

/// What is known of a file, all of it hearsay.
#[derive(Debug, Clone, Copy)]
pub struct FileFacts<'a> {
    /// The spec that its partition is under; none if the table does not list it.
    pub spec: Option<&'a PartitionSpec>,
    /// Its partition.
    pub partition: &'a PartitionTuple,
    /// Bounds and counts of its columns.
    pub columns: &'a Columns,
    /// Its rows.
    pub row_count: u64,
}

impl FileFilter {
    /// Binds a predicate to the schema that its fields are of.
    ///
    /// A field that the schema lacks, that holds several values a row, or none that compare, proves
    /// nothing.
    pub fn new(predicate: Predicate, schema: &Schema) -> Self {
        let mut fields = HashMap::new();
        bind(&predicate, schema, &mut fields);
        Self { predicate, fields }
    }

    /// Tells whether a row of a file may satisfy the predicate.
    pub fn may_match(&self, file: &FileFacts<'_>) -> bool {
        self.may_hold(&self.predicate, &|leaf| match leaf {
            Leaf::Field { id, field, test } => {
                field.may_pass_in(file, id, test) && self.may_pass_partition(file, id, field, test)
            }
            Leaf::Variant { id, paths, test } => match file.columns.get(id) {
                None => true,
                Some(stats) => {
                    paths.is_empty()
                        || paths.iter().any(|path| {
                            variant_bounds::may_pass(&variant_bounds::evidence(stats, path), test)
                        })
                }
            },
        })
    }

    /// Tells whether a file of a manifest may have a row that satisfies the predicate.
    pub fn may_match_manifest(&self, spec: &PartitionSpec, summaries: &[FieldSummary]) -> bool {
        self.may_hold(&self.predicate, &|leaf| match leaf {
            Leaf::Field { id, field, test } => {
                let parts = spec.fields.iter().zip(summaries);
                let mut of_field = parts.filter(|(part, _)| part.source() == Some(id));
                of_field.all(|(part, summary)| {
                    let Some(test) = inclusive(test, &part.transform, &field.primitive) else {
                        return true;
                    };
                    let Some(primitive) = part.transform.result_type(&field.primitive) else {
                        return true;
                    };
                    summarised(summary, &primitive).may_pass(&test)
                })
            }
            Leaf::Variant { .. } => true,
        })
    }

    fn may_pass_partition(
        &self,
        file: &FileFacts<'_>,
        id: FieldId,
        field: &AskedField,
        test: &Test,
    ) -> bool {
        let parts = file.spec.map_or(&[][..], |spec| &spec.fields);
        let mut of_field = parts.iter().filter(|part| part.source() == Some(id));
        of_field.all(|part| {
            let Some(value) = file.partition.get(part.id) else {
                return true;
            };
            match inclusive(test, &part.transform, &field.primitive) {
                None => true,
                Some(test) => Evidence::constant(value.cloned()).may_pass(&test),
            }
        })
    }

    fn may_hold(&self, predicate: &Predicate, ask: &dyn Fn(Leaf<'_>) -> bool) -> bool {
        match predicate {
            Predicate::Always => true,
            Predicate::And(parts) => parts.iter().all(|part| self.may_hold(part, ask)),
            Predicate::Or(parts) => parts.iter().any(|part| self.may_hold(part, ask)),
            Predicate::Field { id, test } => match self.fields.get(id) {
                None => true,
                Some(field) => ask(Leaf::Field {
                    id: *id,
                    field,
                    test,
                }),
            },
            Predicate::Variant { id, paths, test } => ask(Leaf::Variant {
                id: *id,
                paths,
                test,
            }),
        }
    }
}

enum Leaf<'a> {
    Field {
        id: FieldId,
        field: &'a AskedField,
        test: &'a Test,
    },
    Variant {
        id: FieldId,
        paths: &'a [VariantPath],
        test: &'a Test,
    },
}

fn bind(predicate: &Predicate, schema: &Schema, fields: &mut HashMap<FieldId, AskedField>) {
    match predicate {
        Predicate::And(parts) | Predicate::Or(parts) => {
            for part in parts {
                bind(part, schema, fields);
            }
        }
        Predicate::Field { id, .. } => {
            if let Some(asked) = AskedField::of(*id, schema) {
                fields.insert(*id, asked);
            }
        }
        Predicate::Always | Predicate::Variant { .. } => {}
    }
}

impl AskedField {
    /// Finds a field that has one value a row, of a type that compares.
    pub(crate) fn of(id: FieldId, schema: &Schema) -> Option<Self> {
        let field = schema.flat_field(id)?;
        Some(Self {
            primitive: field.field_type.primitive()?.clone(),
            is_column: schema.fields.iter().any(|column| column.id == id),
        })
    }

    fn may_pass_in(&self, file: &FileFacts<'_>, id: FieldId, test: &Test) -> bool {
        match file.columns.get(id) {
            // A column that the file lacks may have a default, or a partition value, in every row.
            None => true,
            Some(stats) => self.evidence(stats, file.row_count).may_pass(test),
        }
    }

    /// Returns what a file's statistics say of the field.
    pub(crate) fn evidence(&self, stats: &ColumnStats, row_count: u64) -> Evidence {
        let all_null = self.is_column
            && stats.null_count == Some(row_count)
            && stats.value_count.is_none_or(|count| count == row_count);
        let (lower, upper) = range(
            stats.lower_bound.as_deref(),
            stats.upper_bound.as_deref(),
            &self.primitive,
        );
        Evidence {
            lower,
            upper,
            may_be_null: !self.is_column || stats.null_count != Some(0),
            may_have_value: !all_null,
            may_be_nan: self.primitive.is_float() && stats.nan_count != Some(0),
        }
    }
}

fn summarised(summary: &FieldSummary, primitive: &PrimitiveType) -> Evidence {
    let (lower, upper) = range(
        summary.lower_bound.as_deref(),
        summary.upper_bound.as_deref(),
        primitive,
    );
    Evidence {
        lower,
        upper,
        may_be_null: summary.contains_null,
        // Without bounds all may be null, or NaN, or the writer kept none.
        may_have_value: true,
        may_be_nan: primitive.is_float() && summary.contains_nan != Some(false),
    }
}

/// Both bounds of some values; bounds that contradict each other are none.
fn range(
    lower: Option<&[u8]>,
    upper: Option<&[u8]>,
    primitive: &PrimitiveType,
) -> (Option<Datum>, Option<Datum>) {
    let decode = |bytes: Option<&[u8]>| Datum::from_bound(bytes?, primitive);
    match (decode(lower), decode(upper)) {
        (Some(lower), Some(upper)) if compare(&lower, &upper).is_some_and(|o| o.is_gt()) => {
            (None, None)
        }
        bounds => bounds,
    }
}
