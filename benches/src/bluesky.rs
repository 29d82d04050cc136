//! Documents shaped like the events of Bluesky that JSONBench asks: commits of many collections, and
//! a few changes of identities and accounts. Texts are made up.

use std::fmt::Write;

use crate::random::Random;

const FIRST_US: u64 = 1_732_206_349_000_167;
const DAY_US: u64 = 86_400_000_000;
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
const SORTABLE32: &[u8; 32] = b"234567abcdefghijklmnopqrstuvwxyz";

/// Collections and how many of 100,000 commits are theirs.
const COLLECTIONS: [(&str, u64); 16] = [
    ("app.bsky.feed.like", 45_200),
    ("app.bsky.graph.follow", 36_500),
    ("app.bsky.feed.post", 9_300),
    ("app.bsky.feed.repost", 7_300),
    ("app.bsky.graph.block", 1_150),
    ("app.bsky.actor.profile", 480),
    ("app.bsky.graph.listitem", 350),
    ("app.bsky.feed.threadgate", 40),
    ("app.bsky.graph.list", 20),
    ("app.bsky.graph.listblock", 20),
    ("chat.bsky.actor.declaration", 20),
    ("app.bsky.graph.starterpack", 10),
    ("app.bsky.feed.postgate", 10),
    ("fyi.unravel.frontpage.vote", 2),
    ("app.bsky.labeler.service", 1),
    ("events.smokesignal.calendar.rsvp", 1),
];
const WORDS: [&str; 48] = [
    "the",
    "a",
    "of",
    "to",
    "and",
    "in",
    "that",
    "is",
    "for",
    "it",
    "on",
    "with",
    "as",
    "are",
    "this",
    "be",
    "have",
    "from",
    "or",
    "but",
    "what",
    "all",
    "when",
    "we",
    "there",
    "can",
    "your",
    "time",
    "people",
    "today",
    "new",
    "please",
    "thank",
    "love",
    "think",
    "work",
    "world",
    "music",
    "game",
    "live",
    "night",
    "morning",
    "coffee",
    "happy",
    "\u{2728}",
    "\u{1f525}",
    "\u{65e5}\u{672c}\u{8a9e}",
    "caf\u{e9}",
];

/// The values of a row that a flat twin has as plain columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys {
    /// Whose event it is.
    pub did: String,
    /// Microseconds since the epoch; grow with the row.
    pub time_us: i64,
    /// `commit`, or seldom `identity` or `account`.
    pub kind: &'static str,
    /// What is done, collection and record key; of commits only.
    pub commit: Option<(&'static str, &'static str, String)>,
}

/// Makes the documents of one table.
#[derive(Debug, Clone, Copy)]
pub struct Bluesky {
    seed: u64,
    row_count: u64,
}

impl Bluesky {
    /// Says what table it is: the number of rows decides how many users there are.
    pub fn new(seed: u64, row_count: u64) -> Self {
        Self { seed, row_count }
    }

    /// Appends the document of a row; returns the values that the queries ask for.
    pub fn put_json(&self, row: u64, out: &mut String) -> Keys {
        let mut random = Random::of_row(self.seed, row);
        let step = (DAY_US / self.row_count.max(1)).max(1);
        let time_us = FIRST_US + row * step + random.below(step);
        let mut document = Document {
            out,
            random,
            users: (self.row_count / 9).max(1000),
            seed: self.seed,
            time_us,
        };
        // Writing to a text cannot fail.
        let did = document.user();
        let (kind, commit) = document.put(row, &did).unwrap_or_default();
        Keys {
            did,
            time_us: i64::try_from(time_us).unwrap_or_default(),
            kind,
            commit,
        }
    }
}

struct Document<'o> {
    out: &'o mut String,
    random: Random,
    users: u64,
    seed: u64,
    time_us: u64,
}

type Body = (&'static str, Option<(&'static str, &'static str, String)>);

impl Document<'_> {
    fn put(&mut self, row: u64, did: &str) -> Result<Body, std::fmt::Error> {
        let time_us = self.time_us;
        write!(self.out, r#"{{"did":"{did}","time_us":{time_us},"#)?;
        let seq = 3_000_000_000 + row;
        let body = match self.random.below(10_000) {
            0..35 => {
                let handle = base32(&mut self.random, 10);
                let time = iso(time_us);
                write!(
                    self.out,
                    r#""kind":"identity","identity":{{"did":"{did}","handle":"{handle}.bsky.social","seq":{seq},"time":"{time}"}}"#
                )?;
                ("identity", None)
            }
            35..60 => {
                let active = self.random.chance(0.8);
                let time = iso(time_us);
                write!(
                    self.out,
                    r#""kind":"account","account":{{"active":{active},"did":"{did}","seq":{seq},"time":"{time}"}}"#
                )?;
                ("account", None)
            }
            _ => ("commit", Some(self.put_commit()?)),
        };
        self.out.push('}');
        Ok(body)
    }

    fn put_commit(&mut self) -> Result<(&'static str, &'static str, String), std::fmt::Error> {
        let collection = self.collection();
        let is_profile = collection == "app.bsky.actor.profile";
        let operation = match self.random.below(1000) {
            0..50 => "delete",
            50..57 => "update",
            _ if is_profile => "update",
            _ => "create",
        };
        let rev = sortable(&mut self.random, self.time_us);
        let rkey = match (operation, is_profile) {
            ("update", true) => "self".to_owned(),
            _ => sortable(&mut self.random, self.time_us),
        };
        write!(
            self.out,
            r#""kind":"commit","commit":{{"rev":"{rev}","operation":"{operation}","collection":"{collection}","rkey":"{rkey}""#
        )?;
        if operation != "delete" {
            self.out.push_str(r#","record":"#);
            self.put_record(collection)?;
            let cid = base32(&mut self.random, 52);
            write!(self.out, r#","cid":"bafyrei{cid}""#)?;
        }
        self.out.push('}');
        Ok((operation, collection, rkey))
    }

    fn put_record(&mut self, collection: &str) -> std::fmt::Result {
        let created = iso(self.time_us - self.random.below(3_000_000));
        write!(
            self.out,
            r#"{{"$type":"{collection}","createdAt":"{created}""#
        )?;
        match collection {
            "app.bsky.feed.like" | "app.bsky.feed.repost" => {
                self.out.push_str(r#","subject":"#);
                self.put_reference()?;
            }
            "app.bsky.graph.follow" | "app.bsky.graph.block" => {
                let subject = self.user();
                write!(self.out, r#","subject":"{subject}""#)?;
            }
            "app.bsky.feed.post" => self.put_post()?,
            "app.bsky.actor.profile" => {
                let (about, name) = (self.text(14), self.text(2));
                write!(self.out, r#","avatar":"#)?;
                self.put_blob()?;
                write!(
                    self.out,
                    r#","description":"{about}","displayName":"{name}""#
                )?;
            }
            _ => {
                let (subject, note) = (self.user(), self.text(8));
                write!(self.out, r#","subject":"{subject}","note":"{note}""#)?;
            }
        }
        self.out.push('}');
        Ok(())
    }

    fn put_post(&mut self) -> std::fmt::Result {
        match self.random.below(100) {
            0..22 => {
                let (alt, height) = (self.text(6), 400 + self.random.below(1600));
                write!(
                    self.out,
                    r#","embed":{{"$type":"app.bsky.embed.images","images":[{{"alt":"{alt}","aspectRatio":{{"height":{height},"width":{}}},"image":"#,
                    height / 2 + 300
                )?;
                self.put_blob()?;
                self.out.push_str("}]}");
            }
            22..34 => {
                let (about, title) = (self.text(14), self.text(6));
                let uri = base32(&mut self.random, 12);
                write!(
                    self.out,
                    r#","embed":{{"$type":"app.bsky.embed.external","external":{{"description":"{about}","title":"{title}","uri":"https://example.org/{uri}"}}}}"#
                )?;
            }
            34..40 => {
                self.out
                    .push_str(r#","embed":{"$type":"app.bsky.embed.record","record":"#);
                self.put_reference()?;
                self.out.push('}');
            }
            _ => {}
        }
        if self.random.chance(0.9) {
            let lang = self
                .random
                .pick(&["en", "en", "en", "ja", "pt", "de", "es", "fr"]);
            write!(self.out, r#","langs":["{lang}"]"#)?;
        }
        if self.random.chance(0.45) {
            self.out.push_str(r#","reply":{"parent":"#);
            self.put_reference()?;
            self.out.push_str(r#","root":"#);
            self.put_reference()?;
            self.out.push('}');
        }
        let text = self.text(14);
        write!(self.out, r#","text":"{text}""#)
    }

    fn put_reference(&mut self) -> std::fmt::Result {
        let (cid, user) = (base32(&mut self.random, 52), self.user());
        let key = sortable(&mut self.random, self.time_us);
        write!(
            self.out,
            r#"{{"cid":"bafyrei{cid}","uri":"at://{user}/app.bsky.feed.post/{key}"}}"#
        )
    }

    fn put_blob(&mut self) -> std::fmt::Result {
        let (link, size) = (
            base32(&mut self.random, 52),
            20_000 + self.random.below(970_000),
        );
        write!(
            self.out,
            r#"{{"$type":"blob","ref":{{"$link":"bafkrei{link}"}},"mimeType":"image/jpeg","size":{size}}}"#
        )
    }

    fn collection(&mut self) -> &'static str {
        let total: u64 = COLLECTIONS.iter().map(|(_, weight)| weight).sum();
        let mut left = self.random.below(total);
        for (name, weight) in COLLECTIONS {
            match left.checked_sub(weight) {
                None => return name,
                Some(rest) => left = rest,
            }
        }
        COLLECTIONS[0].0
    }

    /// Names a user; few of them do most.
    fn user(&mut self) -> String {
        let skewed = self.random.unit().powf(2.6) * self.users as f64;
        let mut name = Random::of_row(self.seed ^ 0xd1d, skewed as u64);
        format!("did:plc:{}", base32(&mut name, 24))
    }

    /// Makes a text of about that many words, sometimes three times as many.
    fn text(&mut self, words: u64) -> String {
        let most = words * if self.random.chance(0.1) { 3 } else { 1 };
        let count = 1 + self.random.below(most);
        let words: Vec<&str> = (0..count).map(|_| self.random.pick(&WORDS)).collect();
        words.join(" ")
    }
}

fn base32(random: &mut Random, len: usize) -> String {
    let mut text = String::with_capacity(len);
    while text.len() < len {
        let mut bits = random.next_u64();
        for _ in 0..12.min(len - text.len()) {
            text.push(char::from(BASE32[(bits & 31) as usize]));
            bits >>= 5;
        }
    }
    text
}

/// Makes a key that sorts by time.
fn sortable(random: &mut Random, time_us: u64) -> String {
    let value = (time_us << 10) | random.below(1024);
    let digit = |position: u32| char::from(SORTABLE32[((value >> (5 * position)) & 31) as usize]);
    (0..13).rev().map(digit).collect()
}

/// Shows a time of the table's day or the one before as ISO-8601 with milliseconds.
fn iso(time_us: u64) -> String {
    // 2024-11-21 is when the table begins.
    const MIDNIGHT_US: u64 = 1_732_147_200_000_000;
    let since_us = time_us.saturating_sub(MIDNIGHT_US);
    let (day, ms) = (21 + since_us / DAY_US, since_us % DAY_US / 1000);
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    format!(
        "2024-11-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z",
        ms % 1000
    )
}

#[cfg(test)]
mod tests {
    use super::Bluesky;

    #[test]
    fn documents_are_json_of_the_keys_values() -> Result<(), serde_json::Error> {
        let table = Bluesky::new(3, 5000);
        let mut last_us = 0;
        for row in 0..5000 {
            let mut text = String::new();
            let keys = table.put_json(row, &mut text);
            let json: serde_json::Value = serde_json::from_str(&text)?;
            assert_eq!(json["did"], keys.did.as_str());
            assert_eq!(json["time_us"], keys.time_us);
            assert_eq!(json["kind"], keys.kind);
            let collection = keys.commit.as_ref().map(|(_, collection, _)| *collection);
            assert_eq!(json["commit"]["collection"].as_str(), collection);
            assert!(keys.time_us > last_us);
            last_us = keys.time_us;
        }
        Ok(())
    }

    #[test]
    fn most_users_come_back_and_posts_are_a_tenth() {
        let table = Bluesky::new(3, 20_000);
        let mut text = String::new();
        let rows: Vec<_> = (0..20_000)
            .map(|row| table.put_json(row, &mut text))
            .collect();
        let users: std::collections::HashSet<&str> =
            rows.iter().map(|row| row.did.as_str()).collect();
        assert!((1000..2300).contains(&users.len()), "{}", users.len());
        let is_post =
            |row: &&super::Keys| matches!(&row.commit, Some((_, "app.bsky.feed.post", _)));
        assert!((1500..2300).contains(&rows.iter().filter(is_post).count()));
    }
}
