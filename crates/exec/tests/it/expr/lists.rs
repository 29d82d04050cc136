//! Multi-value columns.

use super::harness::{check_errors, check_one, check_types};

#[test]
fn functions_of_lists() {
    check_one(&[
        ("arrayLength(longs)", "4"),
        ("cardinality(words)", "3"),
        ("arrayMin(longs)", "1"),
        ("arrayMax(longs)", "3"),
        ("arrayMax(words)", "b"),
        ("arraySum(longs)", "7.0"),
        ("arrayAverage(longs)", "1.75"),
        ("valueIn(longs, 1, 2)", "[1, 2, 1]"),
        ("valueIn(words, 'a')", "[a]"),
        ("arrayDistinct(words)", "[b, a]"),
        ("arrayReverse(longs)", "[1, 2, 1, 3]"),
        ("arraySort(longs)", "[1, 1, 2, 3]"),
        ("arrayContains(words, 'a')", "true"),
        ("mapValue(words, 'a', longs)", "1"),
        ("arrayLength(split('a b', ' '))", "2"),
        ("longs = 2", "true"),
        ("longs <> 2", "false"),
        ("longs <> 9", "true"),
        ("longs > 2", "true"),
        ("words IN ('a', 'z')", "true"),
        ("words NOT IN ('a', 'z')", "false"),
        ("words LIKE 'A'", "true"),
    ]);
    check_types(&[
        ("arrayMin(longs)", "LONG"),
        ("arraySum(longs)", "DOUBLE"),
        ("valueIn(longs, 1)", "LONG_ARRAY"),
        ("split(s, ' ')", "STRING_ARRAY"),
    ]);
    check_errors(&[
        (
            "arrayLength(i)",
            700,
            "QueryValidationError: argument 1 must be multi-value, expression=arraylength(i)",
        ),
        (
            "longs = i",
            700,
            "QueryValidationError: multi-value columns compare with literals only, \
             expression=equals(longs,i)",
        ),
    ]);
}
