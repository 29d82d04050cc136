//! Reading values where they lie.

use growler_base::{Cursor, OutOfBytes};

use super::Shape;
use super::shape::{Field, Meaning};
use crate::Datum;
use crate::datum::value::big_endian;
use crate::error::Fault;

/// Values back to back; every read is checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Values<'a>(Cursor<'a>);

impl From<OutOfBytes> for Fault {
    fn from(out: OutOfBytes) -> Self {
        Self::corrupt(out.to_string())
    }
}

impl<'a> Values<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(Cursor::new(bytes))
    }

    /// Returns the bytes that are left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.0.rest()
    }

    pub(crate) fn take(&mut self, len: u64) -> Result<&'a [u8], Fault> {
        Ok(self.0.take(len)?)
    }

    /// Reads an integer of up to ten bytes, zigzag.
    pub(crate) fn long(&mut self) -> Result<i64, Fault> {
        let mut raw = 0_u64;
        for shift in (0..70_u32).step_by(7) {
            let byte = self.0.u8()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has room for one bit only.
            if shift == 63 && bits > 1 {
                break;
            }
            raw |= bits << shift;
            if byte < 0x80 {
                let half = i64::try_from(raw >> 1).unwrap_or(i64::MAX);
                return Ok(if raw & 1 == 0 { half } else { !half });
            }
        }
        Err(Fault::corrupt("avro integer is longer than 64 bits"))
    }

    /// Reads a length and as many bytes.
    pub(crate) fn sized(&mut self) -> Result<&'a [u8], Fault> {
        let len = self.long()?;
        let len = u64::try_from(len).map_err(|_| Fault::corrupt("avro length is negative"))?;
        self.take(len)
    }

    /// Reads the items of a list, or the entries of a map. The caller reads at least one byte an
    /// item, so a lying count ends with the bytes.
    pub(crate) fn each_item(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        loop {
            let count = self.long()?;
            if count == 0 {
                return Ok(());
            }
            if count < 0 {
                // A negative count is followed by the length of the items in bytes.
                self.long()?;
            }
            for _ in 0..count.unsigned_abs() {
                read(self)?;
            }
        }
    }

    /// Takes the branch of a union; none for null. A shape that is no union is there as it is.
    pub(crate) fn branch<'s>(&mut self, shape: &'s Shape) -> Result<Option<&'s Shape>, Fault> {
        let Shape::Union(branches) = shape else {
            return Ok((*shape != Shape::Null).then_some(shape));
        };
        let position = usize::try_from(self.long()?).ok();
        let branch = position.and_then(|position| branches.get(position));
        match branch.ok_or_else(|| Fault::corrupt("avro union has no such branch"))? {
            Shape::Null => Ok(None),
            Shape::Union(_) => Err(Fault::corrupt("avro union in a union")),
            branch => Ok(Some(branch)),
        }
    }

    /// Reads an integer, or null.
    pub(crate) fn optional_long(&mut self, shape: &Shape) -> Result<Option<i64>, Fault> {
        match self.branch(shape)? {
            None => Ok(None),
            Some(Shape::Int(_) | Shape::Long(_)) => self.long().map(Some),
            Some(_) => Err(unexpected("an integer")),
        }
    }

    /// Reads true or false, or null.
    pub(crate) fn optional_flag(&mut self, shape: &Shape) -> Result<Option<bool>, Fault> {
        match self.branch(shape)? {
            None => Ok(None),
            Some(Shape::Boolean) => Ok(Some(self.0.u8()? != 0)),
            Some(_) => Err(unexpected("true or false")),
        }
    }

    /// Reads bytes or text, or null.
    pub(crate) fn optional_bytes(&mut self, shape: &Shape) -> Result<Option<&'a [u8]>, Fault> {
        match self.branch(shape)? {
            None => Ok(None),
            Some(Shape::Bytes(_) | Shape::String(_)) => self.sized().map(Some),
            Some(Shape::Fixed(len, _)) => self.take(*len).map(Some),
            Some(_) => Err(unexpected("bytes")),
        }
    }

    /// Reads text, or null.
    pub(crate) fn optional_text(&mut self, shape: &Shape) -> Result<Option<&'a str>, Fault> {
        let bytes = self.optional_bytes(shape)?;
        let text = bytes.map(std::str::from_utf8).transpose();
        text.map_err(|_| Fault::corrupt("avro text is not UTF-8"))
    }

    /// Reads a record field by field; none if it is null.
    pub(crate) fn record(
        &mut self,
        shape: &Shape,
        mut read: impl FnMut(&mut Self, &Field) -> Result<(), Fault>,
    ) -> Result<bool, Fault> {
        match self.branch(shape)? {
            None => Ok(false),
            Some(Shape::Record(fields)) => {
                for field in fields {
                    read(self, field)?;
                }
                Ok(true)
            }
            Some(_) => Err(unexpected("a record")),
        }
    }

    /// Reads the items of a list, which may be null.
    pub(crate) fn list(
        &mut self,
        shape: &Shape,
        mut read: impl FnMut(&mut Self, &Shape) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        match self.branch(shape)? {
            None => Ok(()),
            Some(Shape::Array(item)) => self.each_item(|values| read(values, item)),
            Some(_) => Err(unexpected("a list")),
        }
    }

    /// Reads a single value, or null.
    pub(crate) fn datum(&mut self, shape: &Shape) -> Result<Option<Datum>, Fault> {
        let Some(shape) = self.branch(shape)? else {
            return Ok(None);
        };
        Ok(Some(match shape {
            Shape::Boolean => Datum::Boolean(self.0.u8()? != 0),
            Shape::Int(meaning) | Shape::Long(meaning) => {
                let is_int = matches!(shape, Shape::Int(_));
                integer(self.long()?, *meaning, is_int)?
            }
            Shape::Float => Datum::Float(f32::from_le_bytes(self.0.take_array()?)),
            Shape::Double => Datum::Double(f64::from_le_bytes(self.0.take_array()?)),
            Shape::Bytes(meaning) => bytes(self.sized()?, *meaning)?,
            Shape::Fixed(len, meaning) => bytes(self.take(*len)?, *meaning)?,
            Shape::String(_) => {
                let text = std::str::from_utf8(self.sized()?);
                Datum::String(
                    text.map_err(|_| Fault::corrupt("avro text is not UTF-8"))?
                        .into(),
                )
            }
            _ => return Err(unexpected("a single value")),
        }))
    }

    /// Passes over a value.
    pub(crate) fn skip(&mut self, shape: &Shape) -> Result<(), Fault> {
        match shape {
            Shape::Null => {}
            Shape::Boolean => {
                self.take(1)?;
            }
            Shape::Int(_) | Shape::Long(_) | Shape::Enum => {
                self.long()?;
            }
            Shape::Float => {
                self.take(4)?;
            }
            Shape::Double => {
                self.take(8)?;
            }
            Shape::Bytes(_) | Shape::String(_) => {
                self.sized()?;
            }
            Shape::Fixed(len, _) => {
                self.take(*len)?;
            }
            Shape::Array(item) => self.each_item(|values| values.skip(item))?,
            Shape::Map(value) => self.each_item(|values| {
                values.sized()?;
                values.skip(value)
            })?,
            Shape::Union(_) => {
                if let Some(branch) = self.branch(shape)? {
                    self.skip(branch)?;
                }
            }
            Shape::Record(fields) => {
                for field in fields {
                    self.skip(&field.shape)?;
                }
            }
        }
        Ok(())
    }
}

fn unexpected(wanted: &str) -> Fault {
    Fault::corrupt(format!("avro value is not {wanted}"))
}

fn integer(value: i64, meaning: Meaning, is_int: bool) -> Result<Datum, Fault> {
    let narrow = || i32::try_from(value).map_err(|_| Fault::corrupt("avro int is out of range"));
    let thousandfold = || {
        let more = value.checked_mul(1000);
        more.ok_or_else(|| Fault::corrupt("avro time is out of range"))
    };
    Ok(match meaning {
        Meaning::Date => Datum::Date(narrow()?),
        Meaning::TimeMillis => Datum::Time(thousandfold()?),
        Meaning::TimeMicros => Datum::Time(value),
        Meaning::TimestampMillis => Datum::Timestamp(thousandfold()?),
        Meaning::TimestampMicros => Datum::Timestamp(value),
        Meaning::TimestampNanos => Datum::TimestampNs(value),
        Meaning::Plain | Meaning::Decimal { .. } | Meaning::Uuid if is_int => Datum::Int(narrow()?),
        Meaning::Plain | Meaning::Decimal { .. } | Meaning::Uuid => Datum::Long(value),
    })
}

fn bytes(bytes: &[u8], meaning: Meaning) -> Result<Datum, Fault> {
    match meaning {
        Meaning::Decimal { scale } => {
            let unscaled = big_endian(bytes);
            let unscaled = unscaled.ok_or_else(|| Fault::corrupt("avro decimal is too long"))?;
            Ok(Datum::Decimal { unscaled, scale })
        }
        Meaning::Uuid if bytes.len() == 16 => {
            let mut uuid = [0; 16];
            uuid.copy_from_slice(bytes);
            Ok(Datum::Uuid(uuid))
        }
        _ => Ok(Datum::Binary(bytes.into())),
    }
}
