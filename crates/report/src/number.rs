//! How numbers are written: rounded with a prefix for people, exactly for programs.

use cost::Unit;

/// Significant digits that people get to see.
const DIGITS: usize = 4;

/// A quantity for people: four significant digits and the prefix that fits, such as `12.34 us`.
///
/// Zeros that carry no information are dropped when the short form is exact (`6 s`, `1.5 ms`). Cycles
/// have no prefixes and are written with an exponent that is a multiple of three (`1.2e6 cycles`).
#[must_use]
pub fn quantity(value: f64, unit: Unit) -> String {
    if !value.is_finite() {
        return format!("{} {unit}", non_finite(value));
    }
    match Unit::Seconds.convert_from(value, unit) {
        Some(seconds) => time(seconds),
        None => format!("{} {unit}", engineering(value)),
    }
}

/// Seconds with a prefix; the shortest prefix is pico, from 1000 s on nothing is abbreviated.
fn time(seconds: f64) -> String {
    let (mantissa, exponent) = split(seconds, -12, 0);
    let symbol = match exponent {
        0 => "s",
        -3 => "ms",
        -6 => "us",
        -9 => "ns",
        _ => "ps",
    };
    format!("{mantissa} {symbol}")
}

fn engineering(value: f64) -> String {
    match split(value, -30, 30) {
        (mantissa, 0) => mantissa,
        (mantissa, exponent) => format!("{mantissa}e{exponent}"),
    }
}

/// A plain number for people: counts as they are, others with four significant digits and exponents in
/// multiples of three.
pub(crate) fn plain(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e9 {
        return format!("{value}");
    }
    if value.is_finite() { engineering(value) } else { non_finite(value) }
}

/// Splits into a mantissa of four significant digits and an exponent that is a multiple of three in
/// `lowest..=highest`.
fn split(value: f64, lowest: i32, highest: i32) -> (String, i32) {
    if value == 0.0 {
        return ("0".to_owned(), 0);
    }
    // Rounding first, so that 999.96 moves on to the next prefix instead of becoming `1000`.
    let rounded: f64 = format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value);
    let magnitude = rounded.abs().log10().floor();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the decimal exponent of a finite f64 is within +-324"
    )]
    let exponent = ((magnitude as i32).div_euclid(3) * 3).clamp(lowest, highest);
    let scaled = if exponent < 0 { rounded * 10f64.powi(-exponent) } else { rounded / 10f64.powi(exponent) };
    let exact = if exponent < 0 { value * 10f64.powi(-exponent) } else { value / 10f64.powi(exponent) };
    (significant(scaled, exact), exponent)
}

/// `scaled` (already rounded) with as many decimals as four significant digits need; without trailing
/// zeros where that equals `exact`.
fn significant(scaled: f64, exact: f64) -> String {
    let mut before = 1;
    while before < DIGITS && scaled.abs() >= 10f64.powi(i32::try_from(before).unwrap_or(0)) {
        before += 1;
    }
    let text = format!("{scaled:.*}", DIGITS - before);
    let tiny = exact.abs() * 1e-12;
    if text.contains('.') && (scaled - exact).abs() <= tiny {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

fn non_finite(value: f64) -> String {
    if value.is_nan() {
        "not a number".to_owned()
    } else if value > 0.0 {
        "infinite".to_owned()
    } else {
        "-infinite".to_owned()
    }
}

/// A number for programs: the shortest text that reads back as the same `f64`.
#[must_use]
pub fn exact(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e15).contains(&magnitude) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

/// A fraction as a percentage with one decimal: `0.054` is `5.4 %`; below 0.1 % two digits are kept.
#[must_use]
pub fn percent(fraction: f64) -> String {
    let value = fraction * 100.0;
    if !value.is_finite() {
        return format!("{} %", non_finite(value));
    }
    if value == 0.0 {
        "0 %".to_owned()
    } else if value.abs() < 0.1 {
        format!("{value:.1e} %")
    } else {
        format!("{value:.1} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_get_four_digits_and_a_prefix() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (6.0, "6 s"),
            (0.0015, "1.5 ms"),
            (1.51000032e-4, "151.0 us"),
            (5.17e-9, "5.17 ns"),
            (999.96e-6, "1.000 ms"),
            (999.94e-6, "999.9 us"),
            (-12.345_678e-6, "-12.35 us"),
            (1234.5678, "1235 s"),
            (123_456.0, "123500 s"),
            (3.2e-13, "0.32 ps"),
            (f64::INFINITY, "infinite s"),
            (f64::NAN, "not a number s"),
        ] {
            assert_eq!(quantity(seconds, Unit::Seconds), text, "{seconds}");
        }
    }

    #[test]
    fn the_unit_of_the_model_does_not_change_what_people_read() {
        assert_eq!(quantity(1500.0, Unit::Microseconds), "1.5 ms");
        assert_eq!(quantity(1.5, Unit::Milliseconds), "1.5 ms");
        assert_eq!(quantity(1_234_567.0, Unit::Cycles), "1.235e6 cycles");
        assert_eq!(quantity(12.0, Unit::Cycles), "12 cycles");
    }

    #[test]
    fn programs_get_what_reads_back() {
        for value in [0.0, 6.0, 5.17e-9, 1.51000032e-4, 0.1 + 0.2, 1e300, -2.5, f64::MIN_POSITIVE, 123_456.75]
        {
            assert_eq!(exact(value).parse::<f64>().unwrap().to_bits(), value.to_bits(), "{value}");
        }
        assert_eq!(exact(5.17e-9), "5.17e-9");
        assert_eq!(exact(6.0), "6");
    }

    #[test]
    fn counts_are_not_rounded() {
        assert_eq!(plain(65_536.0), "65536");
        assert_eq!(plain(1.0 / 3.0), "333.3e-3");
        assert_eq!(plain(-0.0), "-0");
        assert_eq!(plain(1.23e12), "1.23e12");
    }

    #[test]
    fn percentages() {
        assert_eq!(percent(0.0543), "5.4 %");
        assert_eq!(percent(-0.0543), "-5.4 %");
        assert_eq!(percent(0.000_012), "1.2e-3 %");
        assert_eq!(percent(0.0), "0 %");
    }
}
