//! A value with everything in it.

/// A decoded value.
#[derive(Debug, Clone, PartialEq)]
pub enum Plain {
    /// Variant null.
    Null,
    /// Boolean.
    Boolean(bool),
    /// Integer of any width.
    Integer(i64),
    /// `unscaled` times ten to the power of `-scale`.
    Decimal {
        /// Digits.
        unscaled: i128,
        /// Digits behind the point.
        scale: u8,
    },
    /// 32-bit float.
    Float(f32),
    /// 64-bit float.
    Double(f64),
    /// String.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Date, time, timestamp or UUID: some text in quotes.
    Quoted,
    /// Array.
    List(Vec<Plain>),
    /// Object, in byte order of its names, no two of which are equal.
    Object(Vec<(String, Plain)>),
}

impl Plain {
    /// Finds a key by the rule of dotted keys: all that is left of the path as a name first, then
    /// its first step; arrays are never stepped into.
    pub fn find(&self, path: &str) -> Option<&Self> {
        if let Some(found) = self.field(path) {
            return Some(found);
        }
        let (step, rest) = path.split_once('.')?;
        self.field(step)?.find(rest)
    }

    fn field(&self, name: &str) -> Option<&Self> {
        let Self::Object(fields) = self else {
            return None;
        };
        let found = fields.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| value)
    }

    /// Tells whether this is an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Returns the value as a 64-bit integer, if it is one exactly.
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(*value),
            Self::Decimal { unscaled, scale } => {
                let unit = 10_i128.pow(u32::from(*scale));
                let whole = (unscaled % unit == 0).then_some(unscaled / unit)?;
                i64::try_from(whole).ok()
            }
            Self::Float(value) => exact_integer(f64::from(*value)),
            Self::Double(value) => exact_integer(*value),
            _ => None,
        }
    }
}

fn exact_integer(value: f64) -> Option<i64> {
    let in_range = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the value is whole and in range"
    )]
    (in_range && value.fract() == 0.0).then_some(value as i64)
}
