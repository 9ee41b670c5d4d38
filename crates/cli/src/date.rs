//! Today's date, for observations.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today in Greenwich as `YYYY-MM-DD`; the epoch where the clock stands before it.
pub(crate) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    civil(seconds / 86_400)
}

/// The date of a day, counted from 1970-01-01, in the Gregorian calendar. Years are taken to begin in
/// March, so that the day that comes and goes is the last of its year.
fn civil(day: u64) -> String {
    let day = day + 719_468;
    let era = day / 146_097;
    let of_era = day % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{of_month:02}", year + era * 400 + next)
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn known_days() {
        for (day, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (20_787, "2026-11-30"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(civil(day), date, "{day}");
        }
    }
}
