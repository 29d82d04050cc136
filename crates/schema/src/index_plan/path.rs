//! A path to a key as index configs spell it: `$.a.b`, `$['a']['b']` or `a.b`.

/// Returns the dotted path that queries use; none for the root and for anything inside an array.
pub fn index_path(text: &str) -> Option<String> {
    let Some(steps) = text.strip_prefix('$') else {
        // Bare names are taken as they are: brackets may be part of them.
        return (!text.is_empty() && !text.contains("[*]")).then(|| text.to_owned());
    };
    let mut rest = steps;
    let mut path: Vec<&str> = Vec::new();
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('.') {
            Some(after) => after.split_at(after.find(['.', '[']).unwrap_or(after.len())),
            None => quoted(rest)?,
        };
        if step.is_empty() {
            return None;
        }
        path.push(step);
        rest = after;
    }
    (!path.is_empty()).then(|| path.join("."))
}

/// Takes `['name']` or `["name"]`.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?;
    let quote = inner.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (name, after) = inner.strip_prefix(quote)?.split_once(quote)?;
    Some((name, after.strip_prefix(']')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_forms_of_a_path() {
        let cases = [
            ("a", Some("a")),
            ("a.b", Some("a.b")),
            ("$.a.b", Some("a.b")),
            ("$['a']['b.c']", Some("a.b.c")),
            ("$[\"a\"].b", Some("a.b")),
            ("$", None),
            ("", None),
            ("$.", None),
            ("$.a[0]", None),
            ("$.a[*].b", None),
            ("a[*].b", None),
            ("$a", None),
            ("$['a", None),
        ];
        for (text, expected) in cases {
            assert_eq!(index_path(text).as_deref(), expected, "{text}");
        }
    }
}
