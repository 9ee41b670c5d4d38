//! How messages travel: in-process queues, loopback TCP, Unix sockets.
//!
//! A channel is an ordered pair of roles; each has its own connection. A message is a run of bytes whose first
//! byte is the tag of its label. A bounded channel counts credits: the receiver returns one byte on the same
//! connection for each message that it takes (a bounded queue between threads).

mod connect;
mod queue;
mod stream;

use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use connect::{Address, Listener, connect_pairs, dial};
use queue::{Closed, Queue};
use stream::{Stream, StreamReceiver, StreamSender};

/// By what means messages travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Queues of byte buffers between threads of one process.
    Thread,
    /// TCP over the loopback interface, without Nagle's algorithm.
    Tcp,
    /// Unix stream sockets.
    Unix,
}

impl Transport {
    /// All transports, in the order in which help texts list them.
    pub const ALL: [Transport; 3] = [Transport::Thread, Transport::Tcp, Transport::Unix];

    /// Its name: `thread`, `tcp`, `unix`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Transport::Thread => "thread",
            Transport::Tcp => "tcp",
            Transport::Unix => "unix",
        }
    }

    /// The transport of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|transport| transport.name() == name)
    }
}

impl std::fmt::Display for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Closed> for io::Error {
    fn from(_: Closed) -> Self {
        io::Error::new(io::ErrorKind::UnexpectedEof, "channel closed")
    }
}

/// What a channel must be able to carry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Messages that fit before the sender must wait.
    pub(crate) capacity: Option<u32>,
    /// Bytes of the largest message.
    pub(crate) largest: usize,
}

/// The sending end of a channel.
#[derive(Debug)]
pub(crate) enum SendEnd {
    /// To another thread.
    Queue(Arc<Queue>),
    /// Into a socket.
    Stream(StreamSender),
}

impl SendEnd {
    /// Sends one message; waits while the channel is full.
    pub(crate) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        match self {
            // The copy is the message: the receiver gets a buffer of its own, as it would from a socket.
            SendEnd::Queue(queue) => Ok(queue.send(message.to_vec())?),
            SendEnd::Stream(sender) => sender.send(message),
        }
    }
}

/// The receiving end of a channel.
#[derive(Debug)]
pub(crate) enum ReceiveEnd {
    /// From another thread.
    Queue(Arc<Queue>),
    /// Out of a socket.
    Stream(StreamReceiver),
}

impl ReceiveEnd {
    /// Receives one message and returns its tag and its bytes; waits for one.
    ///
    /// `smallest` is the size of the smallest message that may come, `size` the size that goes with a tag. A
    /// tag that `size` does not know is returned with the bytes read so far.
    pub(crate) fn receive(
        &mut self,
        smallest: usize,
        size: impl FnOnce(u8) -> Option<usize>,
    ) -> io::Result<(u8, usize)> {
        match self {
            ReceiveEnd::Queue(queue) => {
                let message = queue.receive()?;
                // The tag is read from the message, as from a socket; its buffer dies here.
                Ok((message[0], message.len()))
            }
            ReceiveEnd::Stream(receiver) => receiver.receive(smallest, size),
        }
    }

    /// Waits until a message has begun to arrive, without taking it.
    pub(crate) fn wait(&self) -> io::Result<()> {
        match self {
            ReceiveEnd::Queue(queue) => Ok(queue.wait()?),
            ReceiveEnd::Stream(receiver) => receiver.wait(),
        }
    }

    /// Whether a message has begun to arrive.
    pub(crate) fn is_ready(&self) -> io::Result<bool> {
        match self {
            ReceiveEnd::Queue(queue) => Ok(queue.is_ready()),
            ReceiveEnd::Stream(receiver) => receiver.is_ready(),
        }
    }

    /// Takes and forgets what was sent but not received: `messages` of `bytes` bytes in all.
    pub(crate) fn discard(&mut self, messages: u64, bytes: u64) -> io::Result<()> {
        match self {
            ReceiveEnd::Queue(queue) => (0..messages).try_for_each(|_| Ok(queue.receive().map(drop)?)),
            ReceiveEnd::Stream(receiver) => receiver.discard(messages, bytes),
        }
    }
}

/// Ends a channel from outside, so that whoever is blocked on it returns.
#[derive(Debug, Clone)]
pub(crate) enum Closer {
    /// Of a queue.
    Queue(Arc<Queue>),
    /// Of a socket.
    Stream(Arc<Stream>),
}

impl Closer {
    /// Ends the channel.
    pub(crate) fn close(&self) {
        match self {
            Closer::Queue(queue) => queue.close(),
            Closer::Stream(stream) => stream.shutdown(),
        }
    }
}

/// Both ends of a channel within one process, and the handles that end it.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) sender: SendEnd,
    pub(crate) receiver: ReceiveEnd,
    pub(crate) closer: Closer,
}

/// The sending end over a connected socket.
pub(crate) fn send_end(stream: Stream, bounds: Bounds) -> (SendEnd, Closer) {
    let stream = Arc::new(stream);
    (SendEnd::Stream(StreamSender::new(Arc::clone(&stream), bounds.capacity)), Closer::Stream(stream))
}

/// The receiving end over a connected socket.
pub(crate) fn receive_end(stream: Stream, bounds: Bounds) -> (ReceiveEnd, Closer) {
    let stream = Arc::new(stream);
    let receiver = StreamReceiver::new(Arc::clone(&stream), bounds.capacity, bounds.largest);
    (ReceiveEnd::Stream(receiver), Closer::Stream(stream))
}

impl Bounds {
    /// Of a channel of a plan.
    pub(crate) fn of(channel: &session::plan::Channel) -> Self {
        Self { capacity: channel.capacity, largest: channel.largest }
    }
}
