//! Ready lists: what `epoll_wait` returned. Servers spend most of their bytes on these.
//!
//! Events of one peer alternate (readable, writable, readable …), and peers come round in nearly the
//! order in which they came before. So an event is named by how many peers have waited longer.

use std::collections::HashMap;

use wayfarer_calls::Number as Call;

use super::coder::{Chance, Coder};
use super::number::{Number, PerContext, Symbol};

/// Bytes of a `struct epoll_event`: mask (4) and data (8).
pub(crate) const EVENT: usize = 12;
/// Different events that are remembered.
const MOST_EVENTS: usize = 1 << 16;
/// Peers wait in one of this many queues, by the kind of their last event.
const QUEUES: usize = 4;
/// Places in a queue that can be named.
const MOST_RANKS: u8 = 255;

/// Whether the payload of this call is a list of events.
pub(crate) fn is_ready_list(number: u64, length: u64) -> bool {
    let waits = matches!(
        Call::from(number),
        Call::EPOLL_WAIT | Call::EPOLL_PWAIT | Call::EPOLL_PWAIT2
    );
    waits && length.is_multiple_of(EVENT as u64)
}

/// One known event, by its number; number 0 is not an event. The same entries form the queues: doubly
/// linked rings, each around an entry of its own.
#[derive(Clone, Copy, Default)]
struct Entry {
    event: [u8; EVENT],
    /// Which event the same peer had next, the last time.
    then: u32,
    /// The newest event of the same data; kept in the first entry of that data.
    newest: u32,
    /// First entry with the same data.
    peer: u32,
    before: u32,
    after: u32,
}

/// Learns which events there are and in which order they come round.
pub(crate) struct Events {
    entries: Vec<Entry>,
    /// By event and by data: numbers. Used when packing, and when an event is new.
    by_event: HashMap<[u8; EVENT], u32>,
    by_data: HashMap<[u8; 8], u32>,
    /// Masks that have a queue.
    masks: Vec<[u8; 4]>,
    queued: [Chance; 2],
    queues: PerContext<Symbol>,
    ranks: PerContext<Symbol>,
    last_queue: usize,
    last_rank: [u8; QUEUES],
    last_queued: u32,
    /// Numbers: upper byte, then lower byte by the upper one. Zero: a new event.
    upper: Symbol,
    lower: PerContext<Symbol>,
    fresh_mask: Number,
    fresh_data: Number,
    /// The newest list, by number.
    list: Vec<u32>,
}

impl Events {
    pub(crate) fn new() -> Self {
        let mut entries = vec![Entry::default(); 1 + QUEUES];
        for (number, entry) in entries.iter_mut().enumerate() {
            entry.before = number as u32;
            entry.after = number as u32;
        }
        Self {
            entries,
            by_event: HashMap::new(),
            by_data: HashMap::new(),
            masks: Vec::new(),
            queued: [Chance::EVEN; 2],
            queues: PerContext::new(8, Symbol::new),
            ranks: PerContext::new(64, Symbol::new),
            last_queue: 0,
            last_rank: [0; QUEUES],
            last_queued: 0,
            upper: Symbol::new(),
            lower: PerContext::new(256, Symbol::new),
            fresh_mask: Number::new(),
            fresh_data: Number::new(),
            list: Vec::new(),
        }
    }

    /// Events in the newest list.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// The peer of the `index`th event of the newest list; 0 after its end.
    pub(crate) fn peer(&self, index: usize) -> u64 {
        let number = self.list.get(index).copied().unwrap_or(0);
        u64::from(number)
    }

    /// Forgets the newest list: another one begins.
    pub(crate) fn begin(&mut self) {
        self.list.clear();
    }

    /// Codes one event of the list that was begun.
    pub(crate) fn code<C: Coder>(&mut self, coder: &mut C, event: [u8; EVENT]) -> [u8; EVENT] {
        let wanted = if C::PACKS {
            self.by_event.get(&event).copied()
        } else {
            None
        }
        .unwrap_or(0);
        let place = if C::PACKS {
            self.place_of(wanted)
        } else {
            None
        };
        let chance = &mut self.queued[self.last_queued as usize];
        self.last_queued = coder.bit(chance, u32::from(place.is_none()));
        let number = match self.last_queued {
            0 => self.code_place(coder, place.unwrap_or_default()),
            _ => self.code_number(coder, wanted),
        };
        let (event, number) = match self.entries.get(number as usize) {
            Some(entry) if number as usize > QUEUES => (entry.event, number),
            _ => self.code_fresh(coder, event),
        };
        self.note(number);
        self.list.push(number);
        event
    }

    /// Queue and rank of the peer whose next event is expected to be `wanted`.
    fn place_of(&self, wanted: u32) -> Option<(usize, u8)> {
        let peer = self.entries[wanted as usize].peer;
        let newest = self.entries[peer as usize].newest;
        if wanted == 0 || self.entries[newest as usize].then != wanted {
            return None;
        }
        let queue = self.queue_of(newest)?;
        let mut at = self.entries[1 + queue].after;
        for rank in 0..MOST_RANKS {
            if at == newest {
                return Some((queue, rank));
            }
            at = self.entries[at as usize].after;
        }
        None
    }

    fn code_place(&mut self, coder: &mut impl Coder, (queue, rank): (usize, u8)) -> u32 {
        let queue = self.queues.at(self.last_queue).code(coder, queue as u8);
        let queue = usize::from(queue) % QUEUES;
        // A late one stays in front, and the others pass at the same rank.
        let context = queue * 16 + usize::from(self.last_rank[queue].min(15));
        let rank = self.ranks.at(context).code(coder, rank);
        self.last_queue = queue;
        self.last_rank[queue] = rank;
        let mut at = self.entries[1 + queue].after;
        for _ in 0..rank {
            at = self.entries[at as usize].after;
        }
        self.entries[at as usize].then
    }

    fn code_number(&mut self, coder: &mut impl Coder, wanted: u32) -> u32 {
        let upper = self.upper.code(coder, (wanted >> 8) as u8);
        let lower = self.lower.at(usize::from(upper)).code(coder, wanted as u8);
        (u32::from(upper) << 8) | u32::from(lower)
    }

    /// Codes an event that has no number yet and gives it one, where there is room.
    fn code_fresh(&mut self, coder: &mut impl Coder, event: [u8; EVENT]) -> ([u8; EVENT], u32) {
        let [a, b, c, d, data @ ..] = event;
        let mask = self
            .fresh_mask
            .code(coder, u64::from(u32::from_le_bytes([a, b, c, d])));
        let data = self
            .fresh_data
            .code(coder, u64::from_le_bytes(data))
            .to_le_bytes();
        let mask = (mask as u32).to_le_bytes();
        let mut event = [0; EVENT];
        event[..4].copy_from_slice(&mask);
        event[4..].copy_from_slice(&data);
        if self.entries.len() >= MOST_EVENTS {
            return (event, 0);
        }
        let number = self.entries.len() as u32;
        let peer = *self.by_data.entry(data).or_insert(number);
        self.by_event.insert(event, number);
        if self.masks.len() < QUEUES && !self.masks.contains(&mask) {
            self.masks.push(mask);
        }
        self.entries.push(Entry {
            event,
            peer,
            before: number,
            after: number,
            ..Entry::default()
        });
        (event, number)
    }

    fn queue_of(&self, number: u32) -> Option<usize> {
        let mask = &self.entries[number as usize].event[..4];
        self.masks.iter().position(|known| known == mask)
    }

    /// Moves the peer of an event to the end of the queue for it.
    fn note(&mut self, number: u32) {
        if number == 0 {
            return;
        }
        let peer = self.entries[number as usize].peer as usize;
        let newest = self.entries[peer].newest as usize;
        if newest != 0 {
            self.entries[newest].then = number;
            let Entry { before, after, .. } = self.entries[newest];
            self.entries[before as usize].after = after;
            self.entries[after as usize].before = before;
            self.entries[newest].before = newest as u32;
            self.entries[newest].after = newest as u32;
        }
        self.entries[peer].newest = number;
        if let Some(queue) = self.queue_of(number) {
            let ring = 1 + queue;
            let last = self.entries[ring].before;
            self.entries[last as usize].after = number;
            self.entries[ring].before = number;
            self.entries[number as usize].before = last;
            self.entries[number as usize].after = ring as u32;
        }
    }
}
