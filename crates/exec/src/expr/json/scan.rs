//! JSON text, byte by byte: what is skipped is looked at only as far as it takes to be sure that it
//! is JSON, eight bytes at a time within strings.

use std::ops::Range;

/// A place in JSON text. What fails is no JSON.
pub(super) struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
}

/// Objects and arrays that are open.
#[derive(Default)]
struct Open {
    /// A bit for each of the outer ones, set for an object.
    outer: u128,
    inner: Vec<bool>,
    depth: usize,
    deepest: usize,
}

impl Open {
    fn push(&mut self, is_object: bool) {
        match u32::try_from(self.depth) {
            Ok(depth @ ..128) => {
                self.outer = self.outer & !(1 << depth) | u128::from(is_object) << depth;
            }
            _ => self.inner.push(is_object),
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
    }

    fn pop(&mut self) {
        self.inner.pop();
        self.depth -= 1;
    }

    /// Tells whether the innermost one is an object; none when none is open.
    fn is_object(&self) -> Option<bool> {
        let depth = self.depth.checked_sub(1)?;
        let outer = || self.outer >> depth & 1 == 1;
        Some(self.inner.last().copied().unwrap_or_else(outer))
    }
}

impl<'t> Scan<'t> {
    /// Starts at the beginning.
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            bytes: text.as_bytes(),
            at: 0,
        }
    }

    /// Returns the place.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the next byte that is no blank.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Goes over the next byte that is no blank if it is a certain one.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    /// Tells whether only blanks are left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Goes over a name and its colon; returns where it lies, quotes included, and whether it has
    /// escapes.
    pub(super) fn name(&mut self) -> Option<(Range<usize>, bool)> {
        self.expect(b'"')?;
        let start = self.at - 1;
        let has_escapes = self.string()?;
        let name = start..self.at;
        self.expect(b':')?;
        Some((name, has_escapes))
    }

    /// Goes over a value; returns how deep objects and arrays are nested in it.
    pub(super) fn value(&mut self) -> Option<usize> {
        let mut open = Open::default();
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    self.string()?;
                }
                b'{' => {
                    self.at += 1;
                    open.push(true);
                    if !self.eat(b'}') {
                        self.name()?;
                        continue;
                    }
                    open.pop();
                }
                b'[' => {
                    self.at += 1;
                    open.push(false);
                    if !self.eat(b']') {
                        continue;
                    }
                    open.pop();
                }
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => self.number()?,
            }
            if !self.after_value(&mut open)? {
                return Some(open.deepest);
            }
        }
    }

    /// Closes what ends after a value; tells whether another value follows.
    fn after_value(&mut self, open: &mut Open) -> Option<bool> {
        while let Some(is_object) = open.is_object() {
            if self.eat(b',') {
                if is_object {
                    self.name()?;
                }
                return Some(true);
            }
            self.expect(if is_object { b'}' } else { b']' })?;
            open.pop();
        }
        Some(false)
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        let is_there = self.bytes.get(self.at..)?.starts_with(word);
        self.at += word.len();
        is_there.then_some(())
    }

    /// Goes over what follows an opening quote; tells whether there are escapes.
    fn string(&mut self) -> Option<bool> {
        let mut has_escapes = false;
        loop {
            self.at += plain_len(self.bytes.get(self.at..)?);
            match self.bytes.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(has_escapes);
                }
                b'\\' => self.escape()?,
                _ => return None,
            }
            has_escapes = true;
        }
    }

    fn escape(&mut self) -> Option<()> {
        let len = match self.bytes.get(self.at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
            b'u' => {
                let digits = self.bytes.get(self.at + 2..self.at + 6)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                6
            }
            _ => return None,
        };
        self.at += len;
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        self.at += usize::from(self.bytes.get(self.at) == Some(&b'-'));
        match self.bytes.get(self.at)? {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            let is_sign = matches!(self.bytes.get(self.at), Some(b'+' | b'-'));
            self.at += usize::from(is_sign);
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        let is_digit = |byte: &&u8| byte.is_ascii_digit();
        let len = rest.iter().take_while(is_digit).count();
        self.at += len;
        (len > 0).then_some(())
    }
}

/// Returns how many bytes at the start need no look: neither a quote, a backslash nor a control.
fn plain_len(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = ONES << 7;
    // The lowest byte that such a difference marks is always one that is below.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let (words, rest) = bytes.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let marked = is(b'"') | is(b'\\') | below(word, 0x20);
        if marked != 0 {
            return number * 8 + (marked.trailing_zeros() / 8) as usize;
        }
    }
    let needs_look = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    let plain = rest.iter().position(needs_look).unwrap_or(rest.len());
    words.len() * 8 + plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IgnoredAny;

    fn is_json(text: &str) -> bool {
        let mut scan = Scan::new(text);
        scan.value().is_some() && scan.is_at_end()
    }

    #[test]
    fn what_is_json_is_what_the_parser_takes() {
        let texts = [
            "",
            " ",
            "null",
            " true ",
            "false",
            "nul",
            "truex",
            "0",
            "-0",
            "01",
            "-",
            "1.",
            "1.5",
            ".5",
            "1e5",
            "1E+5",
            "1e-",
            "1.5e07",
            "+1",
            "\"\"",
            "\"a",
            "\"a\\n\"",
            "\"\\u00e9\"",
            "\"\\u00g9\"",
            "\"\\x\"",
            "\"a\tb\"",
            "\"12345678\t\"",
            "\"1234567\\\"89\"",
            "\"é\u{7f}😀 long enough for words\"",
            "[]",
            "[1]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{}",
            "{\"a\":1}",
            "{\"a\":1,}",
            "{\"a\" :[ {} ,[[]]] , \"b\":null}",
            "{a:1}",
            "{\"a\"}",
            "{\"a\":}",
            "[}",
            "{]",
            "[[1,2],{\"a\":[3]},\"x\"]",
            "1 1",
            "[1]]",
            "{\"a\":{\"b\":[1,{}]}}",
        ];
        for text in texts {
            let expected = serde_json::from_str::<IgnoredAny>(text).is_ok();
            assert_eq!(is_json(text), expected, "{text}");
        }
        let deep = |depth: usize| {
            format!(
                "{}{}",
                "[{\"a\":".repeat(depth),
                "1".to_owned() + &"}]".repeat(depth)
            )
        };
        for depth in [1, 63, 64, 65, 100, 3000] {
            let text = deep(depth);
            let mut scan = Scan::new(&text);
            assert_eq!(scan.value(), Some(2 * depth));
        }
    }

    #[test]
    fn the_first_byte_that_needs_a_look_is_found_at_every_place() {
        for len in 0..40 {
            for place in 0..len {
                for byte in 0..=255_u8 {
                    let mut bytes = vec![b'a'; len];
                    bytes[place] = byte;
                    let needs_look = matches!(byte, b'"' | b'\\' | 0..0x20);
                    let expected = if needs_look { place } else { len };
                    assert_eq!(plain_len(&bytes), expected, "{len} {place} {byte}");
                }
            }
        }
    }
}
