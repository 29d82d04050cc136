//! The values of some subjects, read once and built into the new file.

use std::time::{Duration, Instant};

use arrow_array::DictionaryArray;
use growler_base::{RowGroupIdx, RowRanges};
use growler_index::{Budget, Built, IndexWriter, ValueBuilder};
use growler_segment::{EncodedStop, ReadOptions, Segment, Source};

use super::passes::Pass;
use super::wanted::Wanted;
use super::watch::Watch;
use super::{BuiltIndex, Error};

/// Builds over one segment.
pub(super) struct Build<'a> {
    pub(super) segment: &'a Segment,
    pub(super) watch: &'a Watch<'a>,
}

/// One subject while its values come.
struct Job {
    wanted: Wanted,
    builder: ValueBuilder,
    took: Duration,
}

impl Build<'_> {
    /// Reads and builds the subjects of a pass.
    pub(super) fn run(
        &self,
        pass: Pass,
        writer: &mut IndexWriter,
    ) -> Result<Vec<BuiltIndex>, Error> {
        let row_count = u32::try_from(self.segment.row_count()).unwrap_or(u32::MAX);
        let options = ReadOptions {
            batch_rows: pass.batch_rows,
        };
        let job = |wanted: Wanted| Job {
            builder: ValueBuilder::new(
                wanted.subject.clone(),
                wanted.data_type,
                row_count,
                wanted.kinds,
                budget(&wanted, pass.builder_bytes, writer),
            ),
            wanted,
            took: Duration::ZERO,
        };
        let (mut read, mut empty): (Vec<Job>, Vec<Job>) = pass
            .wanted
            .into_iter()
            .map(job)
            .partition(|job| job.wanted.source.is_some());
        for job in &mut empty {
            let pushed = job.builder.push_nulls(row_count);
            pushed.map_err(|source| self.failed(&job.wanted, source))?;
        }
        if !read.is_empty() {
            for (group, _) in self.segment.row_groups() {
                self.row_group(group, &mut read, &options)?;
            }
        }
        let mut built = Vec::new();
        for job in read.into_iter().chain(empty) {
            self.watch.check(self.segment)?;
            let Job {
                wanted,
                builder,
                took,
            } = job;
            let started = Instant::now();
            let made = builder.finish(writer);
            let made = made.map_err(|source| self.failed(&wanted, source))?;
            built.extend(report(&wanted, &made, took + started.elapsed()));
        }
        Ok(built)
    }

    fn row_group(
        &self,
        group: RowGroupIdx,
        jobs: &mut [Job],
        options: &ReadOptions,
    ) -> Result<(), Error> {
        let mut jobs = self.without_ids(group, jobs, options)?;
        let rows = RowRanges::all(self.segment.row_group(group).row_count);
        if jobs.is_empty() {
            self.watch.advance(rows.row_count() as u64);
            return Ok(());
        }
        let sources: Vec<Source> = jobs
            .iter()
            .filter_map(|job| job.wanted.source.clone())
            .collect();
        let blamed = |source| self.blamed(group, wanted_of(&jobs), options, source);
        let mut batches = match self.segment.read(group, &sources, &rows, options) {
            Ok(batches) => batches,
            Err(source) => return Err(blamed(source)),
        };
        loop {
            self.watch.check(self.segment)?;
            let started = Instant::now();
            let batch = match batches.next() {
                None => return Ok(()),
                Some(Ok(batch)) => batch,
                Some(Err(source)) => {
                    return Err(self.blamed(group, wanted_of(&jobs), options, source));
                }
            };
            // Sources of one pass share what is read, so each bears its part.
            let count = u32::try_from(jobs.len()).unwrap_or(u32::MAX);
            let share = started.elapsed() / count.max(1);
            for (job, values) in jobs.iter_mut().zip(&batch.columns) {
                let started = Instant::now();
                let pushed = job.builder.push(values.as_ref());
                pushed.map_err(|source| self.failed(&job.wanted, source))?;
                job.took += share + started.elapsed();
            }
            self.watch.advance(batch.row_count as u64);
        }
    }

    /// Builds the rows of jobs whose values are stored as ids of a dictionary, and returns the other jobs.
    fn without_ids<'j>(
        &self,
        group: RowGroupIdx,
        jobs: &'j mut [Job],
        options: &ReadOptions,
    ) -> Result<Vec<&'j mut Job>, Error> {
        let mut others = Vec::new();
        for job in jobs {
            let started = Instant::now();
            match self.by_ids(group, job, options)? {
                true => job.took += started.elapsed(),
                false => others.push(job),
            }
        }
        Ok(others)
    }

    /// Builds the rows of a row group from ids, where they are stored so: a value is then looked at once
    /// for all its rows. Tells whether they are.
    fn by_ids(
        &self,
        group: RowGroupIdx,
        job: &mut Job,
        options: &ReadOptions,
    ) -> Result<bool, Error> {
        let Some(source) = job.wanted.source.clone() else {
            return Ok(false);
        };
        let unreadable = |error| self.unreadable(job.wanted.subject.to_string(), error);
        let reader = self.segment.read_encoded(group, &source);
        let Some(mut reader) = reader.map_err(unreadable)? else {
            return Ok(false);
        };
        let dictionary = reader.dictionary().clone();
        loop {
            self.watch.check(self.segment)?;
            match reader.next_block(options.batch_rows) {
                Ok(Some(block)) => {
                    let values = DictionaryArray::new(block.row_ids(), dictionary.clone());
                    let pushed = job.builder.push(&values);
                    pushed.map_err(|source| self.failed(&job.wanted, source))?;
                }
                Ok(None) => return Ok(true),
                Err(EncodedStop::Failed(error)) => return Err(unreadable(error)),
                Err(EncodedStop::Untold) => break,
            }
        }
        let row_count = self.segment.row_group(group).row_count;
        let rest = std::iter::once(row_count - reader.rows_left()..row_count).collect();
        let batches = self
            .segment
            .read(group, std::slice::from_ref(&source), &rest, options);
        for batch in batches.map_err(unreadable)? {
            self.watch.check(self.segment)?;
            for values in batch.map_err(unreadable)?.columns {
                let pushed = job.builder.push(&values);
                pushed.map_err(|source| self.failed(&job.wanted, source))?;
            }
        }
        Ok(true)
    }

    /// Returns the error of a read with the subject that is to blame: the first that cannot be read by
    /// itself either.
    fn blamed<'w>(
        &self,
        group: RowGroupIdx,
        wanted: impl Iterator<Item = &'w Wanted>,
        options: &ReadOptions,
        source: growler_segment::Error,
    ) -> Error {
        let rows = RowRanges::all(self.segment.row_group(group).row_count);
        let mut column = None;
        for wanted in wanted {
            let Some(alone) = &wanted.source else {
                continue;
            };
            column = Some(wanted.subject.column.clone());
            let read = self
                .segment
                .read(group, std::slice::from_ref(alone), &rows, options)
                .and_then(|batches| {
                    for batch in batches {
                        batch?;
                    }
                    Ok(())
                });
            if let Err(source) = read {
                return self.unreadable(wanted.subject.to_string(), source);
            }
        }
        let column = column.map(|column| column.to_string());
        self.unreadable(column.unwrap_or_default(), source)
    }

    fn unreadable(&self, subject: String, source: growler_segment::Error) -> Error {
        Error::Read {
            segment: self.segment.id().clone(),
            subject: subject.into(),
            source: Box::new(source),
        }
    }

    fn failed(&self, wanted: &Wanted, source: growler_index::Error) -> Error {
        Error::Build {
            segment: self.segment.id().clone(),
            subject: wanted.subject.to_string().into(),
            source: Box::new(source),
        }
    }
}

fn wanted_of<'j>(jobs: &'j [&mut Job]) -> impl Iterator<Item = &'j Wanted> {
    jobs.iter().map(|job| &job.wanted)
}

fn budget(wanted: &Wanted, memory_bytes: usize, writer: &IndexWriter) -> Budget {
    let mut budget = Budget::of_bytes(memory_bytes)
        .with_bloom(wanted.bloom)
        .with_spill_folder(writer.folder());
    budget.value_len_bytes = wanted.value_len_bytes;
    match wanted.distinct_count {
        Some(most) => budget.with_distinct_count(most),
        None => budget,
    }
}

/// Lists the indexes of a subject; the time is shared out by their bytes.
fn report(wanted: &Wanted, made: &Built, took: Duration) -> Vec<BuiltIndex> {
    let all: u64 = made.indexes.iter().map(|(_, bytes)| *bytes).sum();
    let listed = made.indexes.iter().map(|(kind, bytes)| BuiltIndex {
        column: wanted.subject.column.to_string(),
        key: wanted.subject.path.as_ref().map(|path| path.to_string()),
        reading: wanted.subject.reading,
        remainder: wanted.remainder,
        kind: *kind,
        bytes: *bytes,
        distinct_count: made.distinct_count,
        seconds: took.as_secs_f64() * share(*bytes, all, made.indexes.len()),
    });
    listed.collect()
}

fn share(bytes: u64, all: u64, count: usize) -> f64 {
    match all {
        0 => 1.0 / count.max(1) as f64,
        all => bytes as f64 / all as f64,
    }
}
