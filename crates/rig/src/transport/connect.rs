//! Making connections: both ends in one process, or between processes by listening and dialling.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixListener, UnixStream};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Bounds, Closer, Pair, Queue, ReceiveEnd, SendEnd, Stream, Transport, receive_end, send_end};
use crate::clock;

/// How long the other end of a connection may take to appear.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes that open a connection between processes: the run's token and the channel's index.
const GREETING: usize = 12;

/// Makes one channel within this process for each element of `bounds`.
pub(crate) fn connect_pairs(transport: Transport, bounds: &[Bounds]) -> io::Result<Vec<Pair>> {
    match transport {
        Transport::Thread => Ok(bounds.iter().map(|bounds| queue_pair(*bounds)).collect()),
        Transport::Unix => bounds.iter().map(|bounds| unix_pair(*bounds)).collect(),
        Transport::Tcp => {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            bounds.iter().map(|bounds| tcp_pair(&listener, *bounds)).collect()
        }
    }
}

fn queue_pair(bounds: Bounds) -> Pair {
    let queue = Arc::new(Queue::new(bounds.capacity));
    Pair {
        sender: SendEnd::Queue(Arc::clone(&queue)),
        receiver: ReceiveEnd::Queue(Arc::clone(&queue)),
        closer: Closer::Queue(queue),
    }
}

fn unix_pair(bounds: Bounds) -> io::Result<Pair> {
    let (here, there) = UnixStream::pair()?;
    Ok(stream_pair(Stream::Unix(here), Stream::Unix(there), bounds))
}

fn tcp_pair(listener: &TcpListener, bounds: Bounds) -> io::Result<Pair> {
    let dialled = TcpStream::connect(listener.local_addr()?)?;
    let accepted = loop {
        let (accepted, from) = listener.accept()?;
        // Anybody on this machine can dial an ephemeral port: keep only our own connection.
        if from == dialled.local_addr()? {
            break accepted;
        }
    };
    dialled.set_nodelay(true)?;
    accepted.set_nodelay(true)?;
    Ok(stream_pair(Stream::Tcp(dialled), Stream::Tcp(accepted), bounds))
}

fn stream_pair(here: Stream, there: Stream, bounds: Bounds) -> Pair {
    let (sender, closer) = send_end(here, bounds);
    let (receiver, _) = receive_end(there, bounds);
    Pair { sender, receiver, closer }
}

/// Where a role's process can be reached by the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Address {
    /// A loopback address.
    Tcp(SocketAddr),
    /// A name in Linux's abstract namespace: leaves no file behind.
    Unix(String),
}

/// A role's open door for its incoming channels.
#[derive(Debug)]
pub(crate) enum Listener {
    /// On an ephemeral loopback port.
    Tcp(TcpListener),
    /// On an abstract name.
    Unix(UnixListener, String),
}

impl Listener {
    /// Opens a door. `token` makes the name of a Unix door unique among runs, `role` among roles.
    pub(crate) fn bind(transport: Transport, token: u64, role: usize) -> io::Result<Self> {
        match transport {
            Transport::Tcp => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map(Listener::Tcp),
            Transport::Unix => {
                let name = format!("lagcast-{token:016x}-{role}");
                let address = UnixAddress::from_abstract_name(name.as_bytes())?;
                Ok(Listener::Unix(UnixListener::bind_addr(&address)?, name))
            }
            Transport::Thread => {
                Err(io::Error::new(io::ErrorKind::Unsupported, "queues stay in one process"))
            }
        }
    }

    /// Where the others find it.
    pub(crate) fn address(&self) -> io::Result<Address> {
        match self {
            Listener::Tcp(listener) => listener.local_addr().map(Address::Tcp),
            Listener::Unix(_, name) => Ok(Address::Unix(name.clone())),
        }
    }

    /// Accepts `expected` channels and returns each with its index; strangers are turned away.
    pub(crate) fn accept(&self, expected: usize, token: u64) -> io::Result<Vec<(usize, Stream)>> {
        match self {
            Listener::Tcp(listener) => listener.set_nonblocking(true)?,
            Listener::Unix(listener, _) => listener.set_nonblocking(true)?,
        }
        let begun = clock::now();
        let mut accepted = Vec::with_capacity(expected);
        while accepted.len() < expected {
            match self.accept_one() {
                Ok(stream) => accepted.extend(greeted(stream, token)?),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if clock::seconds(begun, clock::now()) > PATIENCE.as_secs_f64() {
                        let missing = expected - accepted.len();
                        let text = format!("{missing} of {expected} incoming channels were never dialled");
                        return Err(io::Error::new(io::ErrorKind::TimedOut, text));
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(accepted)
    }

    fn accept_one(&self) -> io::Result<Stream> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(false)?;
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
            Listener::Unix(listener, _) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(false)?;
                Ok(Stream::Unix(stream))
            }
        }
    }
}

/// Reads the greeting of a new connection; `None` if it is not one of this run's.
fn greeted(stream: Stream, token: u64) -> io::Result<Option<(usize, Stream)>> {
    let limit = i32::try_from(PATIENCE.as_millis()).unwrap_or(i32::MAX);
    let mut greeting = [0; GREETING];
    if !stream.wait(limit)? || stream.read_exact(&mut greeting).is_err() {
        return Ok(None);
    }
    let (theirs, channel) = greeting.split_at(8);
    let channel = u32::from_le_bytes(channel.try_into().expect("the greeting's last four bytes"));
    Ok((theirs == token.to_le_bytes()).then_some((channel as usize, stream)))
}

/// Dials the receiver of a channel and says which channel and run it is for.
pub(crate) fn dial(address: &Address, channel: usize, token: u64) -> io::Result<Stream> {
    let stream = match address {
        Address::Tcp(address) => {
            let stream = TcpStream::connect_timeout(address, PATIENCE)?;
            stream.set_nodelay(true)?;
            Stream::Tcp(stream)
        }
        Address::Unix(name) => {
            Stream::Unix(UnixStream::connect_addr(&UnixAddress::from_abstract_name(name.as_bytes())?)?)
        }
    };
    let index = u32::try_from(channel).expect("channel count fits u32");
    let mut greeting = token.to_le_bytes().to_vec();
    greeting.extend(index.to_le_bytes());
    stream.write_all(&greeting)?;
    Ok(stream)
}
