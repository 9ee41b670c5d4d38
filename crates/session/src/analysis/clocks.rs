//! The state of a run: one clock per role, the messages in flight, the free slots of bounded channels.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use crate::global::{GlobalType, RoleId};

/// How times are added and compared: as numbers, as expressions, or not at all.
pub trait Domain {
    /// A point in time.
    type Time: Clone;

    /// The start of the run.
    fn start(&mut self) -> Self::Time;
    /// `time` plus charge number `charge`.
    fn after(&mut self, time: Self::Time, charge: u32) -> Self::Time;
    /// The later of two times.
    fn later(&mut self, a: &Self::Time, b: &Self::Time) -> Self::Time;
}

/// An ordered pair of roles.
pub type Pair = (RoleId, RoleId);

/// Queues by channel; only channels with something in them have an entry.
pub type Queues<T> = BTreeMap<Pair, VecDeque<T>>;

/// Role clocks in chunks that are shared until written, so that the branches of a choice do not copy
/// the clocks of roles that they do not touch.
#[derive(Debug, Clone)]
struct Shared<T> {
    chunks: Vec<Rc<Vec<T>>>,
}

const CHUNK: usize = 64;

/// The state of a run.
#[derive(Debug, Clone)]
pub struct Clocks<T> {
    roles: Shared<T>,
    /// Arrival times of messages sent and not yet received.
    pub queues: Queues<T>,
    /// For each bounded channel the times at which its free slots became free.
    pub slots: Queues<T>,
}

impl<T: Clone> Clocks<T> {
    /// All clocks at the same time, nothing in flight, all slots free.
    pub fn uniform(global: &GlobalType, time: &T) -> Self {
        let count = global.roles.len();
        let chunk = |start: usize| Rc::new(vec![time.clone(); CHUNK.min(count - start)]);
        let chunks = (0..count).step_by(CHUNK).map(chunk).collect();
        let slots = global.capacities.iter().map(|capacity| {
            let free = vec![time.clone(); capacity.slots as usize];
            ((capacity.from, capacity.to), VecDeque::from(free))
        });
        Self { roles: Shared { chunks }, queues: BTreeMap::new(), slots: slots.collect() }
    }

    /// The clock of a role.
    pub fn role(&self, role: RoleId) -> &T {
        &self.roles.chunks[role.index() / CHUNK][role.index() % CHUNK]
    }

    /// Sets the clock of a role.
    pub fn set_role(&mut self, role: RoleId, time: T) {
        Rc::make_mut(&mut self.roles.chunks[role.index() / CHUNK])[role.index() % CHUNK] = time;
    }

    /// The role clocks in order of the roles.
    pub fn roles(&self) -> impl Iterator<Item = &T> {
        self.roles.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// Puts a message in flight.
    pub fn enqueue(&mut self, channel: Pair, arrival: T) {
        self.queues.entry(channel).or_default().push_back(arrival);
    }

    /// Takes the oldest message in flight.
    pub fn dequeue(&mut self, channel: Pair) -> Option<T> {
        let queue = self.queues.get_mut(&channel)?;
        let arrival = queue.pop_front();
        if queue.is_empty() {
            self.queues.remove(&channel);
        }
        arrival
    }

    /// Every time of the state in a fixed order: role clocks, messages in flight, free slots.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        let in_flight = self.queues.values().flatten();
        self.roles().chain(in_flight).chain(self.slots.values().flatten())
    }

    /// Replaces every time, in the order of [`Clocks::all`].
    pub fn replace<U: Clone>(&self, mut time: impl FnMut(&T) -> U) -> Clocks<U> {
        let chunks = self.roles.chunks.iter().map(|chunk| Rc::new(chunk.iter().map(&mut time).collect()));
        let roles = Shared { chunks: chunks.collect() };
        let mut renew = |queues: &Queues<T>| -> Queues<U> {
            queues.iter().map(|(pair, queue)| (*pair, queue.iter().map(&mut time).collect())).collect()
        };
        let queues = renew(&self.queues);
        let slots = renew(&self.slots);
        Clocks { roles, queues, slots }
    }

    /// The pointwise later of two states: what holds after a choice, whichever branch was taken.
    /// Queues are joined position by position; the longer one is kept whole.
    pub fn join(&mut self, other: Self, later: &mut impl FnMut(&T, &T) -> T) {
        for (mine, theirs) in self.roles.chunks.iter_mut().zip(&other.roles.chunks) {
            if Rc::ptr_eq(mine, theirs) {
                continue;
            }
            for (a, b) in Rc::make_mut(mine).iter_mut().zip(theirs.iter()) {
                *a = later(a, b);
            }
        }
        for (mine, theirs) in [(&mut self.queues, other.queues), (&mut self.slots, other.slots)] {
            for (pair, queue) in theirs {
                let joined = mine.entry(pair).or_default();
                for (position, time) in queue.into_iter().enumerate() {
                    match joined.get_mut(position) {
                        Some(known) => *known = later(known, &time),
                        None => joined.push_back(time),
                    }
                }
            }
        }
    }

    /// Lengths of all queues: the shape that a loop must leave as it found it.
    pub fn shape(&self) -> Vec<(Pair, usize)> {
        let lengths = |queues: &Queues<T>| -> Vec<(Pair, usize)> {
            queues.iter().map(|(pair, queue)| (*pair, queue.len())).collect()
        };
        [lengths(&self.queues), lengths(&self.slots)].concat()
    }
}
