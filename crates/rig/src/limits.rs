//! How many sockets this process may hold.

use std::io;

/// Files that are open besides the channels: standard streams, listeners, pipes to processes.
const OTHERS: u64 = 64;

/// Raises this process's own limit on open files, if `sockets` more would not fit under it and the
/// administrator's limit allows.
///
/// Nothing is lost by raising it, and a run of many roles needs it: the usual limit of 1024 is for programs that
/// hand file numbers to `select`, which has room for no more.
///
/// # Errors
/// The operating system's, if it does not tell or set the limit. A limit that is too low still is no error
/// here: opening the sockets will be.
pub(crate) fn allow_sockets(sockets: usize) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    #[allow(unsafe_code, reason = "std does not know resource limits")]
    // SAFETY: `limit` is a valid, writable rlimit for the duration of the call.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    if status != 0 {
        return Err(io::Error::last_os_error());
    }
    let needed = (sockets as u64).saturating_add(OTHERS);
    if limit.rlim_cur >= needed || limit.rlim_cur >= limit.rlim_max {
        return Ok(());
    }
    limit.rlim_cur = needed.min(limit.rlim_max);
    #[allow(unsafe_code, reason = "std does not know resource limits")]
    // SAFETY: `limit` is a valid rlimit for the duration of the call.
    let status = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
