//! Approximate distinct counts: HyperLogLog, exact while there are few values.

/// Most hashes kept as they are before registers are made of them.
const FEW: usize = 64;

/// Counts distinct hashes in `2^log2m` registers.
#[derive(Debug, Clone)]
pub struct HyperLogLog {
    log2m: u8,
    state: State,
}

#[derive(Debug, Clone)]
enum State {
    /// Distinct hashes, sorted.
    Few(Vec<u64>),
    /// Longest run of zeros seen, plus one, a register.
    Registers(Box<[u8]>),
}

impl HyperLogLog {
    /// Makes an empty counter; `log2m` is brought into 4..=16.
    pub fn new(log2m: u8) -> Self {
        Self {
            log2m: log2m.clamp(4, 16),
            state: State::Few(Vec::new()),
        }
    }

    /// Adds a hash whose bits are all random.
    pub fn add(&mut self, hash: u64) {
        let log2m = self.log2m;
        match &mut self.state {
            State::Registers(registers) => raise(registers, log2m, hash),
            State::Few(hashes) => {
                let Err(at) = hashes.binary_search(&hash) else {
                    return;
                };
                hashes.insert(at, hash);
                if hashes.len() > FEW {
                    let mut registers = vec![0; 1 << log2m].into_boxed_slice();
                    hashes
                        .iter()
                        .for_each(|&hash| raise(&mut registers, log2m, hash));
                    self.state = State::Registers(registers);
                }
            }
        }
    }

    /// Adds all that another counter of the same size has seen.
    pub fn merge(&mut self, other: Self) {
        match other.state {
            State::Few(hashes) => hashes.into_iter().for_each(|hash| self.add(hash)),
            State::Registers(theirs) => match &mut self.state {
                State::Registers(ours) => {
                    for (ours, theirs) in ours.iter_mut().zip(theirs) {
                        *ours = theirs.max(*ours);
                    }
                }
                State::Few(hashes) => {
                    let hashes = std::mem::take(hashes);
                    self.state = State::Registers(theirs);
                    hashes.into_iter().for_each(|hash| self.add(hash));
                }
            },
        }
    }

    /// Returns the estimate.
    pub fn estimate(&self) -> i64 {
        let registers = match &self.state {
            State::Few(hashes) => return i64::try_from(hashes.len()).unwrap_or(i64::MAX),
            State::Registers(registers) => registers,
        };
        let count = registers.len() as f64;
        let alpha = match registers.len() {
            16 => 0.673,
            32 => 0.697,
            64 => 0.709,
            _ => 0.7213 / (1.0 + 1.079 / count),
        };
        let inverse: f64 = registers
            .iter()
            .map(|&rank| (-f64::from(rank)).exp2())
            .sum();
        let raw = alpha * count * count / inverse;
        let empty = registers.iter().filter(|&&rank| rank == 0).count();
        let linear = empty > 0 && raw <= 2.5 * count;
        let estimate = if linear {
            count * (count / empty as f64).ln()
        } else {
            raw
        };
        // Far below 2^63, since a register is at most 61.
        estimate.round() as i64
    }

    /// Returns the bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        match &self.state {
            State::Few(hashes) => hashes.capacity() * 8,
            State::Registers(registers) => registers.len(),
        }
    }
}

fn raise(registers: &mut [u8], log2m: u8, hash: u64) {
    let idx = (hash >> (64 - u32::from(log2m))) as usize;
    // The set bit bounds the run of zeros at 64 - log2m.
    let rank = ((hash << log2m) | 1 << (log2m - 1)).leading_zeros() as u8 + 1;
    if let Some(register) = registers.get_mut(idx) {
        *register = rank.max(*register);
    }
}

/// Hashes an integer; the same in every process and version.
pub fn hash_u64(value: u64) -> u64 {
    let value = (value ^ (value >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let value = (value ^ (value >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    value ^ (value >> 33)
}

/// Hashes bytes; the same in every process and version.
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let seed = 0x9e37_79b9_7f4a_7c15 ^ bytes.len() as u64;
    bytes.chunks(8).fold(hash_u64(seed), |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash_u64(hash.rotate_left(5) ^ u64::from_le_bytes(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(values: std::ops::Range<u64>) -> HyperLogLog {
        let mut counter = HyperLogLog::new(12);
        values.for_each(|value| counter.add(hash_bytes(&value.to_le_bytes())));
        counter
    }

    #[test]
    fn is_exact_for_few_and_close_for_many() {
        for count in [0, 1, 64, 1000, 20_000, 300_000] {
            let estimate = counter(0..count).estimate();
            let off = (estimate as f64 - count as f64).abs();
            assert!(
                off <= 0.05 * count as f64,
                "count={count} estimate={estimate}"
            );
            assert!(count > 64 || off == 0.0);
        }
    }

    #[test]
    fn no_split_changes_the_estimate() {
        for (count, cut) in [(60, 30), (100, 20), (5000, 4990), (5000, 2)] {
            let mut left = counter(0..cut);
            left.merge(counter(cut / 2..count));
            assert_eq!(
                left.estimate(),
                counter(0..count).estimate(),
                "count={count} cut={cut}"
            );
        }
    }
}
