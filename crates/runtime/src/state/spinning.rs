//! Serial mode: threads that wait for another one in a loop of their own.
//!
//! Spinning threads (redis with io-threads, libgomp, hand-made barriers) wait for others that
//! cannot run before they yield. Such a loop reads memory, and nothing that it keeps changes but
//! perhaps one counter. So while recording, the registers of a thread that makes no events are
//! sampled (a *look*). In eight looks, 25 µs and more apart, each register of a loop that waits has
//! one value, or a few that return as the loop is met at one place or another, or it is the
//! counter; no vector register changes. Code that computes has others. Three looks are enough for a
//! loop that was found before. Looks that are all the same may be one moment, when signals arrive
//! faster than the thread advances; then they take longer. A thread in such a loop has no use for
//! its turn and gives it away. It sleeps until another thread had a turn, 0.5 to 4 ms at most,
//! instead of spinning on: recorded so, redis with four io-threads is faster on two cores than
//! plain, and a replay has less to spin.
//!
//! A [`Spin`] is what all looks have in common: where the loop is, which registers are steady, and
//! checksums of them. It goes into the log. A replay ends the turn where it meets the thread in the
//! same loop, two times with the same registers, or four times with those that functions keep
//! (others may have been left by our own functions, which differ in a replay). That is exact,
//! because all rounds of such a loop are the same. It must not be later than in the recording,
//! because a loop may end after so many rounds, as libgomp's does; so a replay looks more often.

use wayfarer_entrance::signal_frame::SigContext;

/// General registers but the stack pointer; those that functions keep for their callers come first.
const REGISTERS: usize = 15;
pub const ALL: u16 = 0x7fff;
pub const KEPT: u16 = 0x3f;
/// So many bytes at both ends of a loop may be part of it, too.
const MARGIN: usize = 32;
/// So many looks in a row tell, and so many in a loop that is known.
const ENOUGH: usize = 8;
const ENOUGH_IF_KNOWN: usize = 3;
/// If so many have not told, the thread computes.
const MOST: u32 = 40;
/// So many looks that are all the same tell as well. Fewer may be looks at one moment: on a busy machine the next signal
/// is there before the thread has got anywhere. So there is more and more time between them.
const ENOUGH_IF_SAME: u32 = 10;
const ENOUGH_IF_SAME_AND_KNOWN: u32 = 6;
const MOST_DOUBLINGS: u32 = 5;
/// No loop that only waits is longer, in bytes, and none calls functions with more on the stack.
const LONGEST: usize = 256;
const DEEPEST: usize = 256;
/// Looks that come sooner after each other, in processor time, are one: several threads may look at once.
const APART_NS: u64 = 10_000;
/// How long a loop is looked at, at least.
const SHORTEST_NS: u64 = 75_000;
/// Loops that a thread remembers.
const MAX_KNOWN: usize = 4;

pub type Registers = [usize; REGISTERS];

/// A loop that waits, as one turn ended in it.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Spin {
    /// Where it was met, from the first place to the last; 0: no loop.
    pub first: usize,
    pub last: usize,
    /// Which registers have the same value all the time, by bits, and checksums of them and the stack pointer: of those
    /// that are kept, and of all.
    pub steady: u16,
    pub kept: u32,
    pub all: u32,
    /// For how long the thread had been looked at, in microseconds of its processor time.
    pub after_us: u32,
}

impl Spin {
    pub const ENCODED: usize = 24;

    /// # Safety
    /// There is room for [`Spin::ENCODED`] bytes.
    pub unsafe fn encode(&self, place: *mut u8) -> *mut u8 {
        let length = self.last.wrapping_sub(self.first) as u16;
        // SAFETY: as the caller says.
        unsafe {
            place.cast::<u64>().write_unaligned(self.first as u64);
            place.add(8).cast::<u16>().write_unaligned(length);
            place.add(10).cast::<u16>().write_unaligned(self.steady);
            place.add(12).cast::<u32>().write_unaligned(self.kept);
            place.add(16).cast::<u32>().write_unaligned(self.all);
            place.add(20).cast::<u32>().write_unaligned(self.after_us);
            place.add(Self::ENCODED)
        }
    }

    pub fn decode(bytes: &[u8]) -> Option<Spin> {
        let (first, rest) = bytes.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (steady, rest) = rest.split_first_chunk()?;
        let (kept, rest) = rest.split_first_chunk()?;
        let (all, rest) = rest.split_first_chunk()?;
        let (after_us, _) = rest.split_first_chunk()?;
        let first = u64::from_le_bytes(*first) as usize;
        Some(Spin {
            first,
            last: first.wrapping_add(usize::from(u16::from_le_bytes(*length))),
            steady: u16::from_le_bytes(*steady),
            kept: u32::from_le_bytes(*kept),
            all: u32::from_le_bytes(*all),
            after_us: u32::from_le_bytes(*after_us),
        })
    }

    /// Whether a thread that was stopped is in this loop, of which not every place may have been met.
    pub fn find(&self, registers: &SigContext) -> Option<Found> {
        let values = general(registers);
        let is_near = self.first != 0
            && (self.first - MARGIN..=self.last + MARGIN).contains(&registers.rip)
            && self.kept == checksum(KEPT & self.steady, registers.rsp, &values);
        let steady = checksum(self.steady, registers.rsp, &values);
        is_near.then_some(Found {
            steady,
            is_same: steady == self.all,
        })
    }
}

/// A look that found a thread in a loop.
pub struct Found {
    /// A checksum of what does not change in the loop.
    pub steady: u32,
    /// It is that of the recording. If not, the rest may be what our own functions left there, which are others in a
    /// replay.
    pub is_same: bool,
}

/// The time to the next look, after so many at what may be the same moment.
pub fn pause_us(usual_us: u64, same: u32) -> u64 {
    usual_us << same.min(MOST_DOUBLINGS)
}

/// A loop that was found before: where it is, and which registers change in it.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Known {
    first: usize,
    last: usize,
    changing: u16,
    /// Checksum of the kept registers that do not. What others have may be left from before the loop.
    check: u32,
}

impl Known {
    fn has(&self, code: usize, stack: usize, registers: &Registers) -> bool {
        (self.first..=self.last).contains(&code)
            && self.check == checksum(KEPT & !self.changing, stack, registers)
    }
}

pub fn general(registers: &SigContext) -> Registers {
    let r = registers;
    [
        r.rbx, r.rbp, r.r12, r.r13, r.r14, r.r15, r.r8, r.r9, r.r10, r.r11, r.rdi, r.rsi, r.rdx,
        r.rax, r.rcx,
    ]
}

pub fn checksum(which: u16, stack: usize, registers: &Registers) -> u32 {
    let mut check = stack as u64;
    for (number, value) in registers.iter().enumerate() {
        if which >> number & 1 != 0 {
            check = mix(check, *value as u64);
        }
    }
    (check ^ check >> 32) as u32
}

fn mix(check: u64, value: u64) -> u64 {
    (check.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A checksum of the vector registers, which no loop that waits touches.
fn vectors(registers: &SigContext) -> u64 {
    const VECTORS: usize = 160;
    const WORDS: usize = 32;
    if registers.vector_state == 0 {
        return 0;
    }
    let words = (registers.vector_state + VECTORS) as *const u64;
    let mut check = 0;
    for word in 0..WORDS {
        // SAFETY: the kernel's copy of the 16 vector registers, in the signal frame.
        check = mix(check, unsafe { words.add(word).read_unaligned() });
    }
    check
}

/// One look at a thread.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    code: usize,
    registers: Registers,
}

/// What was seen of a thread that makes no events; all zero at first.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Looks {
    /// The last ones, the newest first, and how many of them there are.
    last: [Look; ENOUGH],
    count: usize,
    /// How many looks there were in all since the thread computed, if it did, and how many of the last ones are all the
    /// same.
    tries: u32,
    pub same: u32,
    events: u64,
    stack: usize,
    vectors: u64,
    first_ns: u64,
    last_ns: u64,
    known: [Known; MAX_KNOWN],
    known_next: usize,
}

/// Recording: a thread that gave its turn away because it waited in a loop; all zero at first.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Spun {
    /// In which loop; `after_us` does not count.
    spin: Spin,
    /// How many events it had made, plus one.
    events: u64,
    /// Its processor time when it last got its turn back.
    back_ns: u64,
    /// How often in a row it found nothing to do.
    pub idle: u32,
}

impl Spun {
    /// A thread with less processor time in a turn has only been in its loop, and been looked at.
    const IDLE_NS: u64 = 500_000;

    /// Whether the thread has made no event since.
    #[inline(always)]
    pub fn has_just(&self, events: u64) -> bool {
        self.events == events.wrapping_add(1)
    }

    /// The thread gives its turn away, after so much processor time; whether it has found something to do since the last
    /// time.
    pub fn again(&mut self, mut spin: Spin, events: u64, now_ns: u64) -> bool {
        spin.after_us = 0;
        let was_idle = self.has_just(events)
            && self.spin == spin
            && now_ns.wrapping_sub(self.back_ns) < Self::IDLE_NS;
        self.spin = spin;
        self.events = events.wrapping_add(1);
        self.idle = if was_idle {
            self.idle.saturating_add(1)
        } else {
            0
        };
        !was_idle
    }

    /// The thread has its turn back.
    pub fn back(&mut self, now_ns: u64) {
        self.back_ns = now_ns;
    }
}

/// What a look at a thread tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing yet, and more looks would tell.
    Perhaps,
    /// Nothing: it was looked at just before, or for the first time.
    Unknown,
    Computes,
    Waits(Spin),
}

/// Looks at a thread that was stopped in the middle of its own code, after so much processor time.
pub fn judge(looks: &mut Looks, registers: &SigContext, events: u64, now_ns: u64) -> Verdict {
    let look = Look {
        code: registers.rip,
        registers: general(registers),
    };
    if looks.count == 0 || looks.events != events {
        looks.begin(registers, look, events, now_ns);
        looks.tries = 0;
        return if looks.known().is_some() {
            Verdict::Perhaps
        } else {
            Verdict::Unknown
        };
    }
    looks.tries += 1;
    if looks.tries > MOST {
        looks.count = 0;
        return Verdict::Computes;
    }
    if is_below(registers.rsp, looks.stack) {
        // In a function that the loop calls, perhaps.
        return Verdict::Perhaps;
    }
    if looks.stack != registers.rsp || looks.vectors != vectors(registers) {
        let was_below = is_below(looks.stack, registers.rsp);
        looks.begin(registers, look, events, now_ns);
        return if was_below || looks.known().is_some() {
            Verdict::Perhaps
        } else {
            Verdict::Computes
        };
    }
    looks.add(look);
    let found = looks.known_loop().or_else(|| looks.new_loop());
    // A replay has to be faster.
    let looked_ns = now_ns.wrapping_sub(looks.first_ns);
    let Some(found) = found.filter(|_| looked_ns >= SHORTEST_NS) else {
        return Verdict::Perhaps;
    };
    let steady = ALL & !found.changing;
    looks.count = 0;
    Verdict::Waits(Spin {
        first: found.first,
        last: found.last,
        steady,
        kept: checksum(KEPT & steady, looks.stack, &look.registers),
        all: checksum(steady, looks.stack, &look.registers),
        after_us: (looked_ns / 1000).min(u64::from(u32::MAX)) as u32,
    })
}

/// Whether a stack pointer is that of a function called from where another one is.
pub fn is_below(stack: usize, other: usize) -> bool {
    stack < other && other - stack <= DEEPEST
}

impl Looks {
    /// Whether the thread was looked at just before.
    pub fn is_too_soon(&self, now_ns: u64) -> bool {
        self.count != 0 && now_ns.wrapping_sub(self.last_ns) < APART_NS
    }

    /// The look is over: what it took is not the thread's.
    pub fn end(&mut self, now_ns: u64) {
        self.last_ns = now_ns;
    }

    fn begin(&mut self, registers: &SigContext, look: Look, events: u64, now_ns: u64) {
        self.count = 1;
        self.same = 1;
        self.events = events;
        self.stack = registers.rsp;
        self.vectors = vectors(registers);
        self.first_ns = now_ns;
        self.last[0] = look;
    }

    fn add(&mut self, look: Look) {
        let [newest, ..] = &self.last;
        self.same = if *newest == look { self.same + 1 } else { 1 };
        self.last.copy_within(..ENOUGH - 1, 1);
        self.last[0] = look;
        self.count = (self.count + 1).min(ENOUGH);
    }

    /// The loop that is known in which the newest look is.
    fn known(&self) -> Option<Known> {
        let [newest, ..] = &self.last;
        let has = |known: &&Known| known.has(newest.code, self.stack, &newest.registers);
        self.known.iter().find(has).copied()
    }

    /// The same if all of the last looks are there, and nothing else changes than did before.
    fn known_loop(&self) -> Option<Known> {
        let enough = match self.same as usize {
            ..ENOUGH_IF_KNOWN => ENOUGH_IF_KNOWN,
            _ if self.same < ENOUGH_IF_SAME_AND_KNOWN => return None,
            _ => ENOUGH_IF_SAME_AND_KNOWN as usize,
        };
        if self.count < enough {
            return None;
        }
        let known = self.known()?;
        let looks = self.last.get(..enough)?;
        let [newest, ..] = looks else { return None };
        let steady = ALL & !known.changing;
        let is_same = |look: &Look| {
            known.has(look.code, self.stack, &look.registers)
                && differing(&look.registers, &newest.registers) & steady == 0
        };
        looks.iter().all(is_same).then_some(known)
    }

    /// A loop that was not known before, or not as much of it.
    fn new_loop(&mut self) -> Option<Known> {
        let is_one_moment = (ENOUGH as u32..ENOUGH_IF_SAME).contains(&self.same);
        if self.count < ENOUGH || is_one_moment {
            return None;
        }
        let mut found = Known {
            first: self.last.iter().map(|look| look.code).min()?,
            last: self.last.iter().map(|look| look.code).max()?,
            changing: changing(&self.last)?,
            check: 0,
        };
        if found.last - found.first > LONGEST {
            return None;
        }
        let [newest, ..] = self.last;
        let stack = self.stack;
        let is_part = |known: &&mut Known| {
            known.first != 0
                && known.last.max(found.last) - known.first.min(found.first) <= LONGEST
                && known.check == checksum(KEPT & !known.changing, stack, &newest.registers)
        };
        let place = match self.known.iter_mut().find(is_part) {
            Some(known) => {
                found.first = found.first.min(known.first);
                found.last = found.last.max(known.last);
                found.changing |= known.changing;
                known
            }
            None => {
                let next = self.known_next % MAX_KNOWN;
                self.known_next = self.known_next.wrapping_add(1);
                self.known.get_mut(next)?
            }
        };
        found.check = checksum(KEPT & !found.changing, stack, &newest.registers);
        *place = found;
        Some(found)
    }
}

fn differing(one: &Registers, other: &Registers) -> u16 {
    let mut differing = 0;
    for (number, (one, other)) in one.iter().zip(other).enumerate() {
        if one != other {
            differing |= 1 << number;
        }
    }
    differing
}

/// The registers, by bits, that had several values; `None` if this is not a loop that waits. What depends on where the loop
/// is met comes and goes: a value that was there and never again is of other code, before the loop or after it. There
/// may be one counter, perhaps one that starts anew all the time. Instructions that move strings have two or three.
fn changing(looks: &[Look; ENOUGH]) -> Option<u16> {
    let [newest, ..] = looks;
    let mut changing = 0;
    for look in looks {
        changing |= differing(&look.registers, &newest.registers);
    }
    let mut counters = 0;
    for register in 0..REGISTERS {
        let values = looks.map(|look| look.registers[register]);
        let is_steady = changing >> register & 1 == 0;
        counters += u32::from(!is_steady && !values.iter().all(|value| returns(&values, *value)));
    }
    (counters <= 1).then_some(changing)
}

/// Whether a value comes back after others.
fn returns(values: &[usize; ENOUGH], value: usize) -> bool {
    let mut comings = 0;
    let mut before = None;
    for now in values {
        comings += u32::from(*now == value && before != Some(value));
        before = Some(*now);
    }
    comings > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(register: [usize; ENOUGH]) -> [Look; ENOUGH] {
        register.map(|value| {
            let mut registers = [7; REGISTERS];
            registers[4] = value;
            Look { code: 1, registers }
        })
    }

    #[test]
    fn a_loop_that_waits_changes_nothing_but_a_counter() {
        let one = Some(1 << 4);
        assert_eq!(changing(&looks([1; ENOUGH])), Some(0));
        assert_eq!(changing(&looks([1, 2, 1, 3, 2, 3, 1, 1])), one);
        assert_eq!(changing(&looks([10, 20, 31, 40, 50, 61, 70, 81])), one);
        assert_eq!(changing(&looks([10, 31, 20, 40, 50, 61, 9, 17])), one);
        let mut two_counters = looks([10, 20, 31, 40, 50, 61, 70, 81]);
        for (number, look) in two_counters.iter_mut().enumerate() {
            look.registers[9] = number;
        }
        assert_eq!(changing(&two_counters), None);
    }

    #[test]
    fn looks_at_other_code_do_not_make_a_loop_larger() {
        let mut looks = looks([1; ENOUGH]);
        looks[3].registers[8] = 33;
        assert_eq!(changing(&looks), Some(1 << 8));
        looks[3].registers[9] = 44;
        assert_eq!(changing(&looks), None);
        looks[4] = looks[3];
        assert_eq!(changing(&looks), None);
    }

    #[test]
    fn a_spin_is_read_as_written() {
        let spin = Spin {
            first: 0x5555_1234_5678,
            last: 0x5555_1234_5699,
            steady: 0x7abc,
            kept: 0xdead_beef,
            all: 0x1234_5678,
            after_us: 654,
        };
        let mut bytes = [0; Spin::ENCODED];
        // SAFETY: as long as it says.
        unsafe { spin.encode(bytes.as_mut_ptr()) };
        assert_eq!(Spin::decode(&bytes), Some(spin));
        assert_eq!(Spin::decode(&bytes[1..]), None);
    }
}
