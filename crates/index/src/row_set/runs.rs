//! Algebra of lists of runs: ascending, with a gap between any two.

use super::container::Run;

/// Returns what is in both.
pub(super) fn and(a: &[Run], b: &[Run]) -> Vec<Run> {
    let mut both = Vec::new();
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        let (first, last) = (x.first.max(y.first), x.last.min(y.last));
        if first <= last {
            both.push(Run { first, last });
        }
        if x.last <= y.last {
            a.next();
        } else {
            b.next();
        }
    }
    both
}

/// Returns what is in either.
pub(super) fn or(a: &[Run], b: &[Run]) -> Vec<Run> {
    let mut either: Vec<Run> = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if x.first <= y.first => a.next(),
            (Some(_), None) => a.next(),
            (_, Some(_)) => b.next(),
            (None, None) => return either,
        };
        let Some(&run) = next else { return either };
        match either.last_mut() {
            Some(last) if u32::from(run.first) <= u32::from(last.last) + 1 => {
                last.last = last.last.max(run.last);
            }
            _ => either.push(run),
        }
    }
}

/// Returns what is in the first and not in the second.
pub(super) fn without(a: &[Run], b: &[Run]) -> Vec<Run> {
    let mut left = Vec::with_capacity(a.len() + b.len());
    let mut b = b.iter().peekable();
    for &run in a {
        let mut from = u32::from(run.first);
        while let Some(taken) = b.peek() {
            if u32::from(taken.last) < from {
                b.next();
                continue;
            }
            if taken.first > run.last {
                break;
            }
            push(&mut left, from, u32::from(taken.first));
            from = u32::from(taken.last) + 1;
            if taken.last > run.last {
                break;
            }
            b.next();
        }
        push(&mut left, from, u32::from(run.last) + 1);
    }
    left
}

/// Adds the run `from..to`, unless it is empty.
fn push(runs: &mut Vec<Run>, from: u32, to: u32) {
    if let (true, Ok(first), Ok(last)) = (
        from < to,
        u16::try_from(from),
        u16::try_from(to.wrapping_sub(1)),
    ) {
        runs.push(Run { first, last });
    }
}
