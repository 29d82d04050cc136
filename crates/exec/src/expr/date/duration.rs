//! ISO-8601 spans such as `PT1H30M` and `P7D`.

/// Parses a span in milliseconds; days have 24 hours. Months and years have no fixed length and are
/// refused.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let rest = rest.strip_prefix(['P', 'p'])?;
    let (days, time) = match rest.find(['T', 't']) {
        Some(at) => (rest.get(..at)?, rest.get(at + 1..)?),
        None => (rest, ""),
    };
    let days = parts(days, &[('W', 604_800_000.0), ('D', 86_400_000.0)])?;
    let time = parts(time, &[('H', 3_600_000.0), ('M', 60_000.0), ('S', 1_000.0)])?;
    if rest.is_empty() {
        return None;
    }
    crate::expr::convert::number::truncate(f64::from(sign) * (days + time))
}

fn parts(text: &str, units: &[(char, f64)]) -> Option<f64> {
    let mut total = 0.0;
    let mut number = String::new();
    for c in text.chars() {
        if c.is_ascii_digit() || matches!(c, '.' | '-') {
            number.push(c);
            continue;
        }
        let (_, len) = units
            .iter()
            .find(|(unit, _)| *unit == c.to_ascii_uppercase())?;
        total += number.parse::<f64>().ok()? * len;
        number.clear();
    }
    number.is_empty().then_some(total)
}

#[cfg(test)]
mod tests {
    #[test]
    fn parses() {
        let cases = [
            ("PT1H", Some(3_600_000)),
            ("P1D", Some(86_400_000)),
            ("P1DT2H3M4.5S", Some(93_784_500)),
            ("-PT15M", Some(-900_000)),
            ("P1M", None),
            ("1H", None),
            ("P", None),
            ("PT5", None),
        ];
        for (text, expected) in cases {
            assert_eq!(super::parse(text), expected, "{text}");
        }
    }
}
