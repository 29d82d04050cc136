//! Quartz cron expressions, against moments worked out by hand.

use growler_base::civil::Civil;
use growler_table::config::Cron;

fn seconds(text: &str) -> i64 {
    let numbers: Vec<i64> = text
        .split(['-', ' ', ':'])
        .map(|part| part.parse().unwrap())
        .collect();
    let [year, month, day, hour, minute, second] = numbers[..] else {
        panic!("{text}");
    };
    Civil { year, month, day }.to_days() * 86_400 + hour * 3_600 + minute * 60 + second
}

#[test]
fn the_next_moment() {
    for (expression, after, expected) in [
        (
            "0 */30 * * * ?",
            "2026-11-30 20:31:07",
            "2026-11-30 21:00:00",
        ),
        (
            "0 0/5 * * * ?",
            "2026-11-30 20:55:00",
            "2026-11-30 21:00:00",
        ),
        (
            "0 0/5 * * * ?",
            "2026-11-30 20:54:59",
            "2026-11-30 20:55:00",
        ),
        (
            "*/10 * * * * ?",
            "2026-12-31 23:59:55",
            "2027-01-01 00:00:00",
        ),
        (
            "0 15 10 ? * MON-FRI",
            "2026-11-27 10:15:00",
            "2026-11-30 10:15:00",
        ),
        (
            "0 15 10 ? * FRI-MON",
            "2026-12-01 00:00:00",
            "2026-12-04 10:15:00",
        ),
        ("0 0 12 L * ?", "2026-02-01 00:00:00", "2026-02-28 12:00:00"),
        ("0 0 12 L * ?", "2028-02-01 00:00:00", "2028-02-29 12:00:00"),
        (
            "0 0 12 L-3 * ?",
            "2026-11-01 00:00:00",
            "2026-11-27 12:00:00",
        ),
        ("0 0 0 LW * ?", "2026-01-01 00:00:00", "2026-01-30 00:00:00"),
        ("0 0 0 1W * ?", "2026-07-31 12:00:00", "2026-08-03 00:00:00"),
        (
            "0 0 0 15W * ?",
            "2026-11-01 00:00:00",
            "2026-11-16 00:00:00",
        ),
        ("0 0 0 ? * 6L", "2026-11-01 00:00:00", "2026-11-27 00:00:00"),
        (
            "0 0 0 ? * 6#3",
            "2026-11-01 00:00:00",
            "2026-11-20 00:00:00",
        ),
        (
            "0 0 0 ? * SUN",
            "2026-11-30 00:00:00",
            "2026-12-06 00:00:00",
        ),
        ("0 0 0 ? * L", "2026-11-30 00:00:00", "2026-12-05 00:00:00"),
        (
            "0 0 0 29 FEB ?",
            "2026-11-30 00:00:00",
            "2028-02-29 00:00:00",
        ),
        (
            "30 59 23 31 12 ? 2030",
            "2026-11-30 00:00:00",
            "2030-12-31 23:59:30",
        ),
        (
            "0 0 0 1 1 ? 2027/2",
            "2027-01-01 00:00:00",
            "2029-01-01 00:00:00",
        ),
        (
            "0 0 8-10,20 * * *",
            "2026-11-30 10:00:00",
            "2026-11-30 20:00:00",
        ),
        (
            "0 10,44 14 ? 3 WED",
            "2026-03-01 00:00:00",
            "2026-03-04 14:10:00",
        ),
        (
            "0 0 0 * jan-mar/2 ?",
            "2026-02-01 00:00:00",
            "2026-03-01 00:00:00",
        ),
    ] {
        let cron = Cron::parse(expression).unwrap();
        let found = cron.next_after(seconds(after));
        assert_eq!(found, Some(seconds(expected)), "{expression} after {after}");
    }
}

#[test]
fn expressions_that_are_over_or_never_come() {
    for (expression, after) in [
        ("0 0 0 1 1 ? 2020", "2026-01-01 00:00:00"),
        ("0 0 0 30 2 ?", "2026-01-01 00:00:00"),
        ("0 0 0 ? 2 6#5 2027", "2026-01-01 00:00:00"),
    ] {
        assert_eq!(
            Cron::parse(expression).unwrap().next_after(seconds(after)),
            None,
            "{expression}"
        );
    }
    let every_second = Cron::parse("* * * * * ?").unwrap();
    assert_eq!(every_second.next_after(i64::MAX), None);
    assert_eq!(every_second.next_after(i64::MAX - 1), None);
    assert_eq!(every_second.next_after(i64::MIN), Some(0));
}

#[test]
fn what_is_wrong_with_an_expression() {
    for (expression, expected) in [
        ("", "It has 6 or 7 fields: found=0"),
        ("* * * * *", "It has 6 or 7 fields: found=5"),
        (
            "60 * * * * ?",
            "Wrong seconds, which is from 0 to 59: found=60",
        ),
        (
            "0 a * * * ?",
            "Wrong minutes, which is from 0 to 59: found=A",
        ),
        (
            "0 0 24 * * ?",
            "Wrong hours, which is from 0 to 23: found=24",
        ),
        (
            "0 0 0 0 * ?",
            "Wrong day of month, which is from 1 to 31: found=0",
        ),
        (
            "0 0 0 L-31 * ?",
            "Wrong day of month, which is from 1 to 31: found=L-31",
        ),
        (
            "0 0 0 W * ?",
            "Wrong day of month, which is from 1 to 31: found=",
        ),
        (
            "0 0 0 ? 13 MON",
            "Wrong month, which is from 1 to 12: found=13",
        ),
        (
            "0 0 0 ? * 8",
            "Wrong day of week, which is from 1 to 7: found=8",
        ),
        (
            "0 0 0 ? * MON#6",
            "Wrong day of week, which is from 1 to 7: found=MON#6",
        ),
        (
            "0 0/0 * * * ?",
            "Wrong minutes, which is from 0 to 59: found=0/0",
        ),
        (
            "0 +5 * * * ?",
            "Wrong minutes, which is from 0 to 59: found=+5",
        ),
        (
            "0 1,,2 * * * ?",
            "Wrong minutes, which is from 0 to 59: found=",
        ),
        (
            "0 0 0 ? * ?",
            "Day of month and day of week cannot both be ?",
        ),
        ("0 0 0 1 * MON", "Day of month or day of week must be ?"),
        (
            "0 0 0 1 * ? 1969",
            "Wrong year, which is from 1970 to 2099: found=1969",
        ),
    ] {
        assert_eq!(
            Cron::parse(expression),
            Err(expected.to_owned()),
            "{expression}"
        );
    }
    assert!(
        Cron::parse(&"*".repeat(600))
            .unwrap_err()
            .starts_with("It is too long")
    );
}
