//! Predicates over all files of a plan, one after another.
//!
//! Bounds are decoded once for each field that is asked about, into one array over the files, so that
//! a query passes over memory in its order and a file that is ruled out costs a few nanoseconds.

use std::collections::HashMap;
use std::ops::SubAssign;
use std::sync::{Arc, Mutex, PoisonError};

use growler_base::{FieldId, limits};
use roaring::RoaringBitmap;

use super::file_filter::AskedField;
use super::predicate::{Predicate, Test, VariantPath};
use super::project::inclusive;
use super::ranges::Ranges;
use super::{Evidence, variant_bounds};
use crate::metadata::{PrimitiveType, Transform};
use crate::table::{DataFile, IcebergTable, Plan};

/// The files of a plan, for predicates of many queries; shared between threads by reference.
#[derive(Debug)]
pub struct FileIndex {
    table: IcebergTable,
    plan: Arc<Plan>,
    fields: Mutex<HashMap<FieldId, Option<Arc<Known>>>>,
    keys: Mutex<HashMap<Key, Arc<[Evidence]>>>,
}

/// A place in a variant column.
type Key = (FieldId, VariantPath);

/// What is known of a field in all files.
#[derive(Debug)]
struct Known {
    primitive: PrimitiveType,
    columns: Ranges,
    partitions: Vec<Part>,
}

/// A partition field made of the field, in the files under one spec.
#[derive(Debug)]
struct Part {
    transform: Transform,
    /// Positions of the files, ascending.
    files: Vec<u32>,
    /// Their partition values.
    values: Ranges,
}

impl FileIndex {
    /// Makes the index of a plan; nothing is decoded yet.
    pub fn new(table: IcebergTable, plan: Arc<Plan>) -> Self {
        Self {
            table,
            plan,
            fields: Mutex::default(),
            keys: Mutex::default(),
        }
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Returns the positions of the files, in the plan, that may have a row that satisfies a
    /// predicate over the plan's schema.
    pub fn matching(&self, predicate: &Predicate) -> RoaringBitmap {
        match predicate {
            Predicate::Always => self.all(),
            Predicate::And(parts) => {
                let mut files = self.all();
                for part in parts {
                    if files.is_empty() {
                        break;
                    }
                    files &= self.matching(part);
                }
                files
            }
            Predicate::Or(parts) => {
                let mut files = RoaringBitmap::new();
                for part in parts {
                    files |= self.matching(part);
                }
                files
            }
            Predicate::Field { id, test } => match self.known(*id) {
                None => self.all(),
                Some(known) => known.matching(test),
            },
            Predicate::Variant { paths, .. } if paths.is_empty() => self.all(),
            Predicate::Variant { id, paths, test } => {
                let mut files = RoaringBitmap::new();
                for path in paths {
                    let evidence = self.key(*id, path);
                    files |= positions(&evidence, |e| variant_bounds::may_pass(e, test));
                }
                files
            }
        }
    }

    fn all(&self) -> RoaringBitmap {
        let count = u32::try_from(self.plan.files.len()).unwrap_or(u32::MAX);
        let mut all = RoaringBitmap::new();
        all.insert_range(0..count);
        all
    }

    fn known(&self, id: FieldId) -> Option<Arc<Known>> {
        let mut fields = self.fields.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = fields.get(&id) {
            return known.clone();
        }
        if fields.len() >= limits::DECODED_BOUNDS {
            fields.clear();
        }
        let known = AskedField::of(id, &self.plan.schema)
            .map(|field| Arc::new(Known::decode(id, &field, &self.table, &self.plan.files)));
        fields.insert(id, known.clone());
        known
    }

    fn key(&self, id: FieldId, path: &VariantPath) -> Arc<[Evidence]> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (id, path.clone());
        if let Some(known) = keys.get(&key) {
            return Arc::clone(known);
        }
        if keys.len() >= limits::DECODED_BOUNDS {
            keys.clear();
        }
        let evidence = |file: &DataFile| match file.columns.get(id) {
            None => Evidence::NONE,
            Some(stats) => variant_bounds::evidence(stats, path),
        };
        let decoded: Arc<[Evidence]> = self.plan.files.iter().map(evidence).collect();
        keys.insert(key, Arc::clone(&decoded));
        decoded
    }
}

impl Known {
    fn decode(id: FieldId, field: &AskedField, table: &IcebergTable, files: &[DataFile]) -> Self {
        let evidence = |file: &DataFile| match file.columns.get(id) {
            None => Evidence::NONE,
            Some(stats) => field.evidence(stats, file.row_count),
        };
        let mut partitions = Vec::new();
        for spec in &table.metadata().partition_specs {
            for part in spec.fields.iter().filter(|part| part.source() == Some(id)) {
                let Some(result) = part.transform.result_type(&field.primitive) else {
                    continue;
                };
                let (mut positions, mut values) = (Vec::new(), Vec::new());
                for (position, file) in (0..).zip(files) {
                    let value = file.partition.get(part.id);
                    if let Some(value) = value.filter(|_| file.spec_id == spec.id) {
                        positions.push(position);
                        values.push(Evidence::constant(value.cloned()));
                    }
                }
                partitions.push(Part {
                    transform: part.transform.clone(),
                    files: positions,
                    values: Ranges::new(&result, values),
                });
            }
        }
        let columns = files.iter().map(evidence).collect();
        Self {
            primitive: field.primitive.clone(),
            columns: Ranges::new(&field.primitive, columns),
            partitions,
        }
    }

    fn matching(&self, test: &Test) -> RoaringBitmap {
        let mut files = self.columns.passing(test);
        for part in &self.partitions {
            if let Some(test) = inclusive(test, &part.transform, &self.primitive) {
                let passing = part.values.passing(&test);
                let of_spec = (0_u32..).zip(&part.files);
                let ruled_out = of_spec.filter(|(position, _)| !passing.contains(*position));
                let ruled_out: RoaringBitmap = ruled_out.map(|(_, file)| *file).collect();
                files.sub_assign(ruled_out);
            }
        }
        files
    }
}

/// The positions of what passes.
fn positions(evidence: &[Evidence], may_pass: impl Fn(&Evidence) -> bool) -> RoaringBitmap {
    let passing = (0_u32..)
        .zip(evidence)
        .filter(|(_, evidence)| may_pass(evidence));
    passing.map(|(position, _)| position).collect()
}
