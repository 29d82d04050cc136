//! The one type a VARIANT key has in a query, decided over all files of the view.

use crate::DataType;

/// Type of a key in a query (architecture, idea 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyType {
    /// Type every segment converts the key to.
    pub data_type: DataType,
    /// Whether the type was declared, or comes from a typed leaf of some file. A key that is typed
    /// nowhere reads as text, and a missing one as the text `null` when null handling is off.
    pub typed: bool,
}

impl KeyType {
    /// Returns the type of a key that no file types.
    pub fn untyped() -> Self {
        Self {
            data_type: DataType::String,
            typed: false,
        }
    }

    /// Folds the types of a key's typed leaves, one per file that has one.
    ///
    /// All equal: that type. INT with LONG: LONG. Other mixes of numbers: DOUBLE, or BIG_DECIMAL
    /// when a decimal takes part. Timestamps of different units: the finest. Anything else: STRING.
    pub fn unify(leaves: impl IntoIterator<Item = DataType>) -> Self {
        leaves
            .into_iter()
            .map(|data_type| Self {
                data_type,
                typed: true,
            })
            .reduce(|a, b| Self {
                data_type: common(a.data_type, b.data_type),
                typed: true,
            })
            .unwrap_or_else(Self::untyped)
    }
}

fn common(a: DataType, b: DataType) -> DataType {
    use DataType as T;
    match (a, b) {
        (a, b) if a == b => a,
        (T::Int, T::Long) | (T::Long, T::Int) => T::Long,
        (T::BigDecimal { scale: a }, T::BigDecimal { scale: b }) => {
            T::BigDecimal { scale: a.max(b) }
        }
        (T::BigDecimal { scale }, other) | (other, T::BigDecimal { scale })
            if other.is_numeric() =>
        {
            T::BigDecimal { scale }
        }
        (a, b) if a.is_numeric() && b.is_numeric() => T::Double,
        (T::Timestamp { unit: a }, T::Timestamp { unit: b }) => T::Timestamp { unit: a.max(b) },
        _ => T::String,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DataType as T;

    #[test]
    fn folds_the_leaf_types_of_all_files() {
        let decimal = |scale| T::BigDecimal { scale };
        let cases: [(&[DataType], KeyType); 9] = [
            (&[], KeyType::untyped()),
            (
                &[T::String],
                KeyType {
                    data_type: T::String,
                    typed: true,
                },
            ),
            (
                &[T::Int, T::Int],
                KeyType {
                    data_type: T::Int,
                    typed: true,
                },
            ),
            (
                &[T::Int, T::Long, T::Int],
                KeyType {
                    data_type: T::Long,
                    typed: true,
                },
            ),
            (
                &[T::Int, T::Float],
                KeyType {
                    data_type: T::Double,
                    typed: true,
                },
            ),
            (
                &[T::Long, decimal(2), T::Int],
                KeyType {
                    data_type: decimal(2),
                    typed: true,
                },
            ),
            (
                &[decimal(2), decimal(4)],
                KeyType {
                    data_type: decimal(4),
                    typed: true,
                },
            ),
            (
                &[T::Int, T::String],
                KeyType {
                    data_type: T::String,
                    typed: true,
                },
            ),
            (
                &[T::Boolean, T::Int],
                KeyType {
                    data_type: T::String,
                    typed: true,
                },
            ),
        ];
        for (leaves, expected) in cases {
            assert_eq!(
                KeyType::unify(leaves.iter().copied()),
                expected,
                "{leaves:?}"
            );
            let reversed = leaves.iter().rev().copied();
            assert_eq!(KeyType::unify(reversed), expected, "{leaves:?} reversed");
        }
    }
}
