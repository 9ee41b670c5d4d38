//! Keeping cores from falling asleep while roles wait.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::affinity::pin;

/// Keeps cores awake while it lives: on each runs a thread of the lowest class, `SCHED_IDLE`, that does nothing
/// but give way to others.
///
/// A core without work halts, and the longer it has halted the longer it takes to come back; on a virtual
/// machine the host takes it away altogether. The time to wake a role then depends on how long it slept, which
/// no cost model says. With the core awake, waking is a context switch.
///
/// A privileged process could instead ask the kernel to keep idle cores polling (`/dev/cpu_dma_latency`). Waking
/// is then cheaper still, but who runs a protocol should get the same numbers whatever the privileges.
#[derive(Debug, Default)]
pub struct KeepAwake {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl KeepAwake {
    /// What it does, in a few words: part of the environment of what is measured meanwhile.
    pub(crate) const DESCRIPTION: &'static str = "cores kept awake by idle threads";

    /// Keeps `cores` awake.
    ///
    /// # Errors
    /// The operating system's, if it refuses the threads.
    pub fn new(cores: &[usize]) -> io::Result<Self> {
        let mut awake = Self::default();
        for &core in cores {
            let stop = Arc::clone(&awake.stop);
            let thread = std::thread::Builder::new()
                .name(format!("awake-{core}"))
                .stack_size(64 << 10)
                .spawn(move || stay_busy(core, &stop))?;
            awake.threads.push(thread);
        }
        Ok(awake)
    }
}

impl Drop for KeepAwake {
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
        let stop = Arc::clone(&awake.stop);
        assert_eq!(awake.threads.len(), 1);
        drop(awake);
        assert!(stop.load(Ordering::Relaxed));
        assert_eq!(Arc::strong_count(&stop), 1, "the thread is gone");
    }
}
