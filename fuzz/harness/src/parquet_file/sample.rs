//! The files that are changed, and where in them footers and pages lie.

use super::thrift;

macro_rules! sample {
    ($name:literal) => {
        include_bytes!(concat!("../../../../testdata/", $name, ".parquet"))
    };
}

/// The sample files; the first byte of an input chooses one. Only ever add to the end.
pub const SAMPLES: [&[u8]; 12] = [
    sample!("spark/seed4_codec_uncompressed"),
    sample!("spark/seed4_none"),
    sample!("spark/seed4_partial"),
    sample!("spark/seed4_v2pages"),
    sample!("spark/seed4_infer"),
    sample!("spark/seed4_typed_unannotated"),
    sample!("spark/seed4_codec_gzip"),
    sample!("duckdb/seed4_codec_uncompressed"),
    sample!("duckdb/seed4_infer"),
    sample!("duckdb/seed4_v2"),
    sample!("duckdb/seed4_none"),
    sample!("duckdb/perfile/f2_strlat"),
];

/// Length of the footer's length and of the magic after it.
const TAIL: usize = 8;

/// A sample taken apart.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// All before the footer: magic, pages, indexes.
    pub(super) body: Vec<u8>,
    /// The Thrift bytes.
    pub(super) footer: Vec<u8>,
    /// Where pages start in the body, dictionaries and data.
    pub(super) pages: Vec<usize>,
}

pub(super) fn sample(number: usize) -> Sample {
    let bytes = SAMPLES[number];
    let (before, tail) = bytes.split_at(bytes.len() - TAIL);
    let footer_len = u32::from_le_bytes(*tail.first_chunk().expect("a length"));
    let (body, footer) =
        before.split_at(before.len() - usize::try_from(footer_len).expect("small"));
    Sample {
        body: body.to_vec(),
        footer: footer.to_vec(),
        pages: pages(body, footer),
    }
}

/// Finds pages by what the integers of the footer point at: a place is a page when a header can be
/// read there.
fn pages(body: &[u8], footer: &[u8]) -> Vec<usize> {
    let integers = thrift::integers(footer);
    let values = integers
        .iter()
        .map(|range| thrift::value(&footer[range.clone()]));
    let mut pages: Vec<usize> = values
        .filter_map(|value| usize::try_from(value).ok())
        .filter(|at| (4..body.len()).contains(at))
        .filter(|at| !thrift::integers(&body[*at..]).is_empty())
        .collect();
    pages.sort_unstable();
    pages.dedup();
    pages
}

impl Sample {
    /// Puts the file together again.
    pub(super) fn file(&self) -> Vec<u8> {
        let footer_len = u32::try_from(self.footer.len()).expect("small");
        let parts = [
            &self.body[..],
            &self.footer,
            &footer_len.to_le_bytes(),
            b"PAR1",
        ];
        parts.concat()
    }
}
