//! Keeping cores from falling asleep while roles wait.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::affinity::pin;

/// Whoever holds this file open after writing a number of microseconds to it bounds the time that idle cores may
/// take to come back (Linux, `Documentation/power/pm_qos_interface.rst`).
const LATENCY_BOUND: &str = "/dev/cpu_dma_latency";

/// Says by what means cores idle; `none` where the bound has no effect.
const IDLE_DRIVER: &str = "/sys/devices/system/cpu/cpuidle/current_driver";

/// Keeps cores awake while it lives.
///
/// A core without work halts, and the longer it has halted the longer it takes to come back; on a virtual
/// machine the host takes it away altogether. The time to wake a role then depends on how long it slept, which
/// no cost model says.
///
/// With the privilege to do so, the kernel is told to keep idle cores polling, as real-time tests do
/// (`cyclictest`). Without, each core gets a thread of the lowest class, `SCHED_IDLE`, that does nothing but give
/// way to others. That is dearer (waking is a context switch), so that numbers taken one way do not hold for the
/// other: [`KeepAwake::means`] goes into the environment of both.
#[derive(Debug)]
pub struct KeepAwake {
    means: Means,
}

#[derive(Debug)]
enum Means {
    /// The kernel's bound holds as long as the file is open.
    Bound { _open: File },
    /// Threads that occupy the cores.
    Threads { _running: IdleThreads },
}

#[derive(Debug, Default)]
struct IdleThreads {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl KeepAwake {
    /// Keeps `cores` awake; with the necessary privilege, all cores.
    ///
    /// # Errors
    /// The operating system's, if it refuses the threads.
    pub fn new(cores: &[usize]) -> io::Result<Self> {
        let means = match bound_latency() {
            Ok(file) => Means::Bound { _open: file },
            Err(_) => Means::Threads { _running: IdleThreads::new(cores)? },
        };
        Ok(Self { means })
    }

    /// By what means, in a few words.
    #[must_use]
    pub fn means(&self) -> &'static str {
        match self.means {
            Means::Bound { .. } => "idle cores polling",
            Means::Threads { .. } => "cores kept busy by idle threads",
        }
    }
}

fn bound_latency() -> io::Result<File> {
    if fs::read_to_string(IDLE_DRIVER)?.trim() == "none" {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let mut file = OpenOptions::new().write(true).open(LATENCY_BOUND)?;
    file.write_all(&0_i32.to_ne_bytes())?;
    Ok(file)
}

impl IdleThreads {
    fn new(cores: &[usize]) -> io::Result<Self> {
        let mut idle = Self::default();
        for &core in cores {
            let stop = Arc::clone(&idle.stop);
            let thread = std::thread::Builder::new()
                .name(format!("awake-{core}"))
                .stack_size(64 << 10)
                .spawn(move || stay_busy(core, &stop))?;
            idle.threads.push(thread);
        }
        Ok(idle)
    }
}

impl Drop for IdleThreads {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // Nothing in these threads can panic.
            let _ = thread.join();
        }
    }
}

fn stay_busy(core: usize, stop: &AtomicBool) {
    let parameter = libc::sched_param { sched_priority: 0 };
    #[allow(unsafe_code, reason = "std cannot choose a scheduling class")]
    // SAFETY: thread 0 is the caller; `parameter` is valid for the call.
    let status = unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameter) };
    // A thread that would compete with the roles, or that cannot keep to its core, does more harm than good.
    if status != 0 || pin(core).is_err() {
        return;
    }
    while !stop.load(Ordering::Relaxed) {
        for _ in 0..30 {
            std::hint::spin_loop();
        }
        // A role that has had more than its share of the core is not eligible for a while when it wakes, and the
        // fair scheduler then prefers even this thread, for milliseconds; unless it gives way by itself.
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affinity::allowed_cores;

    #[test]
    fn kept_cores_are_let_go() {
        let first = allowed_cores().unwrap()[0];
        let awake = KeepAwake::new(&[first]).unwrap();
        assert!(awake.means().contains("cores"));
        drop(awake);
        let idle = IdleThreads::new(&[first]).unwrap();
        let stop = Arc::clone(&idle.stop);
        assert_eq!(idle.threads.len(), 1);
        drop(idle);
        assert!(stop.load(Ordering::Relaxed));
        assert_eq!(Arc::strong_count(&stop), 1, "the thread is gone");
    }
}
