//! Times as most programs log them: RFC 3339, such as `2026-11-18T08:21:49.25Z`.

/// The nanoseconds from the beginning of 1970 to a time; what is less is cut off. `None` if this is none. A space may be in the
/// place of the `T`.
pub(crate) fn nanoseconds_since_1970(text: &str) -> Option<i128> {
    let (day, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let at = rest.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = rest.split_at(at);
    let [year, month, day] = parts(day, '-')?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let [hour, minute, second] = parts(clock, ':')?;
    let nanoseconds = number(format!("{fraction:0<9}").get(..9).filter(|_| is_number(fraction))?)?;
    let ahead = match zone.split_at(1) {
        ("Z" | "z", "") => 0,
        (sign, zone) => {
            let (hours, minutes) = zone.split_once(':')?;
            let minutes = 60 * number(hours)? + number(minutes)?;
            if sign == "-" { -minutes } else { minutes }
        }
    };
    let is_valid = (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    let minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute - ahead;
    is_valid.then(|| i128::from(minutes * 60 + second) * 1_000_000_000 + i128::from(nanoseconds))
}

fn parts(text: &str, between: char) -> Option<[i64; 3]> {
    let mut parts = text.split(between).map(number);
    let found = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(found)
}

fn number(text: &str) -> Option<i64> {
    if is_number(text) { text.parse().ok() } else { None }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The days of a month.
fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from the beginning of 1970 to a day. Years are counted from March on, so that a leap day is the last one of its year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days_to_month = (153 * month + 2) / 5;
    365 * year + year / 4 - year / 100 + year / 400 + days_to_month + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_nanoseconds_since_1970() {
        let known = [
            ("1970-01-01T00:00:00.00000002Z", 20),
            ("2000-03-01T00:00:00Z", 951_868_800_000_000_000),
            ("2000-02-29 23:59:59.5z", 951_868_799_500_000_000),
            ("2026-11-18T08:21:49.25+02:00", 1_794_982_909_250_000_000),
            ("2026-11-18T08:21:49-00:30", 1_794_991_909_000_000_000),
        ];
        for (text, nanoseconds) in known {
            assert_eq!(nanoseconds_since_1970(text), Some(nanoseconds), "{text}");
        }
        let wrong = [
            "",
            "now",
            "2026-11-18",
            "2026-11-18T08:21:49",
            "2026-13-18T08:21:49Z",
            "2026-02-30T08:21:49Z",
            "2026-11-18T08:21:49.Z",
            "2026-11-18T8:2Z",
            "é026-11-18T",
        ];
        for text in wrong {
            assert_eq!(nanoseconds_since_1970(text), None, "{text}");
        }
    }
}
