//! Which cores the roles run on.

use std::io;

use serde::{Deserialize, Serialize};

/// How roles are put on cores.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Placement {
    /// The operating system's scheduler decides, and may change its mind at any time.
    #[default]
    Scheduler,
    /// Role `i` stays on the `i`-th core that this process may use, starting over after the last.
    RoundRobin,
    /// Role `i` stays on the core of this number; as many numbers as roles.
    Cores(Vec<usize>),
}

impl Placement {
    /// The core of each of `roles` roles; `None` where the scheduler decides.
    ///
    /// # Errors
    /// If the operating system does not tell the cores that this process may use.
    pub fn cores(&self, roles: usize) -> io::Result<Vec<Option<usize>>> {
        match self {
            Placement::Scheduler => Ok(vec![None; roles]),
            Placement::RoundRobin => {
                let allowed = allowed_cores()?;
                Ok((0..roles).map(|role| Some(allowed[role % allowed.len()])).collect())
            }
            Placement::Cores(cores) => Ok((0..roles).map(|role| cores.get(role).copied()).collect()),
        }
    }
}

/// The cores that this process may use, ascending; never empty.
///
/// # Errors
/// The operating system's, if it does not tell.
pub fn allowed_cores() -> io::Result<Vec<usize>> {
    let mut set = empty_set();
    #[allow(unsafe_code, reason = "std knows how many cores there are, not which")]
    // SAFETY: `set` is a writable cpu_set_t of the stated size; process 0 is the caller.
    let status = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) };
    if status != 0 {
        return Err(io::Error::last_os_error());
    }
    #[allow(unsafe_code, reason = "libc's accessors of cpu_set_t are unsafe")]
    // SAFETY: every index is below the number of bits of a cpu_set_t.
    let cores = (0..set_size()).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) }).collect();
    Ok(cores)
}

/// Keeps the calling thread on one core.
///
/// # Errors
/// The operating system's, if the core does not exist or is not allowed.
pub(crate) fn pin(core: usize) -> io::Result<()> {
    if core >= set_size() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("there is no core {core}")));
    }
    let mut set = empty_set();
    #[allow(unsafe_code, reason = "std cannot bind a thread to a core")]
    // SAFETY: `core` is below the number of bits of the set; thread 0 is the caller; `set` is valid for the
    // call and has the stated size.
    let status = unsafe {
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set)
    };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn set_size() -> usize {
    size_of::<libc::cpu_set_t>() * 8
}

fn empty_set() -> libc::cpu_set_t {
    #[allow(unsafe_code, reason = "cpu_set_t has no constructor")]
    // SAFETY: cpu_set_t is a plain array of bits; all zeros is the empty set.
    unsafe {
        std::mem::zeroed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_robin_starts_over_after_the_last_core() {
        let allowed = allowed_cores().unwrap();
        let cores = Placement::RoundRobin.cores(allowed.len() + 1).unwrap();
        assert_eq!(cores[0], Some(allowed[0]));
        assert_eq!(cores[allowed.len()], Some(allowed[0]));
        assert_eq!(Placement::Scheduler.cores(2).unwrap(), [None, None]);
        assert_eq!(Placement::Cores(vec![5]).cores(1).unwrap(), [Some(5)]);
    }

    #[test]
    fn a_pinned_thread_is_allowed_one_core() {
        let first = allowed_cores().unwrap()[0];
        let seen = std::thread::spawn(move || pin(first).and_then(|()| allowed_cores())).join().unwrap();
        assert_eq!(seen.unwrap(), [first]);
        assert!(pin(usize::MAX).is_err());
    }
}
