//! Inputs made of the seeds at random, for where libFuzzer is not: `GROWLER_FUZZ_ROUNDS` says how
//! many a target, `GROWLER_FUZZ_SEED` which.

use growler_fuzz::{Target, run};

use crate::replay::inputs;

const ROUNDS: u64 = 250;
/// Of a target that goes over the network.
const FEW_ROUNDS: u64 = 60;

/// A small generator (xorshift), so that failures repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % end.max(1)
    }

    fn byte(&mut self) -> u8 {
        match self.below(4) {
            0 => [0, 1, 2, 0x7f, 0x80, 0xff][self.below(6)],
            _ => u8::try_from(self.below(256)).unwrap(),
        }
    }

    fn mutate(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut input = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(6) {
            let at = self.below(input.len() + 1);
            match self.below(7) {
                0 => input.insert(at, self.byte()),
                1 => input.truncate(at.max(1)),
                2 if at < input.len() => input[at] ^= 1 << self.below(8),
                3 => {
                    let other = &seeds[self.below(seeds.len())];
                    let start = self.below(other.len() + 1);
                    let end = (start + self.below(24)).min(other.len());
                    input.splice(at..at, other[start..end].iter().copied());
                }
                4 => input.extend((0..self.below(12)).map(|_| self.byte()).collect::<Vec<_>>()),
                _ if at < input.len() => input[at] = self.byte(),
                _ => {}
            }
        }
        input
    }
}

fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn check(target: Target) {
    let paths = [inputs("corpus", target), inputs("regressions", target)].concat();
    let seeds: Vec<Vec<u8>> = paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ number("GROWLER_FUZZ_SEED", 0) << 20);
    let rounds = match target {
        Target::CatalogAnswer => FEW_ROUNDS,
        _ => ROUNDS,
    };
    for round in 0..number("GROWLER_FUZZ_ROUNDS", rounds) {
        let input = random.mutate(&seeds);
        if std::panic::catch_unwind(|| run(target, &input)).is_err() {
            let kept = std::env::temp_dir().join(format!("growler-{}-{round}", target.name()));
            std::fs::write(&kept, &input).unwrap();
            panic!("round {round}, input kept as {}", kept.display());
        }
    }
}

#[test]
fn metadata() {
    check(Target::Metadata);
}

#[test]
fn value_lookup() {
    check(Target::ValueLookup);
}

#[test]
fn document_json() {
    check(Target::DocumentJson);
}

#[test]
fn parquet_file() {
    check(Target::ParquetFile);
}

#[test]
fn shredded_triples() {
    check(Target::ShreddedTriples);
}

#[test]
fn sql_text() {
    check(Target::SqlText);
}

#[test]
fn index_file() {
    check(Target::IndexFile);
}

#[test]
fn table_metadata() {
    check(Target::TableMetadata);
}

#[test]
fn manifest_file() {
    check(Target::ManifestFile);
}

#[test]
fn catalog_answer() {
    check(Target::CatalogAnswer);
}
