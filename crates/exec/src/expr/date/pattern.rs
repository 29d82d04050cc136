//! Joda's date-time patterns: `yyyy-MM-dd'T'HH:mm:ss.SSSZ`.

use std::fmt::Write as _;

use growler_base::civil::{Civil, DAY_MS, month_len};

use super::{
    calendar::DateField,
    zone::{Zone, format_offset, parse_offset},
};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// A compiled pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Literal(String),
    Field(char, usize),
}

impl Pattern {
    /// Compiles a pattern; none when a letter has no meaning.
    pub fn parse(pattern: &str) -> Option<Self> {
        let mut items = Vec::new();
        let mut literal = String::new();
        let mut chars = pattern.chars().peekable();
        while let Some(c) = chars.next() {
            if c == '\'' {
                if chars.next_if_eq(&'\'').is_some() {
                    literal.push('\'');
                    continue;
                }
                loop {
                    match chars.next()? {
                        '\'' if chars.next_if_eq(&'\'').is_some() => literal.push('\''),
                        '\'' => break,
                        other => literal.push(other),
                    }
                }
            } else if c.is_ascii_alphabetic() {
                if !"yYxMdDaEeHhKkmsSzZwGC".contains(c) {
                    return None;
                }
                let mut width = 1;
                while chars.next_if_eq(&c).is_some() {
                    width += 1;
                }
                if !literal.is_empty() {
                    items.push(Item::Literal(std::mem::take(&mut literal)));
                }
                items.push(Item::Field(c, width));
            } else {
                literal.push(c);
            }
        }
        if !literal.is_empty() {
            items.push(Item::Literal(literal));
        }
        // Padding is bounded by the widest field.
        items
            .iter()
            .all(|item| !matches!(item, Item::Field(_, 33..)))
            .then_some(Self { items })
    }

    /// Appends the text of a moment in a zone.
    pub fn format(&self, utc_ms: i64, zone: Zone, out: &mut String) {
        for item in &self.items {
            match item {
                Item::Literal(text) => out.push_str(text),
                Item::Field(letter, width) => field(*letter, *width, utc_ms, zone, out),
            }
        }
    }

    /// Reads a text in a zone, or the one the text names; none when it does not match.
    pub fn read(&self, text: &str, zone: Zone) -> Option<i64> {
        let mut fields = Fields {
            zone,
            ..Fields::default()
        };
        let mut rest = text;
        for (idx, item) in self.items.iter().enumerate() {
            match item {
                Item::Literal(literal) => rest = rest.strip_prefix(literal.as_str())?,
                Item::Field(letter, width) => {
                    let next_is_number = matches!(
                        self.items.get(idx + 1),
                        Some(Item::Field(next, width)) if is_number(*next, *width)
                    );
                    let limit = if next_is_number {
                        *width
                    } else {
                        9.max(*width)
                    };
                    rest = fields.take(*letter, *width, limit, rest)?;
                }
            }
        }
        rest.is_empty().then(|| fields.moment())?
    }
}

fn is_number(letter: char, width: usize) -> bool {
    match letter {
        'M' => width <= 2,
        'y' | 'Y' | 'x' | 'd' | 'D' | 'e' | 'H' | 'h' | 'K' | 'k' | 'm' | 's' | 'S' | 'w' | 'C' => {
            true
        }
        _ => false,
    }
}

fn field(letter: char, width: usize, utc_ms: i64, zone: Zone, out: &mut String) {
    let value = |field: DateField| field.of(utc_ms, zone);
    let number = match letter {
        'y' | 'Y' | 'x' => {
            let year = value(if letter == 'x' {
                DateField::YearOfWeek
            } else {
                DateField::Year
            });
            let year = if letter == 'Y' && year <= 0 {
                1 - year
            } else {
                year
            };
            if width == 2 {
                year.rem_euclid(100)
            } else {
                year
            }
        }
        'C' => value(DateField::Year).div_euclid(100),
        'M' if width <= 2 => value(DateField::Month),
        'd' => value(DateField::DayOfMonth),
        'D' => value(DateField::DayOfYear),
        'e' => value(DateField::DayOfWeek),
        'w' => value(DateField::Week),
        'H' => value(DateField::Hour),
        'h' => (value(DateField::Hour) + 11) % 12 + 1,
        'K' => value(DateField::Hour) % 12,
        'k' => (value(DateField::Hour) + 23) % 24 + 1,
        'm' => value(DateField::Minute),
        's' => value(DateField::Second),
        'S' => {
            let digits = format!("{:03}", value(DateField::Millisecond));
            let _ = write!(
                out,
                "{:0<width$}",
                digits.get(..width.min(3)).unwrap_or(&digits)
            );
            return;
        }
        _ => {
            words(letter, width, utc_ms, zone, out);
            return;
        }
    };
    if number < 0 {
        out.push('-');
    }
    let _ = write!(out, "{:0>width$}", number.unsigned_abs());
}

fn words(letter: char, width: usize, utc_ms: i64, zone: Zone, out: &mut String) {
    let value = |field: DateField| field.of(utc_ms, zone);
    let name = |names: &[&'static str], number: i64| {
        let idx = usize::try_from(number - 1).unwrap_or(0);
        let name = names.get(idx).copied().unwrap_or_default();
        if width < 4 {
            name.get(..3).unwrap_or(name)
        } else {
            name
        }
    };
    match letter {
        'M' => out.push_str(name(&MONTHS, value(DateField::Month))),
        'E' => out.push_str(name(&DAYS, value(DateField::DayOfWeek))),
        'a' => out.push_str(if value(DateField::Hour) < 12 {
            "AM"
        } else {
            "PM"
        }),
        'G' => out.push_str(if value(DateField::Year) > 0 {
            "AD"
        } else {
            "BC"
        }),
        'Z' if width >= 3 => out.push_str(&zone.name()),
        'Z' => out.push_str(&format_offset(zone.offset_at(utc_ms), width == 2)),
        _ => out.push_str(&zone.name()),
    }
}

/// What a text says.
#[derive(Debug, Clone, Copy)]
struct Fields {
    year: i64,
    before_christ: bool,
    month: i64,
    day: i64,
    day_of_year: Option<i64>,
    hour: i64,
    afternoon: Option<bool>,
    minute: i64,
    second: i64,
    ms: i64,
    zone: Zone,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            year: 1970,
            before_christ: false,
            month: 1,
            day: 1,
            day_of_year: None,
            hour: 0,
            afternoon: None,
            minute: 0,
            second: 0,
            ms: 0,
            zone: super::zone::UTC,
        }
    }
}

impl Fields {
    /// Reads one field and returns what is left of the text.
    fn take<'t>(
        &mut self,
        letter: char,
        width: usize,
        limit: usize,
        text: &'t str,
    ) -> Option<&'t str> {
        if letter == 'S' {
            let (digits, rest) = split_digits(text, limit.max(3))?;
            let three: String = digits.chars().chain("000".chars()).take(3).collect();
            self.ms = three.parse().ok()?;
            return Some(rest);
        }
        if !is_number(letter, width) {
            return self.take_word(letter, text);
        }
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) if matches!(letter, 'y' | 'x') => (true, rest),
            _ => (false, text),
        };
        let (digits, rest) = split_digits(unsigned, limit)?;
        let number: i64 = digits.parse().ok()?;
        match letter {
            'y' | 'Y' | 'x' if width == 2 && digits.len() == 2 => {
                self.year = number + if number < 46 { 2000 } else { 1900 };
            }
            'y' | 'Y' | 'x' => self.year = if negative { -number } else { number },
            'M' => self.month = number,
            'd' => self.day = number,
            'D' => self.day_of_year = Some(number),
            'H' => self.hour = number,
            'k' => self.hour = number % 24,
            'h' | 'K' => {
                self.hour = number % 12;
                self.afternoon = self.afternoon.or(Some(false));
            }
            'm' => self.minute = number,
            's' => self.second = number,
            // Day and number of the week add nothing to a date.
            _ => {}
        }
        Some(rest)
    }

    fn take_word<'t>(&mut self, letter: char, text: &'t str) -> Option<&'t str> {
        match letter {
            'M' => {
                let (idx, rest) = strip_name(text, &MONTHS)?;
                self.month = idx + 1;
                Some(rest)
            }
            'E' => strip_name(text, &DAYS).map(|(_, rest)| rest),
            'a' | 'G' => {
                let (word, rest) = text.split_at_checked(2)?;
                match word.to_ascii_uppercase().as_str() {
                    "AM" => self.afternoon = Some(false),
                    "PM" => self.afternoon = Some(true),
                    "AD" => {}
                    "BC" => self.before_christ = true,
                    _ => return None,
                }
                Some(rest)
            }
            _ => {
                let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"/_+-:".contains(c));
                let (name, rest) = text.split_at(end.unwrap_or(text.len()));
                self.zone = match parse_offset(name) {
                    Some(offset) => Zone::Fixed(offset),
                    None => Zone::parse(name)?,
                };
                Some(rest)
            }
        }
    }

    fn moment(self) -> Option<i64> {
        let year = if self.before_christ {
            1 - self.year
        } else {
            self.year
        };
        let hour = match self.afternoon {
            Some(true) if self.hour < 12 => self.hour + 12,
            _ => self.hour,
        };
        let in_range = (1..=12).contains(&self.month)
            && (1..=month_len(year, self.month)).contains(&self.day)
            && hour < 24
            && self.minute < 60
            && self.second < 60
            && year.abs() < 1_000_000;
        if !in_range {
            return None;
        }
        let days = match self.day_of_year {
            Some(day) if (1..=366).contains(&day) => Civil {
                year,
                month: 1,
                day,
            }
            .to_days(),
            Some(_) => return None,
            None => Civil {
                year,
                month: self.month,
                day: self.day,
            }
            .to_days(),
        };
        let time = ((hour * 60 + self.minute) * 60 + self.second) * 1_000 + self.ms;
        Some(self.zone.resolve_local(days * DAY_MS + time))
    }
}

fn split_digits(text: &str, limit: usize) -> Option<(&str, &str)> {
    let len = text
        .bytes()
        .take(limit)
        .take_while(u8::is_ascii_digit)
        .count();
    if len == 0 {
        None
    } else {
        text.split_at_checked(len)
    }
}

/// Strips a name or its first three letters, in any case.
fn strip_name<'t>(text: &'t str, names: &[&str]) -> Option<(i64, &'t str)> {
    for (idx, name) in names.iter().enumerate() {
        for len in [name.len(), 3] {
            if let (Some(start), Some(short)) = (text.get(..len), name.get(..len))
                && start.eq_ignore_ascii_case(short)
            {
                return Some((i64::try_from(idx).ok()?, text.get(len..)?));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::date::zone::UTC;

    const MOMENT: i64 = 1_758_649_092_345; // 2025-09-23 17:38:12.345

    #[test]
    fn formats() {
        let cases = [
            ("yyyy-MM-dd HH:mm:ss.SSS", "UTC", "2025-09-23 17:38:12.345"),
            ("yyyyMMdd", "UTC", "20250923"),
            ("yy/M/d", "UTC", "25/9/23"),
            ("EEE, d MMM yyyy", "UTC", "Tue, 23 Sep 2025"),
            ("EEEE MMMM", "UTC", "Tuesday September"),
            ("hh:mm a", "UTC", "05:38 PM"),
            ("kk K", "UTC", "17 5"),
            ("xxxx-'W'ww-e", "UTC", "2025-W39-2"),
            ("D", "UTC", "266"),
            (
                "yyyy-MM-dd'T'HH:mm:ssZ",
                "America/Los_Angeles",
                "2025-09-23T10:38:12-0700",
            ),
            ("HH ZZ", "Asia/Kolkata", "23 +05:30"),
            ("HH z", "UTC", "17 UTC"),
            ("'it''s' S SSSSS", "UTC", "it's 3 34500"),
        ];
        for (pattern, zone, expected) in cases {
            let mut text = String::new();
            let zone = Zone::parse(zone).unwrap();
            Pattern::parse(pattern)
                .unwrap()
                .format(MOMENT, zone, &mut text);
            assert_eq!(text, expected, "{pattern}");
        }
        assert!(Pattern::parse("yyyy-QQ").is_none());
        assert!(Pattern::parse("'open").is_none());
    }

    #[test]
    fn reads() {
        let day = MOMENT - MOMENT % DAY_MS;
        let cases = [
            (
                "yyyy-MM-dd HH:mm:ss.SSS",
                "2025-09-23 17:38:12.345",
                Some(MOMENT),
            ),
            ("yyyyMMdd", "20250923", Some(day)),
            ("yyyyMMddHHmmssSSS", "20250923173812345", Some(MOMENT)),
            ("d MMM yyyy", "23 sep 2025", Some(day)),
            ("MMMM d, yyyy", "September 23, 2025", Some(day)),
            ("yyyy-MM-dd hh a", "2025-09-23 12 AM", Some(day)),
            (
                "yyyy-MM-dd hh a",
                "2025-09-23 05 PM",
                Some(day + 17 * 3_600_000),
            ),
            (
                "yyyy-MM-dd'T'HH:mm:ssZ",
                "2025-09-23T10:38:12-07:00",
                Some(MOMENT - 345),
            ),
            ("yyyy-DDD", "2025-266", Some(day)),
            ("yy-M-d", "25-9-23", Some(day)),
            ("yyyy-MM-dd", "2025-02-30", None),
            ("yyyy-MM-dd", "2025-09-23x", None),
            ("yyyy-MM-dd", "null", None),
            ("yyyy", "", None),
        ];
        for (pattern, text, expected) in cases {
            let pattern = Pattern::parse(pattern).unwrap();
            assert_eq!(pattern.read(text, UTC), expected, "{pattern:?} {text}");
        }
    }
}
