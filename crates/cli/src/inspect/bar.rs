//! A share as a bar.

/// Cells of a bar.
const BAR: u64 = 10;
const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Characters of a bar with its percentage.
pub const WIDTH: usize = 15;

/// Draws a share as a bar and a percentage, always of the same width.
pub fn bar(fill: Option<(u64, u64)>) -> String {
    let cells = usize::try_from(BAR).unwrap_or_default();
    let Some((part, whole)) = fill else {
        return " ".repeat(cells + 5);
    };
    if whole == 0 {
        return format!("{:cells$}    -", "");
    }
    let eighths = u128::from(part) * u128::from(BAR) * 8 / u128::from(whole);
    // A sliver shows that there is something at all.
    let eighths = if part > 0 { eighths.max(1) } else { 0 };
    let full = usize::try_from(eighths / 8).unwrap_or_default();
    let rest = usize::try_from(eighths % 8)
        .ok()
        .and_then(|rest| PARTS.get(rest))
        .unwrap_or(&"");
    let drawn = format!("{}{rest}", "█".repeat(full));
    let percent = u128::from(part) * 100 / u128::from(whole);
    let percent = if part > 0 && percent == 0 {
        "<1".to_owned()
    } else {
        percent.to_string()
    };
    format!("{drawn:cells$} {percent:>3}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_shares() {
        let cases = [
            (None, "               "),
            (Some((0, 0)), "              -"),
            (Some((0, 4)), "             0%"),
            (Some((1, 4)), "██▌         25%"),
            (Some((4, 4)), "██████████ 100%"),
            (Some((1, 1_000_000)), "▏           <1%"),
        ];
        for (fill, expected) in cases {
            assert_eq!(bar(fill), expected, "{fill:?}");
            assert_eq!(bar(fill).chars().count(), 15);
        }
    }
}
