//! What a mistyped key was meant to be.

use super::key::{Key, plain};

/// Most characters of a name that is compared; no key is nearly as long.
const NAME_LEN: usize = 64;

/// Returns the name of the key that a name is closest to, if any is close.
pub(super) fn closest(name: &str, sql: bool) -> Option<String> {
    let wanted: Vec<char> = plain(name).chars().take(NAME_LEN).collect();
    let near = |key: &Key| {
        let found: Vec<char> = plain(key.name()).chars().collect();
        let last = plain(key.name().rsplit('.').next().unwrap_or_default());
        let same_end = !wanted.is_empty() && last == wanted.iter().collect::<String>();
        let distance = if same_end {
            0
        } else {
            distance(&wanted, &found)
        };
        (distance <= (found.len() / 4).max(2)).then_some((distance, *key))
    };
    let (_, key) = Key::ALL.iter().filter_map(near).min()?;
    Some(if sql {
        key.sql_name()
    } else {
        key.name().to_owned()
    })
}

/// Counts the letters to add, take away or change to make one word of another.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, a) in left.iter().enumerate() {
        let mut before = above;
        let mut corner = above + 1;
        for (b, cell) in right.iter().zip(row.iter_mut().skip(1)) {
            let changed = before + usize::from(a != b);
            before = *cell;
            corner = changed.min(corner + 1).min(before + 1);
            *cell = corner;
        }
        if let Some(first) = row.first_mut() {
            *first = above + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        for (left, right, expected) in [
            ("", "", 0),
            ("abc", "", 3),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("same", "same", 0),
            ("ab", "ba", 2),
        ] {
            assert_eq!(
                distance(&chars(left), &chars(right)),
                expected,
                "{left} {right}"
            );
        }
    }

    #[test]
    fn mistyped_keys_are_recognised() {
        for (name, expected) in [
            ("catalog_url", Some("catalog_uri")),
            ("catalgo_type", Some("catalog_type")),
            ("storage.regoin", Some("storage.region")),
            ("region", Some("storage.region")),
            ("fail_fast", Some("schema_evolution.fail_fast")),
            ("nothing_like_it", None),
            ("", None),
        ] {
            assert_eq!(closest(name, true).as_deref(), expected, "{name}");
        }
        assert_eq!(
            closest("failfast", false).as_deref(),
            Some("schemaEvolution.failFast")
        );
    }
}
