//! Ready lists: what `epoll_wait` returned. Servers spend most of their bytes on these.

use std::collections::HashMap;

use super::coder::{Chance, Coder};
use super::number::{Number, PerContext, Symbol};

/// Bytes of a `struct epoll_event`.
pub(crate) const EVENT: usize = 12;
/// Different events that are remembered.
const MOST_EVENTS: usize = 1 << 16;

/// Whether the payload of this call is a list of events.
pub(crate) fn is_ready_list(number: u64, length: u64) -> bool {
    const EPOLL_WAIT: u64 = 232;
    const EPOLL_PWAIT: u64 = 281;
    const EPOLL_PWAIT2: u64 = 441;
    matches!(number, EPOLL_WAIT | EPOLL_PWAIT | EPOLL_PWAIT2)
        && length.is_multiple_of(EVENT as u64)
}

/// Learns which events there are and which follows which.
pub(crate) struct Events {
    known: Vec<[u8; EVENT]>,
    /// By event: number plus one. Used when packing.
    numbers: HashMap<[u8; EVENT], u32>,
    /// By event: which ones came after it the last two times.
    after: Vec<[u32; 2]>,
    follows: [Chance; 2],
    /// Numbers: upper byte, then lower byte by the upper one. Zero: a new event.
    upper: Symbol,
    lower: PerContext<Symbol>,
    fresh: Number,
    last: u32,
    /// The newest list, by number.
    list: Vec<u32>,
}

impl Events {
    pub(crate) fn new() -> Self {
        Self {
            known: vec![[0; EVENT]],
            numbers: HashMap::new(),
            after: vec![[0; 2]],
            follows: [Chance::EVEN; 2],
            upper: Symbol::new(),
            lower: PerContext::new(256, Symbol::new),
            fresh: Number::new(),
            last: 0,
            list: Vec::new(),
        }
    }

    /// Events in the newest list.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// The `index`th event of the newest list; 0 behind its end.
    pub(crate) fn forward(&self, index: usize) -> u64 {
        self.list.get(index).copied().map_or(0, u64::from)
    }

    /// The same from the end.
    pub(crate) fn backward(&self, index: usize) -> u64 {
        let place = self.list.len().checked_sub(index + 1);
        place.map_or(0, |place| self.forward(place))
    }

    /// Forgets the newest list: another one begins.
    pub(crate) fn begin(&mut self) {
        self.list.clear();
    }

    /// Codes one event of the list that was begun.
    pub(crate) fn code<C: Coder>(&mut self, coder: &mut C, event: [u8; EVENT]) -> [u8; EVENT] {
        let wanted = if C::PACKS { self.numbers.get(&event).copied() } else { None }.unwrap_or(0);
        let number = self.code_number(coder, wanted);
        let known = usize::try_from(number).ok().filter(|number| *number != 0);
        let (event, number) = match known.and_then(|number| self.known.get(number)) {
            Some(event) => (*event, number),
            None => self.code_fresh(coder, event),
        };
        let last = &mut self.after[self.last as usize];
        if last[0] != number {
            *last = [number, last[0]];
        }
        self.last = number;
        self.list.push(number);
        event
    }

    fn code_number(&mut self, coder: &mut impl Coder, wanted: u32) -> u32 {
        let guesses = self.after[self.last as usize];
        for (rank, guess) in guesses.into_iter().enumerate() {
            if guess == 0 {
                continue;
            }
            if coder.bit(&mut self.follows[rank], u32::from(guess != wanted)) == 0 {
                return guess;
            }
        }
        let upper = self.upper.code(coder, (wanted >> 8) as u8);
        let lower = self.lower.at(usize::from(upper)).code(coder, wanted as u8);
        (u32::from(upper) << 8) | u32::from(lower)
    }

    fn code_fresh(&mut self, coder: &mut impl Coder, event: [u8; EVENT]) -> ([u8; EVENT], u32) {
        let [a, b, c, d, data @ ..] = event;
        let mask = self.fresh.code(coder, u64::from(u32::from_le_bytes([a, b, c, d])));
        let data = self.fresh.code(coder, u64::from_le_bytes(data));
        let mut event = [0; EVENT];
        event[..4].copy_from_slice(&(mask as u32).to_le_bytes());
        event[4..].copy_from_slice(&data.to_le_bytes());
        if self.known.len() >= MOST_EVENTS {
            return (event, 0);
        }
        let number = self.known.len() as u32;
        self.known.push(event);
        self.after.push([0; 2]);
        self.numbers.insert(event, number);
        (event, number)
    }
}
