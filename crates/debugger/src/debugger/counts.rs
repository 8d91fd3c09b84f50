//! How often breakpoints were hit, and how many hits they still pass over.
//!
//! Hits are counted where it is decided whether they stop: in the back end, which can pass over a million hits without
//! a word, or here, where it cannot decide ([`Breakpoint::asks_us`]). A back end counts from when the breakpoint was
//! put into it. What it has counted is taken over before it is told to forget the breakpoint, and what it still passes
//! over is asked for before it is told the options again.

use std::collections::BTreeMap;

use wayfarer_backend::BreakpointId;

use super::Debugger;
use crate::Result;
use crate::breakpoint::{Breakpoint, id_of, number_of};

/// What back ends have counted, by the number of the breakpoint: hits, and those that they still pass over.
#[derive(Default)]
pub(super) struct Counts(BTreeMap<u32, (u64, u64)>);

impl Counts {
    /// Hits of a breakpoint, and those that it still passes over.
    pub fn of(&self, breakpoint: &Breakpoint) -> (u64, u64) {
        match self.0.get(&breakpoint.number) {
            Some((hits, left)) if !breakpoint.asks_us => (breakpoint.own_hits + hits, *left),
            _ => (breakpoint.own_hits, breakpoint.ignore),
        }
    }
}

impl Debugger {
    /// Asks back ends what they have counted.
    pub(super) fn counts<'n>(&self, numbers: impl IntoIterator<Item = &'n u32>) -> Counts {
        let ids: Vec<BreakpointId> = numbers.into_iter().map(|&number| id_of(number)).collect();
        let mut counts = Counts::default();
        if ids.is_empty() {
            return counts;
        }
        for backend in self.backends.all() {
            // One that has gone counts no more.
            for told in backend.get_hits(ids.clone()).unwrap_or_default() {
                let Some(number) = number_of(told.id) else {
                    continue;
                };
                let (hits, left) = counts.0.entry(number).or_default();
                *hits += told.hits;
                // Only one of several back ends passes anything over.
                *left = told.ignore_left.max(*left);
            }
        }
        counts
    }

    /// How many hits a breakpoint still passes over.
    pub(super) fn still_ignored(&self, breakpoint: &Breakpoint) -> u64 {
        match breakpoint.ignore {
            // Nobody passes over more than was asked for.
            0 => 0,
            _ => self.counts([&breakpoint.number]).of(breakpoint).1,
        }
    }

    /// Takes over what back ends have counted, because they are about to forget it.
    pub(super) fn keep_hits(&mut self, number: u32) -> Result<()> {
        let counts = self.counts([&number]);
        let breakpoint = self.breakpoint_mut(number)?;
        (breakpoint.own_hits, breakpoint.ignore) = counts.of(breakpoint);
        Ok(())
    }

    /// Learns what is still passed over, because back ends are about to be told again.
    pub(super) fn refresh_ignore(&mut self, number: u32) {
        let left = self
            .breakpoints
            .get(&number)
            .map(|breakpoint| self.still_ignored(breakpoint));
        if let (Some(left), Some(breakpoint)) = (left, self.breakpoints.get_mut(&number)) {
            breakpoint.ignore = left;
        }
    }
}
