//! What the watchers know of each table, and which one is next.

use std::collections::{BTreeMap, VecDeque};

use growler_base::limits;
use growler_exec::run::CancelFlag;
use growler_table::config::{ExternalConfig, Schedule, SyncMode};

use super::restoring::Restoring;
use super::task::{Task, TaskState};

/// One table that is watched.
#[derive(Debug, Clone)]
struct Watched {
    mode: SyncMode,
    schedule: Schedule,
    /// When its next run is due; none when it is paused or its schedule is over.
    due_ms: Option<i64>,
    /// Name of the task that somebody asked for.
    asked: Option<String>,
    /// Name and flag of the task that runs.
    running: Option<(String, CancelFlag)>,
    last_success_ms: Option<i64>,
    /// What was served before a restart, and is not yet again.
    restoring: Option<Restoring>,
}

impl Watched {
    fn restore_due_ms(&self) -> Option<i64> {
        Some(self.restoring.as_ref()?.due_ms)
    }
}

/// A run that is to begin now.
#[derive(Debug, Clone)]
pub struct Begun {
    /// Name of its task.
    pub task: String,
    /// Table.
    pub table: String,
    /// Whether somebody asked for it, rather than the schedule.
    pub by_request: bool,
    /// Is raised when it is to end.
    pub cancel: CancelFlag,
    /// Whether what was served before a restart is to be served again, and no more.
    pub is_restore: bool,
}

/// All tables that are watched, and the tasks that are remembered.
#[derive(Debug, Default)]
pub struct WatchedTables {
    tables: BTreeMap<String, Watched>,
    tasks: VecDeque<Task>,
    /// Tables that are served again just now, dropped ones included.
    restores: Vec<String>,
}

impl WatchedTables {
    /// Watches a table by a config; its next run is due at a time, unless it is paused.
    pub fn follow(&mut self, table: &str, config: &ExternalConfig, due_ms: Option<i64>) {
        let is_paused = config.mode == SyncMode::Paused;
        let before = self.tables.remove(table);
        let (asked, running, last_success_ms, restoring) = before
            .map(|old| (old.asked, old.running, old.last_success_ms, old.restoring))
            .unwrap_or_default();
        let watched = Watched {
            mode: config.mode,
            schedule: config.schedule.clone(),
            due_ms: due_ms.filter(|_| !is_paused),
            asked,
            running,
            last_success_ms,
            restoring,
        };
        self.tables.insert(table.to_owned(), watched);
    }

    /// Has a table served as it was before a restart, first of all.
    pub fn restore(&mut self, table: &str, now_ms: i64) {
        if let Some(watched) = self.tables.get_mut(table) {
            watched.restoring = Some(Restoring::new(now_ms));
        }
    }

    /// Returns what keeps a table from being served as it was.
    pub fn restoring(&self, table: &str) -> Option<&Restoring> {
        self.tables.get(table)?.restoring.as_ref()
    }

    /// Tells whether some table was not yet tried to be served as it was.
    pub fn is_restoring(&self) -> bool {
        let mut restoring = self.tables.values().filter_map(|w| w.restoring.as_ref());
        restoring.any(|restoring| restoring.error.is_none())
    }

    /// Notes how it ended that a table was to be served as it was: whether there was anything.
    pub fn end_restore(&mut self, begun: &Begun, outcome: Result<bool, String>, now_ms: i64) {
        if let Some(at) = self.restores.iter().position(|t| *t == begun.table) {
            self.restores.swap_remove(at);
        }
        let Some(watched) = self.tables.get_mut(&begun.table) else {
            return;
        };
        let is_it = |running: &(String, CancelFlag)| running.0 == begun.task;
        if !watched.running.as_ref().is_some_and(is_it) {
            return;
        }
        watched.running = None;
        let is_first = watched.restoring.as_ref().is_none_or(|r| r.error.is_none());
        // One that could not be served as it was does not wait for its schedule.
        if is_first && outcome != Ok(true) && watched.mode != SyncMode::Paused {
            watched.due_ms = Some(now_ms);
        }
        match (outcome, &mut watched.restoring) {
            (Ok(_), restoring) => *restoring = None,
            (Err(error), Some(restoring)) => restoring.failed(error, now_ms),
            (Err(_), None) => {}
        }
    }

    /// Watches a table no more; a run of it is told to end.
    pub fn forget(&mut self, table: &str) {
        let Some(watched) = self.tables.remove(table) else {
            return;
        };
        if let Some((_, cancel)) = &watched.running {
            cancel.cancel();
        }
        if let Some(task) = watched.asked {
            self.set(&task, |task| task.state = TaskState::Aborted);
        }
    }

    /// Asks for a run of a table; the name of its task, which is that of one that waits already. None
    /// for a table that is not watched.
    pub fn ask(&mut self, table: &str, name: String) -> Option<String> {
        let watched = self.tables.get_mut(table)?;
        if let Some(waiting) = &watched.asked {
            return Some(waiting.clone());
        }
        watched.asked = Some(name.clone());
        self.remember(name.clone(), table);
        Some(name)
    }

    /// Tells whether a table is paused; none for one that is not watched.
    pub fn is_paused(&self, table: &str) -> Option<bool> {
        Some(self.tables.get(table)?.mode == SyncMode::Paused)
    }

    /// Returns the names of all tables.
    pub fn names(&self) -> Vec<String> {
        self.tables.keys().cloned().collect()
    }

    /// Takes the run that is to begin now: one that somebody asked for, else the one due longest.
    pub fn begin(&mut self, now_ms: i64, new_name: impl FnOnce() -> String) -> Option<Begun> {
        if let Some(begun) = self.begin_restore(now_ms) {
            return Some(begun);
        }
        let free = self
            .tables
            .iter_mut()
            .filter(|(_, watched)| watched.running.is_none());
        let due = |watched: &Watched| watched.due_ms.filter(|due| *due <= now_ms);
        let (table, watched) = free
            .filter(|(_, watched)| watched.asked.is_some() || due(watched).is_some())
            .min_by_key(|(_, watched)| (watched.asked.is_none(), due(watched)))?;
        let table = table.clone();
        let asked = watched.asked.take();
        let is_new = asked.is_none();
        let task = asked.unwrap_or_else(new_name);
        let cancel = CancelFlag::default();
        watched.running = Some((task.clone(), cancel.clone()));
        if watched.mode != SyncMode::Paused {
            watched.due_ms = watched.schedule.next_after_ms(now_ms);
        }
        if is_new {
            self.remember(task.clone(), &table);
        }
        self.set(&task, |task| {
            task.state = TaskState::InProgress;
            task.started_ms = Some(now_ms);
        });
        Some(Begun {
            task,
            table,
            by_request: !is_new,
            cancel,
            is_restore: false,
        })
    }

    fn begin_restore(&mut self, now_ms: i64) -> Option<Begun> {
        let free = self.tables.iter_mut();
        let free = free.filter(|(_, watched)| watched.running.is_none());
        let due = |watched: &Watched| watched.restore_due_ms().filter(|due| *due <= now_ms);
        let (table, watched) = free
            .filter(|(_, watched)| due(watched).is_some())
            .min_by_key(|(_, watched)| due(watched))?;
        let (table, cancel) = (table.clone(), CancelFlag::default());
        let task = format!("restore of {table} at {now_ms}");
        watched.running = Some((task.clone(), cancel.clone()));
        if let Some(restoring) = &mut watched.restoring {
            restoring.attempts = restoring.attempts.saturating_add(1);
        }
        self.restores.push(table.clone());
        Some(Begun {
            task,
            table,
            by_request: false,
            cancel,
            is_restore: true,
        })
    }

    /// Notes how a run ended.
    pub fn end(&mut self, begun: &Begun, state: TaskState, now_ms: i64) {
        if let Some(watched) = self.tables.get_mut(&begun.table)
            && watched
                .running
                .as_ref()
                .is_some_and(|(name, _)| *name == begun.task)
        {
            watched.running = None;
            if state == TaskState::Completed {
                watched.last_success_ms = Some(now_ms);
                // A run serves what was served before it, or more.
                watched.restoring = None;
            }
        }
        self.set(&begun.task, |task| {
            task.state = state;
            task.ended_ms = Some(now_ms);
        });
    }

    /// Returns when the next run is due that no run of the same table holds up.
    pub fn next_due_ms(&self) -> Option<i64> {
        let free = self
            .tables
            .values()
            .filter(|watched| watched.running.is_none());
        free.flat_map(|watched| [watched.due_ms, watched.restore_due_ms()])
            .flatten()
            .min()
    }

    /// Returns when a table's next run is due, and when its last one ended well.
    pub fn times(&self, table: &str) -> Option<(Option<i64>, Option<i64>)> {
        let watched = self.tables.get(table)?;
        Some((watched.due_ms, watched.last_success_ms))
    }

    /// Returns whether a run of a table goes on, or it is being served again.
    pub fn is_running(&self, table: &str) -> bool {
        let is_restored = self.restores.iter().any(|restored| restored == table);
        is_restored
            || self
                .tasks
                .iter()
                .any(|task| task.table == table && task.state == TaskState::InProgress)
    }

    /// Returns a task.
    pub fn task(&self, name: &str) -> Option<Task> {
        self.tasks.iter().find(|task| task.name == name).cloned()
    }

    /// Returns the tasks of a table, or all, the oldest first.
    pub fn tasks(&self, table: Option<&str>) -> Vec<Task> {
        let of_table = |task: &&Task| table.is_none_or(|table| task.table == table);
        self.tasks.iter().filter(of_table).cloned().collect()
    }

    /// Tells every run to end.
    pub fn cancel_all(&mut self) {
        for watched in self.tables.values() {
            if let Some((_, cancel)) = &watched.running {
                cancel.cancel();
            }
        }
    }

    fn remember(&mut self, name: String, table: &str) {
        self.tasks.push_back(Task {
            name,
            table: table.to_owned(),
            state: TaskState::NotStarted,
            started_ms: None,
            ended_ms: None,
        });
        while self.tasks.len() > limits::TASKS_REMEMBERED {
            // Those that are not over are few: one a table.
            let Some(over) = self.tasks.iter().position(|task| task.state.is_over()) else {
                return;
            };
            self.tasks.remove(over);
        }
    }

    fn set(&mut self, name: &str, change: impl FnOnce(&mut Task)) {
        if let Some(task) = self.tasks.iter_mut().find(|task| task.name == name) {
            change(task);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use growler_table::config::settings::{Form, Settings};

    fn config(more: &[(&str, &str)]) -> ExternalConfig {
        let mut errors = Vec::new();
        let pairs = [
            ("catalogType", "folder"),
            ("path", "p"),
            ("refreshInterval", "10s"),
        ];
        let pairs = pairs
            .iter()
            .chain(more)
            .map(|(key, value)| (*key, (*value).to_owned()));
        let settings = Settings::new(Form::Sql, pairs, &mut errors);
        ExternalConfig::read(settings, &mut errors).unwrap()
    }

    #[test]
    fn runs_follow_the_schedule_and_never_overlap() {
        let mut watched = WatchedTables::default();
        watched.follow("b", &config(&[]), Some(100));
        watched.follow("a", &config(&[]), Some(200));
        watched.follow("paused", &config(&[("enabled", "false")]), Some(0));
        assert!(watched.begin(99, String::new).is_none());
        assert_eq!(watched.next_due_ms(), Some(100));
        let first = watched.begin(200, || "1".to_owned()).unwrap();
        let second = watched.begin(200, || "2".to_owned()).unwrap();
        assert_eq!((first.table.as_str(), second.table.as_str()), ("b", "a"));
        assert!(watched.begin(100_000, String::new).is_none());
        assert_eq!(watched.next_due_ms(), None);
        watched.end(&first, TaskState::Completed, 300);
        assert_eq!(watched.times("b"), Some((Some(10_200), Some(300))));
        assert!(watched.begin(10_199, String::new).is_none());
        let third = watched.begin(10_200, || "3".to_owned()).unwrap();
        assert_eq!(third.table, "b");
        assert!(watched.is_running("b"));
    }

    #[test]
    fn a_run_that_is_asked_for_comes_first_and_waits_for_the_one_before() {
        let mut watched = WatchedTables::default();
        watched.follow("a", &config(&[]), Some(0));
        watched.follow("z", &config(&[("enabled", "false")]), Some(0));
        assert_eq!(watched.ask("absent", "0".to_owned()), None);
        assert_eq!(watched.is_paused("z"), Some(true));
        assert_eq!(watched.ask("z", "t1".to_owned()).as_deref(), Some("t1"));
        assert_eq!(watched.ask("z", "t2".to_owned()).as_deref(), Some("t1"));
        let begun = watched.begin(5, String::new).unwrap();
        assert_eq!((begun.task.as_str(), begun.table.as_str()), ("t1", "z"));
        assert_eq!(watched.ask("z", "t3".to_owned()).as_deref(), Some("t3"));
        watched.begin(5, || "x".to_owned()).unwrap();
        assert!(watched.begin(5, String::new).is_none());
        watched.end(&begun, TaskState::Failed("why".to_owned()), 6);
        assert_eq!(watched.task("t1").unwrap().to_json()["error"], "why");
        assert_eq!(watched.begin(6, String::new).unwrap().task, "t3");
        watched.forget("z");
        assert_eq!(watched.ask("z", String::new()), None);
    }

    #[test]
    fn what_was_served_comes_first_and_is_tried_again_though_the_table_is_paused() {
        let mut watched = WatchedTables::default();
        watched.follow("on", &config(&[]), Some(1_000_000));
        watched.follow("paused", &config(&[("enabled", "false")]), None);
        for table in ["on", "paused"] {
            watched.restore(table, 0);
        }
        assert!(watched.is_restoring());
        let begun = [(); 2].map(|()| watched.begin(0, String::new).unwrap());
        assert!(begun.iter().all(|begun| begun.is_restore));
        assert!(watched.is_running("on") && watched.begin(0, String::new).is_none());
        for begun in &begun {
            watched.end_restore(begun, Err("away".to_owned()), 10);
        }
        assert!(!watched.is_restoring(), "each was tried");
        let restoring = watched.restoring("paused").unwrap();
        assert_eq!(
            (restoring.attempts, restoring.error.as_deref()),
            (1, Some("away"))
        );
        let due_ms = restoring.due_ms;
        // The one that is followed does not wait for its schedule, and its run is as good.
        let run = watched.begin(10, || "1".to_owned()).unwrap();
        assert_eq!((run.table.as_str(), run.is_restore), ("on", false));
        watched.end(&run, TaskState::Completed, 11);
        assert!(watched.restoring("on").is_none());
        assert!(watched.begin(due_ms - 1, String::new).is_none());
        assert_eq!(watched.next_due_ms(), Some(due_ms));
        let again = watched.begin(due_ms, String::new).unwrap();
        assert_eq!((again.table.as_str(), again.is_restore), ("paused", true));
        watched.end_restore(&again, Ok(true), due_ms);
        assert!(watched.restoring("paused").is_none());
        assert!(watched.begin(due_ms, String::new).is_none(), "it is paused");
    }

    #[test]
    fn a_forgotten_table_s_run_is_told_to_end() {
        let mut watched = WatchedTables::default();
        watched.follow("a", &config(&[]), Some(0));
        let begun = watched.begin(0, || "1".to_owned()).unwrap();
        watched.ask("a", "2".to_owned());
        watched.forget("a");
        assert!(begun.cancel.is_cancelled());
        assert_eq!(watched.task("2").unwrap().state, TaskState::Aborted);
        // One of the same name that comes later is another table.
        watched.follow("a", &config(&[]), Some(1));
        watched.end(&begun, TaskState::Aborted, 1);
        assert_eq!(watched.begin(1, || "3".to_owned()).unwrap().task, "3");
    }
}
