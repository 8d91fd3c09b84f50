//! Records of sync objects: which object comes next, and how far its runs went meanwhile.
//!
//! A thread that takes over an object writes the number of the new run and the length of the run
//! before it. The number is told as the distance to the run that the same thread had last; two threads
//! that alternate are always two apart, and so a whole record mostly comes down to "as before".

use super::coder::{Chance, Coder};
use super::number::{Number, PerContext, Symbol, spread};

/// Objects that are remembered at a time; others share their places.
const PLACES: usize = 1 << 16;
/// Contexts of objects: which came after the last two.
const SUCCESSORS: usize = 1 << 14;
/// Contexts of distances and lengths: a share of the objects, and what stood there before.
const SHARES: u64 = 64;
const RECENT: u64 = 16;

/// What a thread last saw of an object.
#[derive(Clone, Copy, Default)]
struct Place {
    object: u64,
    run: u64,
    /// Which thread's: see [`Objects::thread`].
    thread: u32,
    length: u8,
    distance: u64,
}

/// An object that came after two others, and whether it did so again.
#[derive(Clone, Copy, Default)]
struct Successor {
    object: u64,
    trusted: bool,
}

/// The fields of an `ACQUIRE`, of whichever side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Acquire {
    pub(crate) object: u64,
    pub(crate) run: u64,
    /// The length byte.
    pub(crate) length: u8,
}

/// Learns how objects change hands.
pub(crate) struct Objects {
    /// Empty until the first object comes.
    places: Vec<Place>,
    successors: Vec<Successor>,
    /// Counts the parts of logs: places of another thread hold only habits.
    thread: u32,
    last: [u64; 2],
    /// Whether the newest records were as expected, one bit each.
    expected: usize,
    as_expected: [Chance; 256],
    same_object: PerContext<Chance>,
    objects: PerContext<Number>,
    distances: PerContext<Number>,
    lengths: PerContext<Symbol>,
    /// Numbers that count up or stand alone: of new objects, of last runs, of calls left out, of objects waited for.
    numbers: PerContext<Number>,
    last_number: [u64; KINDS],
}

/// Kinds of records that have the number of an object, or one in its place.
const KINDS: usize = 8;

/// What a number is told by its difference to.
#[derive(Clone, Copy)]
pub(crate) enum Base {
    Nothing,
    /// The same in the record before of its kind.
    LastOfKind,
    /// The object that changed hands last.
    LastAcquired,
}

impl Objects {
    pub(crate) fn new() -> Self {
        let contexts = (SHARES * RECENT) as usize;
        Self {
            places: Vec::new(),
            successors: Vec::new(),
            thread: 0,
            last: [0; 2],
            expected: 0,
            as_expected: [Chance::EVEN; 256],
            same_object: PerContext::new(4, || Chance::EVEN),
            objects: PerContext::new(2, Number::new),
            distances: PerContext::new(contexts, Number::new),
            lengths: PerContext::new(contexts, Symbol::new),
            numbers: PerContext::new(KINDS, Number::new),
            last_number: [0; KINDS],
        }
    }

    /// The log of another thread begins, or another part of one.
    pub(crate) fn begin(&mut self) {
        self.thread = self.thread.wrapping_add(1);
        self.last = [0; 2];
    }

    pub(crate) fn code(&mut self, coder: &mut impl Coder, given: Acquire) -> Acquire {
        if self.places.is_empty() {
            self.places = vec![Place::default(); PLACES];
            self.successors = vec![Successor::default(); SUCCESSORS];
        }
        let successor = spread(&[self.last[0], self.last[1]]) % SUCCESSORS;
        let guess = self.successors[successor];
        let coded = self.code_with(coder, guess, given);
        let place = &mut self.places[place_of(coded.object)];
        let known = place.object == coded.object && place.thread == self.thread;
        let before = if known { place.run } else { 0 };
        *place = Place {
            object: coded.object,
            run: coded.run,
            thread: self.thread,
            length: coded.length,
            distance: coded.run.wrapping_sub(before),
        };
        let same = guess.object == coded.object;
        if same || !guess.trusted {
            self.successors[successor] = Successor {
                object: coded.object,
                trusted: same,
            };
        } else {
            self.successors[successor].trusted = false;
        }
        self.last = [coded.object, self.last[0]];
        coded
    }

    fn code_with(&mut self, coder: &mut impl Coder, guess: Successor, given: Acquire) -> Acquire {
        let (run, distance, length) = self.habits(guess.object);
        let expected = Acquire {
            object: guess.object,
            run: run.wrapping_add(distance),
            length,
        };
        let chance = &mut self.as_expected[self.expected & 0xff];
        let other = coder.bit(chance, u32::from(given != expected));
        self.expected = (self.expected << 1) | other as usize;
        if other == 0 {
            return expected;
        }
        let chance = self.same_object.at(usize::from(guess.trusted));
        let object = match coder.bit(chance, u32::from(given.object != guess.object)) {
            0 => guess.object,
            _ => {
                let difference = zigzag(given.object.wrapping_sub(self.last[0]));
                let coded = self.objects.at(0).code(coder, difference);
                self.last[0].wrapping_add(unzigzag(coded))
            }
        };
        let (run, distance, length) = self.habits(object);
        let share = (object % SHARES) * RECENT;
        let context = (share + recent(distance)) as usize;
        let difference = given.run.wrapping_sub(run);
        let difference = self.distances.at(context).code(coder, difference);
        let context = (share + recent(u64::from(length))) as usize;
        let length = self.lengths.at(context).code(coder, given.length);
        Acquire {
            object,
            run: run.wrapping_add(difference),
            length,
        }
    }

    /// Last run of an object in this thread, and distance and length as they were the last time.
    fn habits(&self, object: u64) -> (u64, u64, u8) {
        let place = self.places[place_of(object)];
        if place.object != object {
            return (0, 1, 1);
        }
        let run = if place.thread == self.thread {
            place.run
        } else {
            0
        };
        (run, place.distance, place.length)
    }

    /// Codes the number of a record of another kind that concerns objects; `kind`: a small number.
    pub(crate) fn code_number(
        &mut self,
        coder: &mut impl Coder,
        kind: usize,
        base: Base,
        number: u64,
    ) -> u64 {
        let kind = kind % self.last_number.len();
        let base = match base {
            Base::Nothing => 0,
            Base::LastOfKind => self.last_number[kind],
            Base::LastAcquired => self.last[0],
        };
        let difference = zigzag(number.wrapping_sub(base));
        let coded = self.numbers.at(kind).code(coder, difference);
        self.last_number[kind] = base.wrapping_add(unzigzag(coded));
        self.last_number[kind]
    }
}

fn place_of(object: u64) -> usize {
    object as usize % PLACES
}

/// A number as context: small ones as they are, larger ones by their size.
fn recent(value: u64) -> u64 {
    match value {
        0..8 => value,
        _ => u64::from(64 - value.leading_zeros()).min(RECENT - 5) + 4,
    }
}

fn zigzag(difference: u64) -> u64 {
    wayfarer_runtime_abi::encode::zigzag(difference as i64)
}

fn unzigzag(value: u64) -> u64 {
    wayfarer_runtime_abi::encode::unzigzag(value) as u64
}
