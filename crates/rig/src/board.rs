//! Where every role is right now: what the watchdog looks at.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Activity;

/// One word per role: how many steps it has taken, in which state it is, and what it does there.
///
/// The roles write with plain stores, a few times per message; nobody waits for anybody here.
#[derive(Debug)]
pub(crate) struct Board {
    places: Vec<Place>,
}

/// On a cache line of its own (two, since they are fetched in pairs), so that roles do not slow each other.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Place(AtomicU64);

const ACTIVITY_BITS: u32 = 2;
const STATE_BITS: u32 = 24;

/// A reading of one role's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position(u64);

impl Position {
    /// Packs a position. Counts wrap and states beyond 16 million alias: both only affect messages.
    pub(crate) fn new(count: u64, state: usize, activity: Activity) -> Self {
        let state = state as u64 & ((1 << STATE_BITS) - 1);
        let code = match activity {
            Activity::Compute => 0,
            Activity::Send => 1,
            Activity::Receive => 2,
            Activity::Done => 3,
        };
        Self((count << (STATE_BITS + ACTIVITY_BITS)) | (state << ACTIVITY_BITS) | code)
    }

    /// The state.
    pub(crate) fn state(self) -> usize {
        ((self.0 >> ACTIVITY_BITS) & ((1 << STATE_BITS) - 1)) as usize
    }

    /// What the role does in it.
    pub(crate) fn activity(self) -> Activity {
        match self.0 & 3 {
            0 => Activity::Compute,
            1 => Activity::Send,
            2 => Activity::Receive,
            _ => Activity::Done,
        }
    }

    /// As a number, for the way between processes.
    pub(crate) fn to_word(self) -> u64 {
        self.0
    }

    /// From a number made by [`Position::to_word`].
    pub(crate) fn from_word(word: u64) -> Self {
        Self(word)
    }
}

impl Board {
    /// A board on which all roles are done.
    pub(crate) fn new(roles: usize) -> Self {
        let board = Self { places: (0..roles).map(|_| Place::default()).collect() };
        for role in 0..roles {
            board.set(role, Position::new(0, 0, Activity::Done));
        }
        board
    }

    /// Says where a role is.
    pub(crate) fn set(&self, role: usize, position: Position) {
        self.places[role].0.store(position.0, Ordering::Relaxed);
    }

    /// Where a role is.
    pub(crate) fn get(&self, role: usize) -> Position {
        Position(self.places[role].0.load(Ordering::Relaxed))
    }

    /// Where all roles are.
    pub(crate) fn snapshot(&self) -> Vec<Position> {
        (0..self.places.len()).map(|role| self.get(role)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_packed_without_loss() {
        for activity in [Activity::Compute, Activity::Send, Activity::Receive, Activity::Done] {
            let position = Position::new(7, 123_456, activity);
            assert_eq!((position.state(), position.activity()), (123_456, activity));
            assert_eq!(Position::from_word(position.to_word()), position);
            assert_ne!(position, Position::new(8, 123_456, activity));
        }
    }

    #[test]
    fn a_new_board_has_nobody_waiting() {
        let board = Board::new(2);
        assert!(board.snapshot().iter().all(|position| position.activity() == Activity::Done));
        board.set(1, Position::new(1, 4, Activity::Receive));
        assert_eq!((board.get(0).activity(), board.get(1).state()), (Activity::Done, 4));
    }
}
