//! The in-process channel: a bounded queue of byte buffers between two threads.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes that a channel without a declared capacity holds before its sender waits: the order of magnitude of
/// the buffers of a TCP connection, so that a sender that runs ahead cannot fill the memory.
const OWN_BOUND: usize = 4 << 20;

/// The other end has been closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closed;

/// A first-in-first-out queue of messages.
///
/// A mutex and two condition variables, as a Rust programmer would write it. The flags keep the common case
/// free of system calls: nobody is woken who does not sleep.
#[derive(Debug)]
pub(crate) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    drained: Condvar,
    /// Messages that fit, if the channel is bounded in messages.
    slots: Option<usize>,
}

#[derive(Debug, Default)]
struct State {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
    closed: bool,
    receiver_sleeps: bool,
    sender_sleeps: bool,
}

impl Queue {
    /// An empty queue; `capacity` messages fit, or [`OWN_BOUND`] bytes if there is none declared.
    pub(crate) fn new(capacity: Option<u32>) -> Self {
        Self {
            state: Mutex::default(),
            filled: Condvar::new(),
            drained: Condvar::new(),
            slots: capacity.map(|slots| slots as usize),
        }
    }

    /// A panic of another role must not hide its cause behind a poisoned lock: the queue itself is never left
    /// half changed, so its state is still good.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_full(&self, state: &State, next: usize) -> bool {
        match self.slots {
            Some(slots) => state.messages.len() >= slots,
            None => !state.messages.is_empty() && state.bytes + next > OWN_BOUND,
        }
    }

    /// Appends a message; waits while the queue is full.
    pub(crate) fn send(&self, message: Vec<u8>) -> Result<(), Closed> {
        let mut state = self.lock();
        while !state.closed && self.is_full(&state, message.len()) {
            state.sender_sleeps = true;
            state = self.drained.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.closed {
            return Err(Closed);
        }
        state.bytes += message.len();
        state.messages.push_back(message);
        let wake = std::mem::take(&mut state.receiver_sleeps);
        drop(state);
        if wake {
            self.filled.notify_one();
        }
        Ok(())
    }

    fn take(&self, mut state: MutexGuard<'_, State>) -> Option<Vec<u8>> {
        let message = state.messages.pop_front()?;
        state.bytes -= message.len();
        let wake = std::mem::take(&mut state.sender_sleeps);
        drop(state);
        if wake {
            self.drained.notify_one();
        }
        Some(message)
    }

    fn lock_filled(&self) -> Result<MutexGuard<'_, State>, Closed> {
        let mut state = self.lock();
        while state.messages.is_empty() {
            if state.closed {
                return Err(Closed);
            }
            state.receiver_sleeps = true;
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(state)
    }

    /// Takes the oldest message; waits for one. Messages sent before the queue was closed still arrive.
    pub(crate) fn receive(&self) -> Result<Vec<u8>, Closed> {
        let state = self.lock_filled()?;
        self.take(state).ok_or(Closed)
    }

    /// Waits until a message is there, without taking it.
    pub(crate) fn wait(&self) -> Result<(), Closed> {
        self.lock_filled().map(drop)
    }

    /// Whether a message is there.
    pub(crate) fn is_ready(&self) -> bool {
        !self.lock().messages.is_empty()
    }

    /// Wakes everybody: the sender fails, the receiver fails once the queue is empty.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_all();
        self.drained.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn messages_come_in_order_and_survive_closing() {
        let queue = Queue::new(None);
        assert!(!queue.is_ready());
        for byte in 0..3 {
            queue.send(vec![byte; 10]).unwrap();
        }
        queue.close();
        assert!(queue.is_ready());
        let received: Vec<u8> = (0..3).map(|_| queue.receive().unwrap()[0]).collect();
        assert_eq!(received, [0, 1, 2]);
        assert_eq!(queue.receive(), Err(Closed));
        assert_eq!(queue.send(vec![1]), Err(Closed));
    }

    #[test]
    fn a_full_queue_is_freed_by_the_receiver_or_by_closing() {
        let queue = Arc::new(Queue::new(Some(1)));
        queue.send(vec![1]).unwrap();
        let sender = std::thread::spawn({
            let queue = Arc::clone(&queue);
            move || (queue.send(vec![2]), queue.send(vec![3]))
        });
        assert_eq!(queue.receive().unwrap(), [1]);
        queue.wait().unwrap();
        queue.close();
        assert_eq!(sender.join().unwrap(), (Ok(()), Err(Closed)));
    }

    #[test]
    fn a_message_larger_than_the_bound_passes_alone() {
        let queue = Queue::new(None);
        queue.send(vec![0; OWN_BOUND + 1]).unwrap();
        assert!(queue.is_full(&queue.lock(), 1));
        assert_eq!(queue.receive().unwrap().len(), OWN_BOUND + 1);
    }
}
