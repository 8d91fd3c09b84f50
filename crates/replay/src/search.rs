//! The search for an exact replay of a parallel trace: which delays to try next.
//!
//! Threads that run one at a time, each until it has to wait, do what the recorded ones did, except
//! where one of them was slower than its record tells. So few delays are enough, and the most
//! likely are tried first: none, then one more than in the attempt that went furthest, nearest to
//! its end first; between these, several at random. An attempt that goes further than all others
//! before it is kept, and the search goes on from there. Delays under which the whole trace replays
//! identically are kept next to it.

use std::collections::{BTreeSet, VecDeque};

use wayfarer_runtime_abi::layout::{Delay, MAX_DELAYS};

/// How an attempt went.
pub struct Attempt {
    /// Events that it made before it differed.
    pub events: u64,
    /// Process and point, in order: after it a thread ran until it had to wait.
    pub turn_ends: Vec<(u16, u32)>,
}

/// Attempts that went equally far, from which the search goes on.
const MOST_BASES: usize = 16;
/// How many points next to a place count as near to it.
const NEAR: u64 = 24;
/// Each place is tried with so many accesses of others, in this order; 0: as many as can.
const OTHERS: [u16; 3] = [1, 0, 2];
/// The very last ones are tried with up to so many: a thread that runs beside one with many calls is seldom late by
/// just a few.
const LAST: usize = 3;
const MOST_OTHERS: u16 = 48;

struct Base {
    delays: Vec<Delay>,
    turn_ends: Vec<(u16, u32)>,
}

/// A search under way.
pub struct Search {
    tried: BTreeSet<Vec<Delay>>,
    furthest: u64,
    bases: Vec<Base>,
    /// One delay more than the first base, still to be tried.
    single: VecDeque<Vec<Delay>>,
    random: u64,
    turn: u64,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            tried: BTreeSet::new(),
            furthest: 0,
            bases: Vec::new(),
            single: VecDeque::new(),
            random: 0x9e37_79b9_7f4a_7c15,
            turn: 0,
        }
    }
}

impl Search {
    /// The next delays to try, sorted by process and point. `None`: there is nothing that was not tried.
    pub fn next_attempt(&mut self) -> Option<Vec<Delay>> {
        if self.tried.insert(Vec::new()) {
            return Some(Vec::new());
        }
        self.turn += 1;
        if self.turn.is_multiple_of(2)
            && let Some(delays) = self.next_single()
        {
            return Some(delays);
        }
        /// So many draws in a row that give nothing new: there is not much more.
        const PATIENCE: u32 = 200;
        for _ in 0..PATIENCE {
            if let Some(delays) = self.draw()
                && self.tried.insert(delays.clone())
            {
                return Some(delays);
            }
        }
        self.next_single()
    }

    /// These delays were tried, and the replay differed.
    pub fn differed(&mut self, delays: Vec<Delay>, attempt: Attempt) {
        if self.bases.is_empty() || attempt.events > self.furthest {
            self.furthest = attempt.events;
            self.bases.clear();
            self.single = one_more(&delays, &attempt.turn_ends);
        } else if attempt.events < self.furthest {
            return;
        }
        let base = Base {
            delays,
            turn_ends: attempt.turn_ends,
        };
        if self.bases.len() < MOST_BASES {
            self.bases.push(base);
        } else {
            let place = self.below(MOST_BASES as u64) as usize;
            self.bases[place] = base;
        }
    }

    fn next_single(&mut self) -> Option<Vec<Delay>> {
        while let Some(delays) = self.single.pop_front() {
            if self.tried.insert(delays.clone()) {
                return Some(delays);
            }
        }
        None
    }

    /// Several delays more than one of the bases.
    fn draw(&mut self) -> Option<Vec<Delay>> {
        let base = self.below(self.bases.len() as u64) as usize;
        let ends = self.bases.get(base)?.turn_ends.len() as u64;
        if ends == 0 {
            return None;
        }
        let mut delays = self.bases[base].delays.clone();
        if self.below(4) == 0 {
            // Perhaps one of them leads astray.
            let place = self.below(delays.len() as u64 + 1) as usize;
            delays.truncate(place);
        }
        let mut more = 1;
        while more < 8 && self.below(2) != 0 {
            more += 1;
        }
        for _ in 0..more {
            let reach = if self.below(2) == 0 {
                ends
            } else {
                ends.min(NEAR)
            };
            let place = ends - 1 - self.below(reach);
            let (process, point) = self.bases[base].turn_ends[place as usize];
            let before = if self.below(2) == 0 { self.below(4) } else { 0 };
            let others = match self.below(4) {
                0 => 0,
                1 => 2 + self.below(4),
                _ => 1,
            };
            let delay = Delay {
                point: point.saturating_sub(before as u32),
                process,
                others: others as u16,
            };
            add(&mut delays, delay);
        }
        Some(delays)
    }

    /// A number below `limit`, or 0.
    fn below(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11).checked_rem(limit).unwrap_or(0)
    }
}

/// All ways to add one delay, the last places first. Near the end the points before a place count as well: a thread
/// makes some accesses without having to wait.
fn one_more(delays: &[Delay], turn_ends: &[(u16, u32)]) -> VecDeque<Vec<Delay>> {
    let with = |others: u16, (process, point): (u16, u32)| {
        let mut more = delays.to_vec();
        let delay = Delay {
            point,
            process,
            others,
        };
        add(&mut more, delay);
        more
    };
    let places = || turn_ends.iter().copied().rev();
    let near = places().take(NEAR as usize).flat_map(|(process, point)| {
        let before = (0..4).filter_map(move |before| point.checked_sub(before));
        before.map(move |point| (process, point))
    });
    let far = places().skip(NEAR as usize);
    let near = OTHERS
        .iter()
        .flat_map(|others| near.clone().map(|place| with(*others, place)));
    let far = OTHERS
        .iter()
        .flat_map(|others| far.clone().map(|place| with(*others, place)));
    let last = (3..=MOST_OTHERS).flat_map(|others| {
        let places = places().take(LAST);
        places.map(move |place| with(others, place))
    });
    near.chain(last).chain(far).collect()
}

/// Puts a delay in its place; the newer of two at one point stays.
fn add(delays: &mut Vec<Delay>, delay: Delay) {
    let place = |delay: &Delay| (delay.process, delay.point);
    match delays.binary_search_by_key(&place(&delay), place) {
        Ok(found) => delays[found] = delay,
        Err(_) if delays.len() >= MAX_DELAYS => {}
        Err(found) => delays.insert(found, delay),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(count: u32) -> Vec<(u16, u32)> {
        (0..count).map(|point| (1, point * 3)).collect()
    }

    /// Attempts until one satisfies `good`; each that does not goes as far as `reaches` says.
    fn attempts(
        good: impl Fn(&[Delay]) -> bool,
        reaches: impl Fn(&[Delay]) -> u64,
        most: u32,
    ) -> Option<u32> {
        let mut search = Search::default();
        for attempt in 1..=most {
            let delays = search.next_attempt()?;
            let sorted = delays.is_sorted_by(|a, b| (a.process, a.point) < (b.process, b.point));
            assert!(sorted, "{delays:?}");
            if good(&delays) {
                return Some(attempt);
            }
            let events = reaches(&delays);
            let turn_ends = ends(40);
            search.differed(delays, Attempt { events, turn_ends });
        }
        None
    }

    fn has(delays: &[Delay], point: u32) -> bool {
        delays.iter().any(|delay| delay.point == point)
    }

    #[test]
    fn no_delay_is_tried_first() {
        assert_eq!(attempts(|delays| delays.is_empty(), |_| 1, 10), Some(1));
    }

    #[test]
    fn one_delay_anywhere_is_found() {
        let good = |delays: &[Delay]| delays.len() == 1 && has(delays, 6) && delays[0].others == 2;
        let found = attempts(good, |_| 1, 1000);
        assert!(
            found.is_some_and(|attempts| attempts <= 2 * (3 * (40 + 3 * 24) + 3 * 48)),
            "{found:?}"
        );
    }

    #[test]
    fn what_goes_further_is_kept() {
        // Four delays that each take the replay further, and none of which may be missing.
        let wanted = [9, 30, 60, 90];
        let reaches = |delays: &[Delay]| {
            wanted
                .iter()
                .take_while(|point| has(delays, **point))
                .count() as u64
        };
        let found = attempts(|delays| reaches(delays) == 4, reaches, 1000);
        assert!(found.is_some(), "{found:?}");
    }

    #[test]
    fn a_search_without_places_ends() {
        let mut search = Search::default();
        let first = search.next_attempt().expect("no delays");
        search.differed(
            first,
            Attempt {
                events: 0,
                turn_ends: Vec::new(),
            },
        );
        assert_eq!(search.next_attempt(), None);
    }
}
