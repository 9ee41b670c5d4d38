//! On what the numbers were measured.

use std::fs;

/// Cores, kernel and processor in one line, for provenance: `2 cores Intel Xeon, Linux 6.18`.
///
/// What the system does not tell is left out.
#[must_use]
pub fn environment() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| processor(&text));
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    let mut parts = vec![format!("{cores} core{}", if cores == 1 { "" } else { "s" })];
    if let Some(processor) = processor {
        parts[0] = format!("{} {processor}", parts[0]);
    }
    if let Some(kernel) = kernel {
        parts.push(format!("Linux {}", kernel.trim()));
    }
    parts.join(", ")
}

/// The processor's name in the text of `/proc/cpuinfo`, without trade marks.
fn processor(text: &str) -> Option<String> {
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'))?.1;
    let plain = name.replace("(R)", "").replace("(TM)", "");
    Some(plain.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named_without_trade_marks() {
        let text = "processor\t: 0\nmodel name\t: Intel(R) Xeon(R)  Processor\nflags\t: fpu\n";
        assert_eq!(processor(text).as_deref(), Some("Intel Xeon Processor"));
        assert_eq!(processor("processor: 0\n"), None);
    }

    #[test]
    fn the_environment_tells_the_cores() {
        assert!(environment().contains("core"), "{}", environment());
    }
}
