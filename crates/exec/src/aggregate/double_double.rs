//! Arithmetic on sums of two doubles, for results that cancel: variances.

/// Returns `a + b` and what rounding lost of it.
pub(super) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_rounded = sum - a;
    (sum, (a - (sum - b_rounded)) + (b - b_rounded))
}

/// Returns `a x b` and what rounding lost of it (Dekker: no fused multiply is needed).
pub(super) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (product, if lost.is_finite() { lost } else { 0.0 })
}

fn split(a: f64) -> (f64, f64) {
    let shifted = a * 134_217_729.0;
    let high = shifted - (shifted - a);
    (high, a - high)
}

/// Returns `a x b`.
pub(super) fn multiply(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let (high, low) = two_product(a.0, b.0);
    two_sum(high, low + (a.0 * b.1 + a.1 * b.0))
}

/// Returns `a - b`.
pub(super) fn subtract(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let (high, low) = two_sum(a.0, -b.0);
    two_sum(high, low + (a.1 - b.1))
}

/// Returns `a / b`.
pub(super) fn divide(a: (f64, f64), b: f64) -> (f64, f64) {
    let quotient = a.0 / b;
    let rest = subtract(a, two_product(quotient, b));
    two_sum(quotient, rest.0 / b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_twice_the_digits() {
        assert_eq!(two_product(1e8 + 1.0, 1e8 + 1.0), (1e16 + 2e8, 1.0));
        let third = divide((1.0, 0.0), 3.0);
        let one = multiply(third, (3.0, 0.0));
        assert!((one.0 - 1.0 + one.1).abs() < 1e-31, "{one:?}");
    }
}
