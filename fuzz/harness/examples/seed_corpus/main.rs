//! Writes the seeds of `fuzz/corpus`: `cargo run -p growler-fuzz --example seed_corpus`.
//!
//! What is there already stays; libFuzzer finds the rest from here.

mod iceberg;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use growler_fuzz::{SAMPLES, Target, join, small_index_file};
use serde_json::Value;

const VECTORS: &str = include_str!("../../../../crates/variant/tests/data/variant-bytes.json");
const QUERIES: &str = include_str!("../queries.sql");
/// Longest vector that becomes a seed; the long ones repeat themselves.
const LONGEST: usize = 300;

fn main() -> Result<(), Box<dyn Error>> {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS)?;
    let mut dictionaries = BTreeSet::new();
    for vector in &vectors {
        let name = vector["name"].as_str().ok_or("a vector without name")?;
        let (metadata, value) = (hex(&vector["metadata"])?, hex(&vector["value"])?);
        if metadata.len() + value.len() <= LONGEST {
            let input = join("a.b", &metadata, &value);
            write(Target::DocumentJson, name, &input)?;
            write(Target::ValueLookup, name, &input)?;
            dictionaries.insert(metadata);
        }
    }
    for (number, metadata) in dictionaries.iter().enumerate() {
        write(Target::Metadata, &format!("vector_{number}"), metadata)?;
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for number in 0..SAMPLES.len() {
        let sample = u8::try_from(number)?;
        write(Target::ParquetFile, &format!("sample_{number}"), &[sample])?;
        let changed = [&[sample][..], &random.bytes(40)].concat();
        write(Target::ParquetFile, &format!("changed_{number}"), &changed)?;
    }
    for number in 0..48 {
        let input = random.bytes(60 + number * 8);
        write(Target::ShreddedTriples, &format!("drawn_{number}"), &input)?;
    }
    for (number, query) in QUERIES.lines().enumerate() {
        write(
            Target::SqlText,
            &format!("query_{number}"),
            query.as_bytes(),
        )?;
    }
    index_files(&mut random)?;
    iceberg::tables()
}

/// Each sample as it is and changed, with checksums as they come out and made right; and a whole file.
fn index_files(random: &mut Random) -> Result<(), Box<dyn Error>> {
    for (name, of_documents) in [("whole_format_2", false), ("whole_documents", true)] {
        let whole = [&[2][..], &small_index_file(of_documents)].concat();
        write(Target::IndexFile, name, &whole)?;
    }
    for sample in 0..4 {
        for way in 0..2 {
            let name = |what: &str| format!("{what}_{sample}_{way}");
            write(Target::IndexFile, &name("sound"), &[way, sample])?;
            for number in 0..6 {
                let changed = [&[way, sample][..], &random.bytes(30)].concat();
                write(
                    Target::IndexFile,
                    &name(&format!("changed{number}")),
                    &changed,
                )?;
            }
        }
    }
    Ok(())
}

fn hex(text: &Value) -> Result<Vec<u8>, Box<dyn Error>> {
    let digits = text.as_str().ok_or("bytes that are no text")?.as_bytes();
    let pairs = digits.chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair)?;
        Ok(u8::from_str_radix(pair, 16)?)
    });
    pairs.collect()
}

fn write(target: Target, name: &str, input: &[u8]) -> Result<(), Box<dyn Error>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let folder = fuzz.join(target.name());
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::write(folder.join(name), input)?)
}

/// A small generator (xorshift), so that seeds repeat.
struct Random(u64);

impl Random {
    fn bytes(&mut self, len: usize) -> Vec<u8> {
        let draw = |_| {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0.to_le_bytes()[3]
        };
        (0..len).map(draw).collect()
    }
}
