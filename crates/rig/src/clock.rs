//! The one clock of the rig.

/// Nanoseconds of `CLOCK_MONOTONIC`.
///
/// [`std::time::Instant`] reads the same clock but hides its value; here the value itself is needed,
/// because times taken in different processes are compared. Costs about 25 ns (vDSO, no system call).
#[must_use]
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    #[allow(unsafe_code, reason = "std offers no comparable value of the monotonic clock")]
    // SAFETY: `time` is a valid, writable timespec for the duration of the call.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    assert_eq!(status, 0, "every Linux has CLOCK_MONOTONIC");
    let (seconds, nanoseconds) = (time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs());
    seconds * 1_000_000_000 + nanoseconds
}

/// Seconds between two readings; negative if `end` is before `start`.
#[must_use]
pub(crate) fn seconds(start: u64, end: u64) -> f64 {
    let nanoseconds = i128::from(end) - i128::from(start);
    nanoseconds as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_agrees_with_std() {
        let (begun, first) = (std::time::Instant::now(), now());
        std::thread::sleep(std::time::Duration::from_millis(20));
        let (ours, theirs) = (seconds(first, now()), begun.elapsed().as_secs_f64());
        assert!(ours >= 0.02 && theirs >= ours - 1e-3, "ours {ours}, std's {theirs}");
    }

    #[test]
    fn differences_are_signed() {
        assert_eq!(seconds(3_000_000_000, 1_000_000_000), -2.0);
    }
}
