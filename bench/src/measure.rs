//! Times, memory and the line through them.

use std::time::Instant;

/// Median time of `repeats` runs of a case in seconds, after one run that is not counted, and the last
/// run's result.
pub(crate) fn median<T>(repeats: usize, case: impl Fn() -> T) -> (f64, T) {
    let mut result = case();
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..repeats.max(1) {
        let start = Instant::now();
        let next = case();
        times.push(start.elapsed().as_secs_f64());
        result = next;
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], result)
}

/// Largest resident memory of this process so far in bytes (`VmHWM` of proc(5)); `None` where the
/// system does not say.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// The exponent `e` of the least-squares fit `time = factor * size^e`, from `(size, time)` pairs.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(size, time)| (size.ln(), time.ln())).collect();
    let count = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), (a, b)| (x + a / count, y + b / count));
    let (above, below) = logs
        .iter()
        .fold((0.0, 0.0), |(above, below), (a, b)| (above + (a - x) * (b - y), below + (a - x) * (a - x)));
    above / below
}

/// Processor, number of cores, system and date, in one line.
pub(crate) fn machine() -> String {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("unknown processor");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let seconds = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
    let model = model.trim_start_matches(['\t', ' ', ':']);
    format!("{model}, {cores} cores, Linux {}, {}", kernel.trim(), date(seconds / 86_400))
}

/// The calendar date of a number of days since 1970-01-01 (Gregorian, UTC).
fn date(days: u64) -> String {
    let mut rest = days;
    let mut year = 1970;
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while rest >= 365 + u64::from(leap(year)) {
        rest -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while rest >= lengths[month] {
        rest -= lengths[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02}", month + 1, rest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponent_of_a_power() {
        let points: Vec<(f64, f64)> = [1e3_f64, 1e4, 1e5].iter().map(|n| (*n, 3e-7 * n.powf(1.25))).collect();
        assert!((exponent(&points) - 1.25).abs() < 1e-12);
    }

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_787), "2026-11-30");
    }

    #[test]
    fn memory_is_measured() {
        assert!(peak_memory().is_none_or(|bytes| bytes > 100_000));
    }
}
