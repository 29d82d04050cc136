//! Input that was made to hurt.

use growler_exec::Error;
use growler_exec::expr::{CompileOptions, compile};
use growler_exec::sql::ast::{Expr, Literal};
use proptest::prelude::*;

use super::harness::{Table, one_row};

fn extract(path: &str, document: &str) -> Result<Vec<String>, Error> {
    let args = vec![
        Expr::Column("c".to_owned()),
        Expr::Literal(Literal::String(path.to_owned())),
        Expr::Literal(Literal::String("STRING".to_owned())),
        Expr::Literal(Literal::String("none".to_owned())),
    ];
    Table::new()
        .texts("c", vec![Some(document)])
        .call("jsonextractscalar", args)
}

#[test]
fn documents_are_bounded() -> Result<(), Error> {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(extract("$[0]", &deep)?, ["none"]);
    assert_eq!(extract("$..a", &deep)?, ["none"]);
    // Every `..*` multiplies what is visited.
    let nested = format!("{}{}", "[[1],".repeat(100) + "0", "]".repeat(100));
    assert_eq!(extract("$..*..*..*..*..*..*", &nested)?, ["none"]);
    Ok(())
}

#[test]
fn expressions_are_bounded() {
    let mut expr = Expr::Column("i".to_owned());
    for _ in 0..10_000 {
        expr = Expr::Call {
            name: "abs".to_owned(),
            args: vec![expr],
        };
    }
    let options = CompileOptions {
        null_handling: true,
        now_ms: 0,
    };
    let error = compile(&expr, &mut one_row(), &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "QueryValidationError: expression is nested too deeply: limit=64"
    );
    // Dropping a deep tree recurses too, so take it apart.
    while let Expr::Call { mut args, .. } = expr {
        expr = args.pop().unwrap();
    }
}

proptest! {
    #[test]
    fn any_path_over_any_document(
        path in r#"\$([.\[\]'"*?@()=<>&|!~/:,0-9a-c \\-]{0,24})"#,
        document in r#"[\[\]{}:,"a-c0-9.eE \\ntrue-]{0,40}"#,
    ) {
        // A result or a refusal, never a panic.
        let _ = extract(&path, &document);
    }

    #[test]
    fn streaming_finds_what_the_document_holds(
        steps in prop::collection::vec(prop_oneof![Just(".a"), Just(".b"), Just("[0]"), Just("[1]")], 0..4),
        document in json(),
    ) {
        let definite = format!("${}", steps.concat());
        // The same path with a negative index nowhere, but a filter that keeps everything at the
        // end, goes by the whole document.
        let found = extract(&definite, &document).unwrap();
        let pointer: String = steps.iter().map(|step| {
            format!("/{}", step.trim_matches(['.', '[', ']']))
        }).collect();
        let value: serde_json::Value = serde_json::from_str(&document).unwrap();
        let expected = match resolve(&value, &steps) {
            None | Some(serde_json::Value::Null) => "none".to_owned(),
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(other) => {
                let found: serde_json::Value = serde_json::from_str(&found[0]).unwrap();
                prop_assert_eq!(&found, other, "{} {}", pointer, document);
                return Ok(());
            }
        };
        prop_assert_eq!(found, vec![expected], "{} {}", pointer, document);
    }

    #[test]
    fn text_functions_never_panic(
        text in any::<String>(),
        a in any::<i64>(),
        b in -5i64..5,
        find in "\\PC{0,3}",
    ) {
        let calls = [
            ("substr", vec![Literal::Long(a), Literal::Long(b)]),
            ("substr", vec![Literal::Long(b), Literal::Long(a)]),
            ("substring", vec![Literal::Long(a), Literal::Long(b)]),
            ("leftsubstr", vec![Literal::Long(a)]),
            ("rightsubstr", vec![Literal::Long(a)]),
            ("strpos", vec![Literal::String(find.clone()), Literal::Long(b)]),
            ("strrpos", vec![Literal::String(find.clone()), Literal::Long(b)]),
            ("splitpart", vec![Literal::String(find.clone()), Literal::Long(a)]),
            ("split", vec![Literal::String(find.clone()), Literal::Long(b)]),
            ("lpad", vec![Literal::Long(b), Literal::String(find.clone())]),
            ("replace", vec![Literal::String(find.clone()), Literal::String("xx".to_owned())]),
            ("regexpextract", vec![Literal::String(find.clone())]),
            ("decodeurl", vec![]),
            ("initcap", vec![]),
            ("cast", vec![Literal::String("TIMESTAMP".to_owned())]),
            ("fromdatetime", vec![Literal::String("yyyy-MM-dd'T'HH:mm:ss.SSSZ".to_owned())]),
        ];
        for (name, literals) in calls {
            let mut args = vec![Expr::Column("c".to_owned())];
            args.extend(literals.into_iter().map(Expr::Literal));
            let call = Expr::Call { name: name.to_owned(), args };
            let mut table = Table::new().texts("c", vec![Some(&text)]);
            let options = CompileOptions { null_handling: true, now_ms: 0 };
            if let Ok(compiled) = compile(&call, &mut table, &options) {
                let _ = compiled.evaluate(&table.batch());
            }
        }
    }

    #[test]
    fn time_functions_never_panic(ms in any::<i64>(), n in any::<i64>()) {
        let sql = [
            "dateTrunc('week', l)", "dateTrunc('quarter', l, 'DAYS', 'Europe/Berlin')", "year(l)",
            "week(l, 'Asia/Tokyo')", "timestampAdd('MONTH', m, l)", "timestampDiff('MONTH', l, m)",
            "toDateTime(l, 'xxxx ww yyyy MM dd HH ZZ', 'America/New_York')", "toTimestamp(l)",
            "CAST(CAST(l AS TIMESTAMP) AS STRING)", "round(l, m)", "intDiv(l, m)", "dateBin('PT1H', l, m)",
            "toEpochDaysRounded(l, m)", "fromEpochDaysBucket(l, m)", "timeConvert(l, 'DAYS', 'NANOSECONDS')",
            "dateTimeConvert(l, '7:DAYS:EPOCH', '1:DAYS:SIMPLE_DATE_FORMAT:yyyy', '3:HOURS', '+05:30')",
        ];
        for sql in sql {
            let mut table = Table::new().longs("l", vec![Some(ms)]).longs("m", vec![Some(n)]);
            prop_assert!(table.rows(sql, true).is_ok(), "{}", sql);
        }
    }
}

fn resolve<'v>(value: &'v serde_json::Value, steps: &[&str]) -> Option<&'v serde_json::Value> {
    steps
        .iter()
        .try_fold(value, |value, step| match step.strip_prefix('.') {
            Some(name) => value.as_object()?.get(name),
            None => value
                .as_array()?
                .get(step.trim_matches(['[', ']']).parse::<usize>().ok()?),
        })
}

/// JSON text, with repeated names now and then.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|n| n.to_string()),
        Just("-1.5e10".to_owned()),
        "[a-z\u{e9}]{0,3}".prop_map(|text| format!("\"{text}\"")),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let field =
            ("[abc]", inner.clone()).prop_map(|(name, value)| format!("\"{name}\":{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..4)
                .prop_map(|values| format!("[{}]", values.join(", "))),
            prop::collection::vec(field, 0..4)
                .prop_map(|fields| format!("{{{}}}", fields.join(","))),
        ]
    })
}
