//! The values of the keys as plain columns: the best that an owner of the data can prepare.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};

use crate::bluesky::Keys;
use crate::event::{Event, Latency};

/// Columns of `events`.
#[derive(Default)]
pub(super) struct PlainEvents {
    columns: Vec<(&'static str, ArrayRef)>,
}

impl PlainEvents {
    pub(super) fn of(events: &[Event]) -> Self {
        let mut plain = Self::default();
        let ts = Int64Array::from_iter_values(events.iter().map(|event| event.ts));
        plain.columns.push(("ts", Arc::new(ts)));
        plain.put_texts("user_id", events, |event| Some(&event.user_id));
        plain.put_texts("page_type", events, |event| Some(event.page_type));
        let mut latencies = Int32Builder::new();
        for event in events {
            latencies.append_option(match event.latency {
                Latency::Millis(millis) => Some(millis),
                _ => None,
            });
        }
        plain
            .columns
            .push(("latency_ms", Arc::new(latencies.finish())));
        plain.put_texts("device_os", events, |event| event.device_os);
        plain.put_texts("country", events, |event| Some(event.country));
        let mut tags = ListBuilder::new(StringBuilder::new());
        for event in events {
            tags.append_value(event.tags.iter().map(Some));
        }
        plain.columns.push(("tags", Arc::new(tags.finish())));
        let items = StringArray::from_iter_values(events.iter().map(Event::items_json));
        plain.columns.push(("items", Arc::new(items)));
        plain.put_texts("session", events, |event| Some(&event.session));
        plain.put_texts("user_tier", events, |event| event.user_tier);
        plain
    }

    pub(super) fn finish(self) -> anyhow::Result<RecordBatch> {
        batch(self.columns)
    }

    fn put_texts<'e>(
        &mut self,
        name: &'static str,
        events: &'e [Event],
        get: impl Fn(&'e Event) -> Option<&'e str>,
    ) {
        let texts: StringArray = events.iter().map(get).collect();
        self.columns.push((name, Arc::new(texts)));
    }
}

/// Columns of `bluesky`; without the record of a commit, which no query asks for.
pub(super) struct PlainBluesky {
    columns: Vec<(&'static str, ArrayRef)>,
}

impl PlainBluesky {
    pub(super) fn of(rows: &[Keys]) -> Self {
        let texts = |get: &dyn Fn(&Keys) -> Option<String>| -> ArrayRef {
            Arc::new(rows.iter().map(get).collect::<StringArray>())
        };
        let commit = |keys: &Keys| keys.commit.clone();
        Self {
            columns: vec![
                ("did", texts(&|keys| Some(keys.did.clone()))),
                (
                    "time_us",
                    Arc::new(Int64Array::from_iter_values(
                        rows.iter().map(|keys| keys.time_us),
                    )),
                ),
                ("kind", texts(&|keys| Some(keys.kind.to_owned()))),
                (
                    "operation",
                    texts(&|keys| commit(keys).map(|(operation, ..)| operation.to_owned())),
                ),
                (
                    "collection",
                    texts(&|keys| commit(keys).map(|(_, name, _)| name.to_owned())),
                ),
                ("rkey", texts(&|keys| commit(keys).map(|(.., rkey)| rkey))),
            ],
        }
    }

    pub(super) fn finish(self) -> anyhow::Result<RecordBatch> {
        batch(self.columns)
    }
}

/// Every column is nullable, so that the batches of a file have one schema.
fn batch(columns: Vec<(&'static str, ArrayRef)>) -> anyhow::Result<RecordBatch> {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
}
