//! Two roles that send each other messages and look at the clock.

use std::io;
use std::sync::Barrier;
use std::time::Duration;

use crate::affinity;
use crate::clock;
use crate::spin::SpinRate;
use crate::transport::{Bounds, Closer, Pair, ReceiveEnd, SendEnd, Transport, connect_pairs};

/// Where the two roles run, and how fast they spin there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) transport: Transport,
    /// Cores of the two roles; `None`: wherever the scheduler puts them.
    pub(crate) cores: [Option<usize>; 2],
    pub(crate) rate: SpinRate,
}

/// A message to a receiver that waited for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Crossing {
    /// Seconds that the sender spent in sending.
    pub(crate) send: f64,
    /// Seconds from the begin of sending until the receiver had the message.
    pub(crate) total: f64,
}

/// A message to a receiver that was busy, and took it later.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Deposit {
    /// Seconds that the sender spent in sending.
    pub(crate) send: f64,
    /// Seconds that the receiver spent in taking the message, which was there.
    pub(crate) recv: f64,
}

/// One role: a channel out, a channel in, and a core.
struct Party {
    core: Option<usize>,
    rate: SpinRate,
    out: SendEnd,
    incoming: ReceiveEnd,
    message: Vec<u8>,
}

impl Party {
    /// Sends one message; clock readings before and after.
    fn send(&mut self) -> io::Result<(u64, u64)> {
        let begun = clock::now();
        self.out.send(&self.message)?;
        Ok((begun, clock::now()))
    }

    /// Receives one message; clock readings before and after.
    fn receive(&mut self) -> io::Result<(u64, u64)> {
        let bytes = self.message.len();
        let begun = clock::now();
        self.incoming.receive(bytes, |_| Some(bytes))?;
        Ok((begun, clock::now()))
    }
}

/// Runs two parties against each other on threads of their own and returns what each brought home.
fn meet<T: Send>(
    setting: &Setting,
    bytes: usize,
    first: impl FnOnce(&mut Party) -> io::Result<T> + Send,
    second: impl FnOnce(&mut Party) -> io::Result<T> + Send,
) -> io::Result<(T, T)> {
    let bounds = Bounds { capacity: None, largest: bytes };
    let mut pairs = connect_pairs(setting.transport, &[bounds, bounds])?;
    let (back, forth) = (pairs.remove(1), pairs.remove(0));
    let closers = [forth.closer.clone(), back.closer.clone()];
    let party = |index: usize, out: SendEnd, incoming: ReceiveEnd| Party {
        core: setting.cores[index],
        rate: setting.rate,
        out,
        incoming,
        message: vec![1; bytes],
    };
    let Pair { sender: forth_in, receiver: forth_out, .. } = forth;
    let Pair { sender: back_in, receiver: back_out, .. } = back;
    let (mut here, mut there) = (party(0, forth_in, back_out), party(1, back_in, forth_out));
    let together = Barrier::new(2);
    std::thread::scope(|scope| {
        let here = scope.spawn(|| enter(&mut here, &together, &closers, first));
        let there = scope.spawn(|| enter(&mut there, &together, &closers, second));
        let (here, there) = (here.join(), there.join());
        let (Ok(here), Ok(there)) = (here, there) else { panic!("a probe does not panic") };
        match (here, there) {
            // A channel that is closed has been closed by the other one, who knows why.
            (Err(error), Err(cause)) if is_consequence(&error) => Err(cause),
            (here, there) => Ok((here?, there?)),
        }
    })
}

fn is_consequence(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}

/// One party's part; if it fails, the other one is released.
fn enter<T>(
    party: &mut Party,
    together: &Barrier,
    closers: &[Closer],
    part: impl FnOnce(&mut Party) -> io::Result<T>,
) -> io::Result<T> {
    let pinned = party.core.map_or(Ok(()), affinity::pin);
    together.wait();
    let done = pinned.and_then(|()| part(party));
    if done.is_err() {
        closers.iter().for_each(Closer::close);
    }
    done
}

/// How a receiver waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// It blocks, as roles do: it has to be woken.
    Blocked,
    /// It asks again and again, and never sleeps. Only for roles on cores of their own.
    Polling,
}

/// Sends messages to and fro; the receiver always waits. Before sending, a role computes for the next of
/// `thoughts` seconds, in turn.
pub(crate) fn crossings(
    setting: &Setting,
    bytes: usize,
    waiting: Waiting,
    thoughts: &[f64],
    count: usize,
) -> io::Result<Vec<Crossing>> {
    let think = |party: &Party, at: usize| party.rate.spend(thoughts[at % thoughts.len()]);
    let receive = |party: &mut Party| {
        while waiting == Waiting::Polling && !party.incoming.is_ready()? {
            std::hint::spin_loop();
        }
        party.receive()
    };
    let (here, there) = meet(
        setting,
        bytes,
        |party| {
            let mut readings = Vec::with_capacity(count);
            for at in 0..count {
                think(party, at);
                let sent = party.send()?;
                readings.push((sent, receive(party)?));
            }
            Ok(readings)
        },
        |party| {
            let mut readings = Vec::with_capacity(count);
            for at in 0..count {
                let received = receive(party)?;
                think(party, at);
                readings.push((party.send()?, received));
            }
            Ok(readings)
        },
    )?;
    let mut crossings = Vec::with_capacity(2 * count);
    for ((sent, received), (answered, arrived)) in here.into_iter().zip(there) {
        crossings.push(Crossing {
            send: clock::seconds(sent.0, sent.1),
            total: clock::seconds(sent.0, arrived.1),
        });
        crossings.push(Crossing {
            send: clock::seconds(answered.0, answered.1),
            total: clock::seconds(answered.0, received.1),
        });
    }
    Ok(crossings)
}

/// Sends messages to a role that is busy for `busy` seconds meanwhile and takes them afterwards.
pub(crate) fn deposits(setting: &Setting, bytes: usize, busy: f64, count: usize) -> io::Result<Vec<Deposit>> {
    // On a core of its own the receiver computes. If the roles (may) share a core, the sender would only run
    // once the receiver waits, so there the receiver sleeps.
    let apart = matches!(setting.cores, [Some(here), Some(there)] if here != there);
    let (sent, taken) = meet(
        setting,
        bytes,
        |party| {
            let mut times = Vec::with_capacity(count);
            for _ in 0..count {
                party.receive()?;
                let (begun, done) = party.send()?;
                times.push((begun, done));
            }
            Ok(times)
        },
        |party| {
            let mut times = Vec::with_capacity(count);
            for _ in 0..count {
                party.send()?;
                if apart {
                    party.rate.spend(busy);
                } else {
                    std::thread::sleep(Duration::from_secs_f64(busy));
                }
                times.push(party.receive()?);
            }
            Ok(times)
        },
    )?;
    // Only if the message was there before the receiver came for it.
    let deposits =
        sent.into_iter().zip(taken).filter(|(sent, taken)| sent.1 <= taken.0).map(|(sent, taken)| Deposit {
            send: clock::seconds(sent.0, sent.1),
            recv: clock::seconds(taken.0, taken.1),
        });
    Ok(deposits.collect())
}

/// Seconds between messages that one role sends and the other receives as fast as they can.
pub(crate) fn stream(setting: &Setting, bytes: usize, count: usize) -> io::Result<f64> {
    let (first, last) = meet(
        setting,
        bytes,
        |party| {
            let begun = clock::now();
            for _ in 0..count {
                party.send()?;
            }
            Ok(begun)
        },
        |party| {
            for _ in 0..count {
                party.receive()?;
            }
            Ok(clock::now())
        },
    )?;
    Ok(clock::seconds(first, last) / count as f64)
}

/// Seconds that a role takes for a computation of `work` seconds, `count` times.
pub(crate) fn computations(setting: &Setting, work: f64, count: usize) -> io::Result<Vec<f64>> {
    let (here, _) = meet(
        setting,
        1,
        |party| {
            let mut times = Vec::with_capacity(count);
            for _ in 0..count {
                let begun = clock::now();
                party.rate.spend(work);
                times.push(clock::seconds(begun, clock::now()));
            }
            Ok(times)
        },
        |_| Ok(Vec::new()),
    )?;
    Ok(here)
}
