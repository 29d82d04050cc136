//! A path of names and indices, without building the document: what the path does not lead to is
//! skipped, yet must be valid JSON. Of repeated names the last one counts.

use std::ops::Range;

use super::path::Step;
use super::scan::Scan;

/// Levels of a value, and of the way to it, that the parser of values would take.
const LEVELS: usize = 127;

/// Follows a definite path to the text of a value; none when it leads nowhere, or the text is no JSON.
pub(super) fn find<'t>(text: &'t str, steps: &[Step]) -> Option<&'t str> {
    let mut follow = Follow {
        text,
        scan: Scan::new(text),
    };
    let found = follow.steps(steps, 0)?;
    if !follow.scan.is_at_end() {
        return None;
    }
    text.get(found?)
}

struct Follow<'t> {
    text: &'t str,
    scan: Scan<'t>,
}

/// Where a value lies, if there is one; none when the text is no JSON.
type Found = Option<Option<Range<usize>>>;

impl Follow<'_> {
    fn steps(&mut self, steps: &[Step], depth: usize) -> Found {
        let kind = self.scan.peek()?;
        match (steps.split_first(), kind) {
            (None, _) => self.whole(depth).map(Some),
            (Some((Step::Name(name), rest)), b'{') => self.field(name, rest, depth + 1),
            (Some((Step::Index(index), rest)), b'[') => self.element(*index, rest, depth + 1),
            _ => self.scan.value().map(|_| None),
        }
    }

    fn whole(&mut self, depth: usize) -> Option<Range<usize>> {
        let start = self.scan.at();
        let nested = self.scan.value()?;
        (depth + nested <= LEVELS).then(|| start..self.scan.at())
    }

    fn field(&mut self, wanted: &str, steps: &[Step], depth: usize) -> Found {
        let mut found = None;
        if depth > LEVELS || !self.scan.eat(b'{') {
            return None;
        }
        if self.scan.eat(b'}') {
            return Some(None);
        }
        loop {
            self.scan.peek()?;
            let (name, has_escapes) = self.scan.name()?;
            if self.is_name(name, has_escapes, wanted)? {
                found = self.steps(steps, depth)?;
            } else {
                self.scan.value()?;
            }
            if !self.scan.eat(b',') {
                return self.scan.eat(b'}').then_some(found);
            }
        }
    }

    fn is_name(&self, name: Range<usize>, has_escapes: bool, wanted: &str) -> Option<bool> {
        let name = self.text.get(name)?;
        if has_escapes {
            return serde_json::from_str::<String>(name)
                .ok()
                .map(|name| name == wanted);
        }
        Some(name.get(1..name.len() - 1) == Some(wanted))
    }

    fn element(&mut self, wanted: i64, steps: &[Step], depth: usize) -> Found {
        let mut found = None;
        if depth > LEVELS || !self.scan.eat(b'[') {
            return None;
        }
        if self.scan.eat(b']') {
            return Some(None);
        }
        for index in 0_i64.. {
            if index == wanted {
                found = self.steps(steps, depth)?;
            } else {
                self.scan.value()?;
            }
            if !self.scan.eat(b',') {
                break;
            }
        }
        self.scan.eat(b']').then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use serde_json::Value;

    use super::*;

    fn find(text: &str, steps: &[Step]) -> Option<Value> {
        serde_json::from_str(super::find(text, steps)?).ok()
    }

    /// Follows the path in the parsed document.
    fn parsed(text: &str, steps: &[Step]) -> Option<Value> {
        let document: Value = serde_json::from_str(text).ok()?;
        let found = steps.iter().try_fold(&document, |value, step| match step {
            Step::Name(name) => value.as_object()?.get(name),
            Step::Index(index) => value.as_array()?.get(usize::try_from(*index).ok()?),
            _ => None,
        });
        found.cloned()
    }

    fn names() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["a", "b", "", "\\u0061", "long name of many bytes é"])
            .prop_map(str::to_owned)
    }

    /// JSON text with blanks, escapes and repeated names.
    fn texts() -> impl Strategy<Value = String> {
        let scalars = prop::sample::select(vec![
            "null",
            "true",
            "-1.50e+3",
            "0",
            "\"a\"",
            "\"\\u0061\\n\"",
            "\" long [text] {} of more, than\"",
            "\"\"",
        ]);
        let scalars = scalars.prop_map(str::to_owned);
        scalars.prop_recursive(4, 40, 4, |inner| {
            let field =
                (names(), inner.clone()).prop_map(|(name, value)| format!("\"{name}\" :{value}"));
            prop_oneof![
                prop::collection::vec(inner, 0..4)
                    .prop_map(|list| format!("[ {}]", list.join(" ,"))),
                prop::collection::vec(field, 0..4)
                    .prop_map(|fields| format!("{{{} }}", fields.join(", "))),
            ]
        })
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let name = prop::sample::select(vec!["a", "b", "", "long name of many bytes é"])
            .prop_map(|name| Step::Name(name.to_owned()));
        prop::collection::vec(prop_oneof![name, (0_i64..3).prop_map(Step::Index)], 0..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_stream_finds_what_the_document_has(
            text in texts(),
            steps in steps(),
            (place, byte) in (any::<prop::sample::Index>(), prop::sample::select(b" \"{}[],:\\a0-\n".to_vec())),
            cut in any::<prop::sample::Index>(),
        ) {
            prop_assert_eq!(find(&text, &steps), parsed(&text, &steps), "{}", text);
            // Damaged, most of it is no JSON.
            let mut bytes = text.clone().into_bytes();
            let at = place.index(bytes.len());
            bytes[at] = byte;
            let damaged = [String::from_utf8(bytes).ok(), text.get(..cut.index(text.len())).map(str::to_owned)];
            for text in damaged.into_iter().flatten() {
                prop_assert_eq!(find(&text, &steps), parsed(&text, &steps), "{}", text);
            }
        }
    }

    #[test]
    fn what_is_too_deep_is_not_found() {
        let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        for depth in [100, 126, 127, 128, 129] {
            let text = nested(depth);
            assert_eq!(find(&text, &[]), parsed(&text, &[]), "{depth}");
            let first = [Step::Index(0), Step::Index(0)];
            assert_eq!(find(&text, &first), parsed(&text, &first), "{depth}");
            let beside = format!("{{\"a\":{text},\"b\":2}}");
            let found = find(&beside, &[Step::Name("b".to_owned())]);
            assert_eq!(
                found,
                Some(Value::from(2)),
                "what is beside it may be deeper"
            );
        }
    }
}
