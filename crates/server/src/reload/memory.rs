//! Reloads by their ids, those that are over too, as long as there is room.

use std::collections::VecDeque;
use std::sync::Arc;

use growler_base::limits;

use super::Job;

/// The reloads of this server's life; the oldest that are over are forgotten.
#[derive(Default)]
pub struct Memory {
    /// In the order in which they were asked for.
    jobs: VecDeque<Arc<Job>>,
    segment_count: usize,
}

impl Memory {
    /// Remembers a job.
    pub fn add(&mut self, job: Arc<Job>) {
        self.segment_count += job.segments().len();
        self.jobs.push_back(job);
        self.forget();
    }

    /// Forgets a job that did not come about.
    pub fn remove(&mut self, id: &str) {
        if let Some(at) = self.jobs.iter().position(|job| job.id == id) {
            self.drop_at(at);
        }
    }

    /// Finds a job.
    pub fn find(&self, id: &str) -> Option<Arc<Job>> {
        self.jobs.iter().find(|job| job.id == id).cloned()
    }

    /// Returns the jobs of a table, the oldest first.
    pub fn of_table(&self, table: &str) -> Vec<Arc<Job>> {
        let jobs = self.jobs.iter().filter(|job| job.table == table);
        jobs.cloned().collect()
    }

    fn forget(&mut self) {
        while self.jobs.len() > limits::RELOADS_REMEMBERED
            || self.segment_count > limits::RELOAD_SEGMENTS_REMEMBERED
        {
            // The last is the one just asked for.
            let older = self.jobs.len().saturating_sub(1);
            let over = self.jobs.iter().take(older).position(|job| job.is_over());
            let Some(at) = over else { return };
            self.drop_at(at);
        }
    }

    fn drop_at(&mut self, at: usize) {
        if let Some(job) = self.jobs.remove(at) {
            self.segment_count -= job.segments().len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reload::Asked;

    #[test]
    fn the_oldest_that_are_over_are_forgotten() {
        let job = |segments: usize| {
            let segments = (0..segments).map(|_| crate::backend::SegmentInfo {
                name: String::new(),
                path: Default::default(),
                row_count: 1,
            });
            Arc::new(Job::new(
                "t".to_owned(),
                Asked::default(),
                segments.collect(),
            ))
        };
        let mut memory = Memory::default();
        let running = job(1);
        memory.add(Arc::clone(&running));
        let over: Vec<_> = (0..limits::RELOADS_REMEMBERED).map(|_| job(0)).collect();
        for job in &over {
            memory.add(Arc::clone(job));
        }
        assert!(memory.find(&running.id).is_some());
        assert!(memory.find(&over[0].id).is_none());
        assert!(memory.find(&over[1].id).is_some());
        assert_eq!(memory.of_table("t").len(), limits::RELOADS_REMEMBERED);
        running.cancel("test");
        let large = job(limits::RELOAD_SEGMENTS_REMEMBERED);
        memory.add(Arc::clone(&large));
        assert!(memory.find(&running.id).is_none());
        assert!(memory.find(&large.id).is_some());
        memory.remove(&large.id);
        assert!(memory.find(&large.id).is_none());
    }
}
