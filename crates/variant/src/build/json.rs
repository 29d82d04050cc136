//! JSON text to a variant, in one pass and without a tree.

use super::encoder::Encoder;
use super::names::NameTable;
use super::number::put_number;
use crate::{Error, Node};

/// Encodes one JSON text; returns the value's bytes, whose names are in the table.
///
/// Numbers: integers in the smallest type that holds them, decimals where exact (up to 38 digits),
/// else doubles. Names of an object must differ.
///
/// # Errors
/// `InvalidInput` when the text is not JSON (RFC 8259), `Corrupt` for a repeated name or a number
/// beyond a double, `LimitExceeded` for depth and length.
pub fn encode_json(text: &str, names: &mut NameTable) -> Result<Vec<u8>, Error> {
    let mut encoder = Encoder::new(names);
    put_json(text, &mut encoder)?;
    encoder.finish()
}

/// Writes one JSON text as the next value of an encoder.
///
/// # Errors
/// As [`encode_json`].
pub fn put_json(text: &str, encoder: &mut Encoder<'_>) -> Result<(), Error> {
    let mut reader = Reader { text, offset: 0 };
    reader.value(encoder)?;
    reader.space();
    match reader.peek() {
        None => Ok(()),
        Some(_) => Err(reader.wrong("text after the value")),
    }
}

struct Reader<'t> {
    text: &'t str,
    /// Always at the border of a character.
    offset: usize,
}

impl<'t> Reader<'t> {
    /// Recursion is bounded by the encoder, which refuses to nest deeper than its limit.
    fn value(&mut self, encoder: &mut Encoder<'_>) -> Result<(), Error> {
        self.space();
        match self.peek() {
            Some(b'{') => self.object(encoder),
            Some(b'[') => self.list(encoder),
            Some(b'"') => {
                let text = self.string()?;
                encoder.scalar(&Node::String(&text))
            }
            Some(b't') => self.word("true", &Node::Boolean(true), encoder),
            Some(b'f') => self.word("false", &Node::Boolean(false), encoder),
            Some(b'n') => self.word("null", &Node::Null, encoder),
            Some(b'-' | b'0'..=b'9') => put_number(self.number()?, encoder),
            Some(_) => Err(self.wrong("no value starts so")),
            None => Err(self.wrong("a value is missing")),
        }
    }

    fn object(&mut self, encoder: &mut Encoder<'_>) -> Result<(), Error> {
        encoder.begin_object()?;
        self.skip();
        self.space();
        if self.eat(b'}') {
            return encoder.end();
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a key is missing"));
            }
            let key = self.string()?;
            encoder.key(&key)?;
            self.space();
            if !self.eat(b':') {
                return Err(self.wrong("a colon is missing"));
            }
            self.value(encoder)?;
            self.space();
            if self.eat(b'}') {
                return encoder.end();
            }
            if !self.eat(b',') {
                return Err(self.wrong("a comma is missing"));
            }
        }
    }

    fn list(&mut self, encoder: &mut Encoder<'_>) -> Result<(), Error> {
        encoder.begin_list()?;
        self.skip();
        self.space();
        if self.eat(b']') {
            return encoder.end();
        }
        loop {
            self.value(encoder)?;
            self.space();
            if self.eat(b']') {
                return encoder.end();
            }
            if !self.eat(b',') {
                return Err(self.wrong("a comma is missing"));
            }
        }
    }

    fn word(&mut self, word: &str, node: &Node<'_>, out: &mut Encoder<'_>) -> Result<(), Error> {
        if !self.rest().starts_with(word) {
            return Err(self.wrong("no value starts so"));
        }
        self.offset = self.offset.saturating_add(word.len());
        out.scalar(node)
    }

    fn number(&mut self) -> Result<&'t str, Error> {
        let rest = self.rest();
        self.eat(b'-');
        if !self.eat(b'0') && self.digits() == 0 {
            return Err(self.wrong("a digit is missing"));
        }
        if self.eat(b'.') && self.digits() == 0 {
            return Err(self.wrong("a digit is missing"));
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            if self.digits() == 0 {
                return Err(self.wrong("a digit is missing"));
            }
        }
        let len = rest.len().saturating_sub(self.rest().len());
        Ok(rest.get(..len).unwrap_or_default())
    }

    fn digits(&mut self) -> usize {
        let start = self.offset;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.skip();
        }
        self.offset.saturating_sub(start)
    }

    fn string(&mut self) -> Result<std::borrow::Cow<'t, str>, Error> {
        self.skip();
        let plain = self.run()?;
        if self.eat(b'"') {
            return Ok(plain.into());
        }
        let mut text = plain.to_owned();
        loop {
            if self.eat(b'"') {
                return Ok(text.into());
            }
            // A run ends at a quote or at a backslash.
            self.skip();
            text.push(self.escape()?);
            text.push_str(self.run()?);
        }
    }

    /// Reads characters that stand for themselves.
    fn run(&mut self) -> Result<&'t str, Error> {
        let rest = self.rest();
        let is_end = |byte: u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
        let len = rest.bytes().position(is_end);
        let len = len.ok_or_else(|| self.wrong("a text does not end"))?;
        self.offset = self.offset.saturating_add(len);
        match self.peek() {
            Some(b'"' | b'\\') => Ok(rest.get(..len).unwrap_or_default()),
            _ => Err(self.wrong("a control character in a text")),
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let byte = self.peek();
        let plain = match byte {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.skip();
                return self.unicode();
            }
            _ => return Err(self.wrong("an unknown escape")),
        };
        self.skip();
        Ok(plain)
    }

    fn unicode(&mut self) -> Result<char, Error> {
        let first = self.hex()?;
        let code = match first {
            0xd800..=0xdbff if self.rest().starts_with("\\u") => {
                self.offset = self.offset.saturating_add(2);
                let second = self.hex()?;
                if !(0xdc00..=0xdfff).contains(&second) {
                    return Err(self.wrong("half of a surrogate pair"));
                }
                let high = (first & 0x3ff) << 10;
                (high | (second & 0x3ff)).saturating_add(0x1_0000)
            }
            other => other,
        };
        char::from_u32(code).ok_or_else(|| self.wrong("half of a surrogate pair"))
    }

    fn hex(&mut self) -> Result<u32, Error> {
        let digits = self.rest().get(..4);
        let is_hex = |digits: &&str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let code = digits
            .filter(is_hex)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.wrong("four hexadecimal digits are missing"))?;
        self.offset = self.offset.saturating_add(4);
        Ok(code)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    /// Passes over one ASCII byte.
    fn skip(&mut self) {
        self.offset = self.offset.saturating_add(1);
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if is_next {
            self.skip();
        }
        is_next
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.skip();
        }
    }

    fn wrong(&self, reason: &'static str) -> Error {
        Error::Json {
            reason,
            offset: self.offset,
        }
    }
}
