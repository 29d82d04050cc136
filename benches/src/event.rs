//! Rows of the table `events`: documents of eight keys, as an application's events look.

use std::fmt::Write;

use crate::random::Random;

const PAGE_TYPES: [&str; 10] = [
    "HOME", "HOME", "HOME", "SEARCH", "SEARCH", "ITEM", "ITEM", "CART", "CHECKOUT", "HELP",
];
const SYSTEMS: [&str; 5] = ["ios", "android", "android", "web", "windows"];
const COUNTRIES: [&str; 14] = [
    "US", "US", "US", "IN", "IN", "BR", "DE", "JP", "FR", "GB", "NG", "ID", "MX", "CA",
];
const TIERS: [&str; 4] = ["gold", "silver", "bronze", "free"];
const FIRST_TS: i64 = 1_789_700_000_000;

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Milliseconds since the epoch, a second apart.
    pub ts: i64,
    /// One of 200,000.
    pub user_id: String,
    /// One of six, in each row.
    pub page_type: &'static str,
    /// A number in 94 of 100 rows.
    pub latency: Latency,
    /// In 97 of 100 rows.
    pub device_os: Option<&'static str>,
    /// One of ten, in each row.
    pub country: &'static str,
    /// Up to three; the second one is always `common`.
    pub tags: Vec<String>,
    /// Up to two.
    pub items: Vec<Item>,
    /// One of 500,000.
    pub session: String,
    /// In 40 of 100 rows.
    pub user_tier: Option<&'static str>,
}

/// What the key `latency_ms` has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Latency {
    /// A number; small ones are more frequent.
    Millis(i32),
    /// The text `n/a`.
    Text,
    /// A JSON null.
    Null,
    /// Nothing: the key is not there.
    Missing,
}

/// An element of `items`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    sku: u64,
    promo: u64,
}

impl Event {
    /// Makes a row.
    pub fn of_row(seed: u64, row: u64) -> Self {
        let mut random = Random::of_row(seed, row);
        let random = &mut random;
        Self {
            ts: FIRST_TS
                .saturating_add(i64::try_from(row).unwrap_or_default().saturating_mul(1000)),
            user_id: format!("u-{}", random.below(200_000)),
            page_type: random.pick(&PAGE_TYPES),
            latency: Latency::draw(random),
            device_os: random.chance(0.97).then(|| random.pick(&SYSTEMS)),
            country: random.pick(&COUNTRIES),
            tags: tags(random),
            items: items(random),
            session: format!("s-{}", random.below(500_000)),
            user_tier: random.chance(0.4).then(|| random.pick(&TIERS)),
        }
    }

    /// Appends the document as JSON text.
    pub fn put_json(&self, out: &mut String) {
        // Writing to a text cannot fail.
        let _ = self.try_put_json(out);
    }

    fn try_put_json(&self, out: &mut String) -> std::fmt::Result {
        write!(out, r#"{{"page_type":"{}""#, self.page_type)?;
        match self.latency {
            Latency::Millis(millis) => write!(out, r#","latency_ms":{millis}"#)?,
            Latency::Text => out.push_str(r#","latency_ms":"n/a""#),
            Latency::Null => out.push_str(r#","latency_ms":null"#),
            Latency::Missing => {}
        }
        if let Some(os) = self.device_os {
            write!(out, r#","device":{{"os":"{os}"}}"#)?;
        }
        write!(out, r#","country":"{}","tags":["#, self.country)?;
        for (position, tag) in self.tags.iter().enumerate() {
            let comma = if position > 0 { "," } else { "" };
            write!(out, r#"{comma}"{tag}""#)?;
        }
        out.push_str(r#"],"items":"#);
        self.put_items(out)?;
        write!(out, r#","session":"{}""#, self.session)?;
        if let Some(tier) = self.user_tier {
            write!(out, r#","user_tier":"{tier}""#)?;
        }
        out.push('}');
        Ok(())
    }

    /// Returns `items` as JSON text, as plain columns have them.
    pub fn items_json(&self) -> String {
        let mut out = String::new();
        let _ = self.put_items(&mut out);
        out
    }

    fn put_items(&self, out: &mut String) -> std::fmt::Result {
        out.push('[');
        for (position, Item { sku, promo }) in self.items.iter().enumerate() {
            let comma = if position > 0 { "," } else { "" };
            write!(
                out,
                r#"{comma}{{"sku":"sku-{sku}","promo":{{"code":"P{promo}"}}}}"#
            )?;
        }
        out.push(']');
        Ok(())
    }
}

impl Latency {
    fn draw(random: &mut Random) -> Self {
        match random.below(1000) {
            0..940 => {
                let product = random.below(400) * random.below(400) / 200;
                Self::Millis(i32::try_from(20 + product).unwrap_or_default())
            }
            940..945 => Self::Text,
            945..947 => Self::Null,
            _ => Self::Missing,
        }
    }
}

fn tags(random: &mut Random) -> Vec<String> {
    let count = random.below(4);
    let tag = |random: &mut Random| format!("t{}", random.below(500));
    (0..count)
        .map(|position| match position {
            1 => "common".to_owned(),
            _ => tag(random),
        })
        .collect()
}

fn items(random: &mut Random) -> Vec<Item> {
    let count = random.below(3);
    let item = |_| Item {
        sku: random.below(10_000),
        promo: random.below(100),
    };
    (0..count).map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::{Event, Latency};

    #[test]
    fn documents_are_json_of_the_rows_values() -> Result<(), serde_json::Error> {
        for row in 0..500 {
            let event = Event::of_row(42, row);
            let mut text = String::new();
            event.put_json(&mut text);
            let json: serde_json::Value = serde_json::from_str(&text)?;
            assert_eq!(json["page_type"], event.page_type);
            assert_eq!(json["user_tier"].as_str(), event.user_tier);
            assert_eq!(json["device"]["os"].as_str(), event.device_os);
            assert_eq!(json["items"].to_string(), event.items_json());
            if let Latency::Millis(millis) = event.latency {
                assert_eq!(json["latency_ms"], millis);
            }
        }
        Ok(())
    }

    #[test]
    fn every_kind_of_latency_is_there() {
        let latencies: Vec<_> = (0..10_000)
            .map(|row| Event::of_row(1, row).latency)
            .collect();
        let share = |test: fn(&Latency) -> bool| latencies.iter().filter(|it| test(it)).count();
        assert!((9200..9600).contains(&share(|it| matches!(it, Latency::Millis(_)))));
        for kind in [Latency::Text, Latency::Null, Latency::Missing] {
            assert!(latencies.contains(&kind), "{kind:?}");
        }
    }
}
