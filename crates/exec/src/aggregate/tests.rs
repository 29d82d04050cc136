use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, Float64Array, Int32Array, Int64Array,
    StringViewArray, UInt32Array,
};
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType as ArrowType;

use super::*;
use crate::aggregate::{Assigned, GroupMap};

fn call(name: &str, extra: &[Literal]) -> AggregateCall {
    let value = Expr::Column("x".to_owned());
    let args = std::iter::once(value)
        .chain(extra.iter().cloned().map(Expr::Literal))
        .collect();
    AggregateCall {
        name: name.to_owned(),
        args,
        filter: None,
    }
}

fn type_of(array: &ArrayRef) -> ColumnType {
    match array.data_type() {
        ArrowType::Int32 => DataType::Int,
        ArrowType::Int64 => DataType::Long,
        ArrowType::Float64 => DataType::Double,
        ArrowType::Boolean => DataType::Boolean,
        ArrowType::Decimal128(_, scale) => DataType::BigDecimal { scale: *scale },
        _ => DataType::String,
    }
    .single()
}

/// Folds `args` in every split into two batches, one by one, grouped (row parity) and not, and as
/// partial results; all must agree. Returns the ungrouped result.
fn fold(function: &Function, args: &[ArrayRef]) -> Result<String, Error> {
    let types: Vec<_> = args.iter().map(type_of).collect();
    let row_count = args.first().map_or(0, |array| array.len());
    let groups: Vec<u32> = (0..row_count)
        .map(|row| u32::try_from(row % 2).unwrap())
        .collect();
    let run = |splits: &[usize], grouped: bool, partial: bool| -> Result<Vec<String>, Error> {
        let mut total = function.accumulator(&types);
        let group_count = if grouped { 2 } else { 1 };
        for ends in splits.windows(2) {
            let (start, len) = (ends[0], ends[1] - ends[0]);
            let batch: Vec<ArrayRef> = args.iter().map(|array| array.slice(start, len)).collect();
            let groups = grouped.then(|| &groups[start..start + len]);
            let assigned = Assigned {
                row_count: len,
                groups,
                group_count,
            };
            if partial {
                let mut part = function.accumulator(&types);
                part.update(&batch, &assigned)?;
                let map = [Some(0), Some(1)];
                total.merge(
                    part,
                    &GroupMap {
                        groups: &map,
                        group_count,
                    },
                )?;
            } else {
                total.update(&batch, &assigned)?;
            }
        }
        let result = total.finish()?;
        assert_eq!(
            result.data_type(),
            &function.result_type(&types, "x")?.arrow_type()
        );
        let shown = |row| match result.is_null(row) {
            true => "null".to_owned(),
            false => array_value_to_string(&result, row).unwrap(),
        };
        Ok((0..result.len()).map(shown).collect())
    };
    let (whole, grouped) = (
        run(&[0, row_count], false, false)?,
        run(&[0, row_count], true, false)?,
    );
    for cut in 0..=row_count {
        for partial in [false, true] {
            assert_eq!(
                run(&[0, cut, row_count], false, partial)?,
                whole,
                "cut={cut}"
            );
            assert_eq!(
                run(&[0, cut, row_count], true, partial)?,
                grouped,
                "cut={cut}"
            );
        }
    }
    Ok(whole[0].clone())
}

fn check(
    name: &str,
    extra: &[Literal],
    array: &ArrayRef,
    off: &str,
    on: &str,
) -> Result<(), Error> {
    for (null_handling, expected) in [(false, off), (true, on)] {
        let (function, _) = Function::of(&call(name, extra), null_handling)?;
        let found = fold(&function, std::slice::from_ref(array))?;
        assert_eq!(found, expected, "{name} nullHandling={null_handling}");
    }
    Ok(())
}

#[test]
fn numbers() -> Result<(), Error> {
    let ints: ArrayRef = Arc::new(Int32Array::from(vec![
        Some(4),
        None,
        Some(1),
        Some(1),
        Some(-3),
    ]));
    let percent = [Literal::Int(50)];
    let cases: [(&str, &[Literal], &str); 20] = [
        ("sum", &[], "3.0"),
        ("avg", &[], "0.75"),
        ("min", &[], "-3.0"),
        ("max", &[], "4.0"),
        ("minmaxrange", &[], "7.0"),
        ("sumlong", &[], "3"),
        ("minlong", &[], "-3"),
        ("maxlong", &[], "4"),
        ("varpop", &[], "6.1875"),
        ("varsamp", &[], "8.25"),
        ("stddevsamp", &[], "2.8722813232690143"),
        ("percentile", &percent, "1.0"),
        ("percentile95", &[], "4.0"),
        ("percentiletdigest", &percent, "1.0"),
        ("percentileest50", &[], "1"),
        ("distinctcount", &[], "3"),
        ("distinctcounthll", &[], "3"),
        ("distinctsum", &[], "2.0"),
        ("mode", &[], "1.0"),
        ("arrayagg", &[], "[4, 1, 1, -3]"),
    ];
    for (name, extra, expected) in cases {
        check(name, extra, &ints, expected, expected)?;
    }
    check(
        "distinctavg",
        &[],
        &ints,
        "0.6666666666666666",
        "0.6666666666666666",
    )?;
    let distinct = [Literal::String("INT".to_owned()), Literal::Boolean(true)];
    check("arrayagg", &distinct, &ints, "[4, 1, -3]", "[4, 1, -3]")
}

#[test]
fn no_values_give_the_identity_or_null() -> Result<(), Error> {
    let none: ArrayRef = Arc::new(Float64Array::from(vec![None, None]));
    let least = "-9223372036854775808";
    for (name, off) in [
        ("sum", "0.0"),
        ("avg", "-inf"),
        ("min", "inf"),
        ("max", "-inf"),
        ("minmaxrange", "-inf"),
        ("stddevpop", "-inf"),
        ("percentile50", "-inf"),
        ("percentiletdigest50", "-inf"),
        ("mode", "-inf"),
        ("sumlong", "0"),
        ("minlong", "9223372036854775807"),
        ("maxlong", least),
        ("distinctsum", "0.0"),
    ] {
        check(name, &[], &none, off, "null")?;
    }
    check("distinctcount", &[], &none, "0", "0")?;
    check("distinctcounthll", &[], &none, "0", "0")?;
    let none: ArrayRef = Arc::new(StringViewArray::from(vec![None::<&str>, None]));
    check("minstring", &[], &none, "null", "null")?;
    let none: ArrayRef = Arc::new(BooleanArray::from(vec![None, None]));
    check("booland", &[], &none, "true", "null")?;
    check("boolor", &[], &none, "false", "null")
}

#[test]
fn texts_and_booleans() -> Result<(), Error> {
    let texts: ArrayRef = Arc::new(StringViewArray::from(vec![
        Some("pear"),
        Some("apple"),
        None,
        Some("pear"),
    ]));
    check("minstring", &[], &texts, "apple", "apple")?;
    check("maxstring", &[], &texts, "pear", "pear")?;
    check("distinctcount", &[], &texts, "2", "2")?;
    check("distinctcounthll", &[], &texts, "2", "2")?;
    let booleans: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]));
    check("booland", &[], &booleans, "false", "false")?;
    check("boolor", &[], &booleans, "true", "true")?;
    check("sum", &[], &booleans, "1.0", "1.0")
}

#[test]
fn floats_and_decimals_sum_exactly() -> Result<(), Error> {
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![0.1; 10]));
    check("sum", &[], &floats, "1.0", "1.0")?;
    let cancel: ArrayRef = Arc::new(Float64Array::from(vec![1e300, 1.0, -1e300, 1e-3]));
    check("sum", &[], &cancel, "1.001", "1.001")?;
    let decimals = Decimal128Array::from(vec![1010, 2020, -5]).with_precision_and_scale(38, 2);
    check(
        "sum",
        &[],
        &(Arc::new(decimals.unwrap()) as ArrayRef),
        "30.25",
        "30.25",
    )
}

#[test]
fn values_with_times() -> Result<(), Error> {
    let values: ArrayRef = Arc::new(StringViewArray::from(vec![
        Some("a"),
        Some("b"),
        None,
        Some("d"),
    ]));
    let times: ArrayRef = Arc::new(Int64Array::from(vec![5, 5, 9, 5]));
    for (name, expected) in [("firstwithtime", "a"), ("lastwithtime", "d")] {
        let args = ["x", "t"].map(|name| Expr::Column(name.to_owned()));
        let kind = Expr::Literal(Literal::String("STRING".to_owned()));
        let args = args.into_iter().chain([kind]).collect();
        let call = AggregateCall {
            name: name.to_owned(),
            args,
            filter: None,
        };
        let (function, arguments) = Function::of(&call, true)?;
        assert_eq!(arguments.len(), 2);
        assert_eq!(fold(&function, &[values.clone(), times.clone()])?, expected);
    }
    Ok(())
}

#[test]
fn count_counts_rows_or_values() -> Result<(), Error> {
    let none: ArrayRef = Arc::new(UInt32Array::from(vec![Some(1), None]));
    for (null_handling, argument_count) in [(false, 0), (true, 1)] {
        let (function, arguments) = Function::of(&call("count", &[]), null_handling)?;
        assert_eq!(arguments.len(), argument_count);
        let mut state = function.accumulator(&[]);
        let args: Vec<ArrayRef> = arguments.iter().map(|_| none.clone()).collect();
        state.update(
            &args,
            &Assigned {
                row_count: 2,
                groups: None,
                group_count: 1,
            },
        )?;
        let expected = if null_handling { "1" } else { "2" };
        assert_eq!(
            array_value_to_string(&state.finish()?, 0).unwrap(),
            expected
        );
    }
    Ok(())
}

#[test]
fn refuses_what_it_does_not_know() {
    for (name, extra) in [
        ("nosuch", vec![]),
        ("percentile", vec![]),
        ("percentile101", vec![]),
        ("firstwithtime", vec![Literal::Int(1)]),
        ("mode", vec![Literal::String("MIDDLE".to_owned())]),
    ] {
        assert!(
            matches!(
                Function::of(&call(name, &extra), true),
                Err(Error::Validation(_))
            ),
            "{name}"
        );
    }
    let (sum, _) = Function::of(&call("sum", &[]), true).unwrap();
    let refused = sum.result_type(&[DataType::String.single()], "sum(x)");
    assert_eq!(
        refused,
        Err(Error::Validation(
            "Cannot compute sum(x) over STRING".to_owned()
        ))
    );
}

#[test]
fn distinct_sums_of_longs_are_exact() -> Result<(), Error> {
    let cases: [(&[i64], &str, &str); 4] = [
        (&[i64::MAX, i64::MIN, i64::MAX], "-1.0", "-0.5"),
        (&[i64::MAX, i64::MIN + 1, 3], "3.0", "1.0"),
        (&[(1 << 53) + 1, -(1 << 53)], "1.0", "0.5"),
        (&[1, 2, 2], "3.0", "1.5"),
    ];
    for (values, sum, mean) in cases {
        let longs: ArrayRef = Arc::new(Int64Array::from(values.to_vec()));
        check("distinctsum", &[], &longs, sum, sum)?;
        check("distinctavg", &[], &longs, mean, mean)?;
    }
    Ok(())
}
