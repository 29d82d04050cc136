//! Predicates over all files of a plan, one after another.
//!
//! Bounds are decoded once for each field that is asked about, into one array over the files, partition
//! values once for all files that have them. So a query looks at few values first, then passes over memory
//! in its order, and a file that is ruled out costs about a nanosecond.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use growler_base::{FieldId, limits};
use roaring::RoaringBitmap;

use super::file_filter::AskedField;
use super::file_set::FileSet;
use super::predicate::{Predicate, Test, VariantPath};
use super::project::inclusive;
use super::ranges::Ranges;
use super::{Evidence, variant_bounds};
use crate::metadata::{PartitionField, PartitionSpec, PrimitiveType, Transform};
use crate::table::{DataFile, IcebergTable, Plan};
use crate::{Datum, DatumRef};

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
    /// Distinct partition values, each once however many files have it.
    values: Ranges,
    /// Positions of the files that have each value.
    files: Vec<Vec<u32>>,
    /// Files that are not under the spec, or have no such value.
    others: FileSet,
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
        let mut files = FileSet::all(self.plan.files.len());
        self.narrow(predicate, &mut files);
        files.to_bitmap()
    }

    /// Leaves files out of a set; what is out already is not asked about.
    fn narrow(&self, predicate: &Predicate, files: &mut FileSet) {
        match predicate {
            Predicate::Always => {}
            Predicate::And(parts) => {
                for part in parts {
                    self.narrow(part, files);
                }
            }
            Predicate::Or(parts) => self.any_of(parts, files, |part, files| {
                self.narrow(part, files);
            }),
            Predicate::Field { id, test } => {
                if let Some(known) = self.known(*id) {
                    known.narrow(test, files);
                }
            }
            Predicate::Variant { paths, .. } if paths.is_empty() => {}
            Predicate::Variant { id, paths, test } => self.any_of(paths, files, |path, files| {
                let evidence = self.key(*id, path);
                files.retain(|position| {
                    let evidence = evidence.get(position);
                    evidence.is_none_or(|evidence| variant_bounds::may_pass(evidence, test))
                });
            }),
        }
    }

    /// Keeps what one of several narrowings keeps.
    fn any_of<T>(&self, parts: &[T], files: &mut FileSet, narrow: impl Fn(&T, &mut FileSet)) {
        if let [only] = parts {
            return narrow(only, files);
        }
        let mut found = FileSet::none(self.plan.files.len());
        for part in parts {
            let mut kept = files.clone();
            narrow(part, &mut kept);
            found.or(&kept);
        }
        *files = found;
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
                let result = part.transform.result_type(&field.primitive);
                partitions.extend(result.map(|result| Part::decode(spec, part, &result, files)));
            }
        }
        let columns = files.iter().map(evidence).collect();
        Self {
            primitive: field.primitive.clone(),
            columns: Ranges::new(&field.primitive, columns),
            partitions,
        }
    }

    fn narrow(&self, test: &Test, files: &mut FileSet) {
        // Few values tell about many files, so that bounds are asked about few.
        for part in &self.partitions {
            if let Some(test) = inclusive(test, &part.transform, &self.primitive) {
                part.narrow(&test, files);
            }
        }
        self.columns.narrow(test, files);
    }
}

impl Part {
    fn decode(
        spec: &PartitionSpec,
        field: &PartitionField,
        result: &PrimitiveType,
        files: &[DataFile],
    ) -> Self {
        let mut part = Self {
            transform: field.transform.clone(),
            values: Ranges::new(result, Vec::new()),
            files: Vec::new(),
            others: FileSet::none(files.len()),
        };
        let mut values = Vec::new();
        let mut known = HashMap::new();
        for (position, file) in (0..).zip(files) {
            let value = file.partition.get(field.id);
            let Some(value) = value.filter(|_| file.spec_id == spec.id) else {
                part.others.insert(position);
                continue;
            };
            let at = *known.entry(ValueKey::of(value)).or_insert(part.files.len());
            match part.files.get_mut(at) {
                Some(files) => files.push(position),
                None => {
                    part.files.push(vec![position]);
                    values.push(Evidence::constant(value.cloned()));
                }
            }
        }
        part.values = Ranges::new(result, values);
        part
    }

    fn narrow(&self, test: &Test, files: &mut FileSet) {
        let mut passing = FileSet::all(self.files.len());
        self.values.narrow(test, &mut passing);
        let mut kept = self.others.clone();
        passing.retain(|at| {
            let of_value = self.files.get(at).map_or(&[][..], Vec::as_slice);
            of_value.iter().for_each(|position| kept.insert(*position));
            true
        });
        files.and(&kept);
    }
}

/// Tells partition values apart that are not the same in every way: a date is not the int it is kept as.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ValueKey {
    kind: Option<std::mem::Discriminant<Datum>>,
    scale: u32,
    bytes: Vec<u8>,
}

impl ValueKey {
    fn of(value: Option<&Datum>) -> Self {
        let mut bytes = Vec::new();
        DatumRef::push_key(value.map(Datum::as_ref), &mut bytes);
        Self {
            kind: value.map(std::mem::discriminant),
            scale: match value {
                Some(Datum::Decimal { scale, .. }) => *scale,
                _ => 0,
            },
            bytes,
        }
    }
}
