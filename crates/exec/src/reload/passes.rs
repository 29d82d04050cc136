//! Which subjects are built in one pass over the segment, so that their memory stays within a budget.

use growler_index::Kind;
use growler_index::bloom::BloomBuilder;

use super::wanted::Wanted;

/// Most subjects in one pass: each is an array a batch, and a builder.
const SUBJECTS: usize = 64;
/// Memory that one builder should have at least, in bytes; with less it spills all the time.
const LEAST_BYTES: usize = 2 << 20;
/// Share of the budget that is left to batches, their pages and what is written.
const SHARE_OF_READING: usize = 4;
/// Rows read at a time for a few subjects.
const BATCH_ROWS: usize = growler_base::limits::BATCH_ROWS;
/// Rows read at a time, at least.
const LEAST_ROWS: usize = 1024;
/// Subjects from which on fewer rows are read at a time.
const MANY_SUBJECTS: usize = 16;

/// Subjects that are built side by side.
#[derive(Debug)]
pub(super) struct Pass {
    pub(super) wanted: Vec<Wanted>,
    /// Memory of each builder.
    pub(super) builder_bytes: usize,
    pub(super) batch_rows: usize,
}

/// Shares subjects out over passes. Those of one column come together, since they share what is read.
pub(super) fn passes(wanted: Vec<Wanted>, row_count: u32, budget_bytes: usize) -> Vec<Pass> {
    let building = budget_bytes - budget_bytes / SHARE_OF_READING;
    let mut passes = Vec::new();
    let mut rest = wanted;
    while !rest.is_empty() {
        let column = rest.first().map(|first| first.subject.column.clone());
        let (mut least, mut fixed) = (0, 0);
        let fits = |wanted: &&Wanted| {
            least += LEAST_BYTES;
            fixed += fixed_bytes(wanted, row_count);
            least == LEAST_BYTES || least + fixed <= building
        };
        let of_column = rest
            .iter()
            .take(SUBJECTS)
            .take_while(|wanted| Some(&wanted.subject.column) == column.as_ref())
            .take_while(fits)
            .count();
        let fixed: usize = rest
            .iter()
            .take(of_column)
            .map(|wanted| fixed_bytes(wanted, row_count))
            .sum();
        let later = rest.split_off(of_column);
        let here = std::mem::replace(&mut rest, later);
        passes.push(Pass {
            builder_bytes: building.saturating_sub(fixed) / here.len().max(1),
            batch_rows: (BATCH_ROWS * MANY_SUBJECTS / here.len().max(MANY_SUBJECTS))
                .max(LEAST_ROWS),
            wanted: here,
        });
    }
    passes
}

/// Memory that a subject takes whatever its builder is given: a bloom filter is made for all rows.
fn fixed_bytes(wanted: &Wanted, row_count: u32) -> usize {
    match wanted.kinds.contains(Kind::Bloom) {
        true => BloomBuilder::building_bytes(row_count, wanted.bloom),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use growler_index::{Kinds, Subject};
    use growler_schema::DataType;

    #[test]
    fn a_pass_has_one_column_and_its_builders_fit_the_budget() {
        let wanted = |column: &str| Wanted {
            subject: Subject::column(column),
            data_type: DataType::Int,
            kinds: Kinds::NONE,
            bloom: growler_schema::index_plan::BloomOptions::default(),
            source: None,
            remainder: false,
            distinct_count: None,
            value_len_bytes: 256,
        };
        let all: Vec<Wanted> = ["a"; 70]
            .iter()
            .chain(&["b"; 3])
            .map(|c| wanted(c))
            .collect();
        for (budget, expected) in [
            (256 << 20, vec![64, 6, 3]),
            (32 << 20, vec![12, 12, 12, 12, 12, 10, 3]),
        ] {
            let made = passes(all.clone(), 1000, budget);
            let sizes: Vec<usize> = made.iter().map(|pass| pass.wanted.len()).collect();
            assert_eq!(sizes, expected);
            let used = |pass: &Pass| pass.builder_bytes * pass.wanted.len();
            assert!(made.iter().all(|pass| used(pass) <= budget));
        }
        assert!(passes(Vec::new(), 1000, 1).is_empty());

        // A filter of 12 M rows takes 32 MiB whatever its builder is given.
        let filtered = Wanted {
            kinds: Kinds::NONE.with(Kind::Bloom),
            ..wanted("a")
        };
        let made = passes(vec![filtered; 20], 12_000_000, 256 << 20);
        let sizes: Vec<usize> = made.iter().map(|pass| pass.wanted.len()).collect();
        assert_eq!(sizes, [5, 5, 5, 5]);
    }
}
