//! And, or, without.

use std::cmp::Ordering;

use super::container::Container;
use super::intersect::and_arrays;
use super::runs;
use super::set::{Chunk, RowSet};

impl RowSet {
    /// Returns the rows that are in both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut both = Self::new();
        let (mut a, mut b) = (self.chunks.as_slice(), other.chunks.as_slice());
        while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
            match x.key.cmp(&y.key) {
                Ordering::Less => a = a_rest,
                Ordering::Greater => b = b_rest,
                Ordering::Equal => {
                    both.push_chunk(x.key, and(&x.rows, &y.rows));
                    (a, b) = (a_rest, b_rest);
                }
            }
        }
        both
    }

    /// Returns the rows that are in either set.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let mut chunks = Vec::with_capacity(self.chunks.len().max(other.chunks.len()));
        let (mut a, mut b) = (self.chunks.as_slice(), other.chunks.as_slice());
        loop {
            match (a, b) {
                ([x, a_rest @ ..], [y, ..]) if x.key < y.key => {
                    chunks.push(x.clone());
                    a = a_rest;
                }
                ([x, ..], [y, b_rest @ ..]) if x.key > y.key => {
                    chunks.push(y.clone());
                    b = b_rest;
                }
                ([x, a_rest @ ..], [y, b_rest @ ..]) => {
                    let rows = or(&x.rows, &y.rows);
                    chunks.push(Chunk { key: x.key, rows });
                    (a, b) = (a_rest, b_rest);
                }
                (rest, []) | ([], rest) => {
                    chunks.extend_from_slice(rest);
                    return Self { chunks };
                }
            }
        }
    }

    /// Returns the rows of this set that are not in the other.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut left = Self::new();
        let mut b = other.chunks.as_slice();
        for chunk in &self.chunks {
            while let [first, rest @ ..] = b
                && first.key < chunk.key
            {
                b = rest;
            }
            let rows = match b {
                [first, ..] if first.key == chunk.key => without(&chunk.rows, &first.rows),
                _ => Some(chunk.rows.clone()),
            };
            left.push_chunk(chunk.key, rows);
        }
        left
    }

    /// Returns the rows of a segment of `row_count` rows that are not in this set.
    #[must_use]
    pub fn complement(&self, row_count: u32) -> Self {
        Self::of_range(0..row_count).without(self)
    }
}

fn and(a: &Container, b: &Container) -> Option<Container> {
    match (a, b) {
        (full, rows) | (rows, full) if full.is_full() => Some(rows.clone()),
        (Container::Array(a), Container::Array(b)) => Container::of_array(and_arrays(a, b)),
        (Container::Array(array), rows) | (rows, Container::Array(array)) => {
            Container::of_array(keep(array, |position| rows.contains(position)))
        }
        (Container::Runs(a), Container::Runs(b)) => Container::of_runs(runs::and(a, b)),
        (Container::Bits(a), b) | (b, Container::Bits(a)) => {
            let mut bits = b.to_bits();
            for (word, other) in bits.words.iter_mut().zip(&a.words) {
                *word &= other;
            }
            Container::of_bits(bits)
        }
    }
}

/// Positions of two arrays up to which their union is an array; a bitmap is quicker made beyond.
const MERGED: usize = 512;

fn or(a: &Container, b: &Container) -> Container {
    let either = match (a, b) {
        (full, _) | (_, full) if full.is_full() => Some(full.clone()),
        (Container::Array(a), Container::Array(b)) if a.len() + b.len() <= MERGED => {
            Container::of_array(or_arrays(a, b))
        }
        (Container::Runs(a), Container::Runs(b)) => Container::of_runs(runs::or(a, b)),
        (Container::Bits(_), other) => {
            let mut bits = a.to_bits();
            other.add_to(&mut bits);
            Container::of_bits(bits)
        }
        (Container::Array(_), Container::Array(_)) => {
            let mut bits = b.to_bits();
            a.add_to(&mut bits);
            Some(Container::Bits(bits))
        }
        _ => {
            let mut bits = b.to_bits();
            a.add_to(&mut bits);
            Container::of_bits(bits)
        }
    };
    // A union of two that are not empty is not empty.
    either.unwrap_or_else(|| a.clone())
}

fn without(a: &Container, b: &Container) -> Option<Container> {
    match (a, b) {
        (_, full) if full.is_full() => None,
        (Container::Array(a), Container::Array(b)) => Container::of_array(without_arrays(a, b)),
        (Container::Array(array), rows) => {
            Container::of_array(keep(array, |position| !rows.contains(position)))
        }
        (Container::Runs(a), Container::Runs(b)) => Container::of_runs(runs::without(a, b)),
        _ => {
            let mut bits = a.to_bits();
            b.remove_from(&mut bits);
            Container::of_bits(bits)
        }
    }
}

/// Returns the positions for which `wanted` holds.
fn keep(array: &[u16], wanted: impl Fn(u16) -> bool) -> Vec<u16> {
    array.iter().copied().filter(|&at| wanted(at)).collect()
}

fn or_arrays(a: &[u16], b: &[u16]) -> Vec<u16> {
    let mut either = vec![0; a.len() + b.len()];
    let mut len = 0;
    let (mut i, mut j) = (0, 0);
    while let (Some(&x), Some(&y), Some(slot)) = (a.get(i), b.get(j), either.get_mut(len)) {
        *slot = x.min(y);
        len += 1;
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    either.truncate(len);
    either.extend_from_slice(a.get(i..).unwrap_or_default());
    either.extend_from_slice(b.get(j..).unwrap_or_default());
    either
}

fn without_arrays(a: &[u16], b: &[u16]) -> Vec<u16> {
    let mut left = vec![0; a.len()];
    let mut len = 0;
    let (mut i, mut j) = (0, 0);
    while let (Some(&x), Some(&y), Some(slot)) = (a.get(i), b.get(j), left.get_mut(len)) {
        *slot = x;
        len += usize::from(x < y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    left.truncate(len);
    left.extend_from_slice(a.get(i..).unwrap_or_default());
    left
}
