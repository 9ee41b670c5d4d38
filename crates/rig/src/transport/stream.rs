//! Channels over connected stream sockets: loopback TCP and Unix sockets.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// A connected stream socket, usable from two threads at once: one works, another may shut it down.
#[derive(Debug)]
pub(crate) enum Stream {
    /// Loopback TCP.
    Tcp(TcpStream),
    /// A Unix socket.
    Unix(UnixStream),
}

impl Stream {
    /// Reads into the front of `buffer`; at least one byte, or an error if the peer is gone.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = match self {
                Stream::Tcp(stream) => (&mut &*stream).read(buffer),
                Stream::Unix(stream) => (&mut &*stream).read(buffer),
            };
            match read {
                Ok(0) => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "connection closed")),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    /// Fills all of `buffer`, in as many reads as it takes.
    pub(crate) fn read_exact(&self, buffer: &mut [u8]) -> io::Result<()> {
        let mut filled = 0;
        while filled < buffer.len() {
            filled += self.read(&mut buffer[filled..])?;
        }
        Ok(())
    }

    /// Writes all of `bytes`.
    pub(crate) fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => (&mut &*stream).write_all(bytes),
            Stream::Unix(stream) => (&mut &*stream).write_all(bytes),
        }
    }

    /// Ends both directions: every blocked call on either side returns. Used to end a run early, so a socket
    /// that is already gone is no error.
    pub(crate) fn shutdown(&self) {
        let _ = match self {
            Stream::Tcp(stream) => stream.shutdown(Shutdown::Both),
            Stream::Unix(stream) => stream.shutdown(Shutdown::Both),
        };
    }

    /// Waits up to `milliseconds` (-1: for ever) until something can be read; whether it can.
    pub(crate) fn wait(&self, milliseconds: i32) -> io::Result<bool> {
        let mut poll = libc::pollfd { fd: self.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        loop {
            #[allow(unsafe_code, reason = "std cannot wait for a socket without reading from it")]
            // SAFETY: `poll` is one valid pollfd, and its descriptor is open as long as `self` is borrowed.
            let ready = unsafe { libc::poll(&raw mut poll, 1, milliseconds) };
            let error = io::Error::last_os_error();
            match ready {
                0.. => return Ok(ready > 0),
                _ if error.kind() == io::ErrorKind::Interrupted => {}
                _ => return Err(error),
            }
        }
    }

    fn as_raw_fd(&self) -> RawFd {
        match self {
            Stream::Tcp(stream) => stream.as_raw_fd(),
            Stream::Unix(stream) => stream.as_raw_fd(),
        }
    }
}

/// The sending end: writes messages and, if the channel is bounded, spends credits.
#[derive(Debug)]
pub(crate) struct StreamSender {
    stream: Arc<Stream>,
    /// Messages that may be sent before a credit byte must come back; `None`: the socket's buffers decide.
    credits: Option<usize>,
}

impl StreamSender {
    pub(crate) fn new(stream: Arc<Stream>, capacity: Option<u32>) -> Self {
        Self { stream, credits: capacity.map(|slots| slots as usize) }
    }

    pub(crate) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        if let Some(credits) = &mut self.credits {
            if *credits == 0 {
                // The receiver returns one byte for each message that it has taken off the channel.
                let mut returned = [0; 64];
                *credits += self.stream.read(&mut returned)?;
            }
            *credits -= 1;
        }
        self.stream.write_all(message)
    }
}

/// The receiving end: reads messages and, if the channel is bounded, returns credits.
#[derive(Debug)]
pub(crate) struct StreamReceiver {
    stream: Arc<Stream>,
    bounded: bool,
    buffer: Vec<u8>,
}

impl StreamReceiver {
    /// `largest`: bytes of the largest message that will come.
    pub(crate) fn new(stream: Arc<Stream>, capacity: Option<u32>, largest: usize) -> Self {
        Self { stream, bounded: capacity.is_some(), buffer: vec![0; largest.max(1)] }
    }

    /// Reads one message of at least `smallest` bytes. `size` tells from the tag how many bytes it has in
    /// all; if it does not know the tag, the tag is the answer nevertheless, and the rest stays unread.
    pub(crate) fn receive(
        &mut self,
        smallest: usize,
        size: impl FnOnce(u8) -> Option<usize>,
    ) -> io::Result<(u8, usize)> {
        self.stream.read_exact(&mut self.buffer[..smallest])?;
        let tag = self.buffer[0];
        let Some(bytes) = size(tag) else { return Ok((tag, smallest)) };
        if bytes > smallest {
            self.stream.read_exact(&mut self.buffer[smallest..bytes])?;
        }
        self.give_credits(1)?;
        Ok((tag, bytes))
    }

    /// Reads and forgets `messages` messages of `bytes` bytes in all.
    pub(crate) fn discard(&mut self, messages: u64, mut bytes: u64) -> io::Result<()> {
        while bytes > 0 {
            let part = usize::try_from(bytes).unwrap_or(usize::MAX).min(self.buffer.len());
            self.stream.read_exact(&mut self.buffer[..part])?;
            bytes -= part as u64;
        }
        self.give_credits(messages)
    }

    fn give_credits(&self, messages: u64) -> io::Result<()> {
        if self.bounded {
            for _ in 0..messages {
                self.stream.write_all(&[0])?;
            }
        }
        Ok(())
    }

    /// Waits until something can be read.
    pub(crate) fn wait(&self) -> io::Result<()> {
        self.stream.wait(-1).map(drop)
    }

    /// Whether something can be read.
    pub(crate) fn is_ready(&self) -> io::Result<bool> {
        self.stream.wait(0)
    }
}
