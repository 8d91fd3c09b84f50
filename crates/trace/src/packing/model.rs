//! What is known about records: which kind follows which, and how their fields repeat.

use std::collections::HashMap;

use wayfarer_runtime_abi::encode::unzigzag;
use wayfarer_runtime_abi::record;

use super::coder::{Chance, Coder};
use super::events::Events;
use super::guess::Guesses;
use super::number::{Number, PerContext, Symbol, spread};
use super::shape::{Shape, kind_number, shape};
use super::sync::{Acquire, Base, Objects};
use super::timeline::{Timeline, coarse};

/// A record without its payload. Values are as in the log, before zigzag is undone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// Tag with the payload bit.
    pub(crate) first: u8,
    pub(crate) number: u64,
    pub(crate) check: u8,
    pub(crate) value: u64,
    /// Of the payload.
    pub(crate) length: u64,
}

impl Head {
    pub(crate) fn of(head: &record::Head) -> Self {
        Self {
            first: head.first,
            number: head.number,
            check: head.check,
            value: head.value,
            length: head.length,
        }
    }

    /// As it stands in the log.
    pub(crate) fn written(&self) -> record::Head {
        record::Head::coded(self.first, self.number, self.check, self.value, self.length)
    }
}

/// What comes next in a log.
pub(crate) enum Coded {
    /// A record, and its kind.
    Record(Head, u8),
    /// That many bytes as they are.
    Foreign(u64),
}

/// Kinds of records as the model counts them.
pub(crate) mod kind {
    /// One that is not in the list of kinds: it is spelt out.
    pub(crate) const SPELT: u8 = 0;
    /// Bytes that are kept as they are, a number of them.
    pub(crate) const FOREIGN: u8 = 1;
    /// The first number of a listed kind.
    pub(super) const FIRST: usize = 2;
}

const HISTORY: usize = 6;

/// Memory of one kind.
#[derive(Clone, Copy, Default)]
struct Memory {
    check: u8,
    value: u64,
    /// Payload bytes per unit of the result, where it divides.
    ratio: u64,
}

pub(crate) struct Model {
    /// First byte and number of each listed kind.
    listed: Vec<(u8, u64)>,
    numbers: HashMap<(u8, u64), u8>,
    memory: Vec<Memory>,
    /// Kinds of the last records, newest first.
    history: [u8; HISTORY],
    /// Newest first. Of calls that give bytes away the check is left out: it is as good as random.
    last_checks: [u8; 2],

    kind_guesses: Guesses<3>,
    kinds: PerContext<Symbol>,
    spelt_first: Symbol,
    spelt_number: Number,
    foreign: Number,
    check_guesses: Guesses<4>,
    checks: PerContext<Symbol>,
    value_guesses: Guesses<3>,
    value_relative: PerContext<Chance>,
    values: PerContext<Number>,
    clocks: PerContext<Number>,
    length_fits: PerContext<Chance>,
    length_guesses: Guesses<2>,
    lengths: PerContext<Number>,

    pub(crate) events: Events,
    pub(crate) objects: Objects,
    /// Reads and writes since the newest ready list: mostly one for each of its events.
    answered: usize,
    timeline: Timeline,

    referred: Chance,
    reference_guesses: Guesses<1>,
    references: Number,
    last_reference: u64,
}

impl Model {
    pub(crate) fn new() -> Self {
        let even = || Chance::EVEN;
        Self {
            listed: Vec::new(),
            numbers: HashMap::new(),
            memory: vec![Memory::default(); kind::FIRST],
            history: [kind::SPELT; HISTORY],
            last_checks: [0; 2],
            kind_guesses: Guesses::new(),
            kinds: PerContext::new(256, Symbol::new),
            spelt_first: Symbol::new(),
            spelt_number: Number::new(),
            foreign: Number::new(),
            check_guesses: Guesses::new(),
            checks: PerContext::new(256, Symbol::new),
            value_guesses: Guesses::new(),
            value_relative: PerContext::new(256, even),
            values: PerContext::new(512, Number::new),
            clocks: PerContext::new(1024, Number::new),
            length_fits: PerContext::new(256, even),
            length_guesses: Guesses::new(),
            lengths: PerContext::new(256, Number::new),
            events: Events::new(),
            objects: Objects::new(),
            answered: 0,
            timeline: Timeline::default(),
            referred: Chance::EVEN,
            reference_guesses: Guesses::new(),
            references: Number::new(),
            last_reference: 0,
        }
    }

    /// Codes a record's head. When unpacking, none is given, and it may turn out that foreign bytes
    /// come instead; a tag that does not exist comes out as `Err`.
    pub(crate) fn code(&mut self, coder: &mut impl Coder, head: Option<Head>) -> Result<Coded, u8> {
        let kind = self.code_kind(coder, head.as_ref());
        let given = head.unwrap_or_default();
        let (first, number) = match kind {
            kind::FOREIGN => return Ok(Coded::Foreign(self.foreign.code(coder, 0))),
            kind::SPELT => self.spell(coder, &given)?,
            listed => self.listed[usize::from(listed) - kind::FIRST],
        };
        let tag = first & !record::PAYLOAD;
        let shape = shape(tag).ok_or(tag)?;
        let mut coded = Head {
            first,
            number,
            ..Head::default()
        };
        let is_acquire = record::is_acquire(tag);
        if is_acquire {
            let acquire = Acquire {
                object: given.number,
                run: given.value,
                length: given.check,
            };
            let acquire = self.objects.code(coder, acquire);
            (coded.number, coded.value, coded.check) =
                (acquire.object, acquire.run, acquire.length);
        } else if shape == Shape::Sync {
            let which = usize::from(tag - record::ACQUIRE);
            let base = match tag {
                record::OUTCOME => Base::Nothing,
                record::WAIT | record::POSTS => Base::LastAcquired,
                _ => Base::LastOfKind,
            };
            coded.number = self.objects.code_number(coder, which, base, given.number);
        }
        if !is_acquire && matches!(shape, Shape::Call | Shape::Sync) {
            coded.check = self.code_check(coder, kind, given.check);
        }
        if shape != Shape::Bare && !is_acquire {
            coded.value = match tag.checked_sub(record::CLOCK) {
                Some(clock) => self.code_clock(coder, kind, clock, given.value),
                None => self.code_value(coder, kind, coded.check, given.value),
            };
        }
        if first & record::PAYLOAD != 0 {
            coded.length = self.code_length(coder, kind, coded.value, given.length);
        }
        self.remember(kind, &coded, shape);
        Ok(Coded::Record(coded, kind))
    }

    /// Codes that `length` foreign bytes come. For packing.
    pub(crate) fn code_foreign(&mut self, coder: &mut impl Coder, length: u64) {
        self.code_kind(coder, None);
        self.foreign.code(coder, length);
    }

    fn code_kind<C: Coder>(&mut self, coder: &mut C, head: Option<&Head>) -> u8 {
        let wanted = match head {
            Some(head) if C::PACKS => self
                .numbers
                .get(&(head.first, kind_number(head.first, head.number)))
                .copied()
                .unwrap_or(kind::SPELT),
            _ => kind::FOREIGN,
        };
        let past = self.history.map(u64::from);
        let left = self.events.count().saturating_sub(self.answered).min(2) as u64;
        let contexts = [
            spread(&[1, past[0], past[1], past[2], past[3], left]),
            spread(&[2, past[0], past[1], past[2], past[3], past[4], past[5]]),
            spread(&[3, past[0], past[1]]),
        ];
        let before = usize::from(self.history[0]);
        let guessed = self
            .kind_guesses
            .code(coder, before, contexts, u64::from(wanted));
        let coded = match guessed {
            Some(kind) => kind as u8,
            None => self.kinds.at(before).code(coder, wanted),
        };
        // Bad bytes may name a kind that is not listed yet.
        let listed = usize::from(coded) < kind::FIRST + self.listed.len();
        let coded = if listed { coded } else { kind::SPELT };
        self.kind_guesses.learn(contexts, u64::from(coded));
        coded
    }

    /// Codes first byte and number of a kind that is not listed, and lists it where there is room.
    fn spell(&mut self, coder: &mut impl Coder, given: &Head) -> Result<(u8, u64), u8> {
        let first = self.spelt_first.code(coder, given.first);
        let tag = first & !record::PAYLOAD;
        let number = match shape(tag).ok_or(tag)? {
            Shape::Call => self.spelt_number.code(coder, given.number),
            _ => 0,
        };
        let next = kind::FIRST + self.listed.len();
        if let Ok(next) = u8::try_from(next) {
            self.listed.push((first, number));
            self.numbers.insert((first, number), next);
            self.memory.push(Memory::default());
        }
        Ok((first, number))
    }

    fn code_check(&mut self, coder: &mut impl Coder, kind: u8, check: u8) -> u8 {
        let owner = u64::from(kind);
        let past = self.history.map(u64::from);
        let [last, before] = self.last_checks.map(u64::from);
        let this = self.events.peer(self.answered);
        let previous = self
            .answered
            .checked_sub(1)
            .map_or(0, |index| self.events.peer(index));
        let contexts = [
            spread(&[4, owner, past[0], past[1], this]),
            spread(&[5, owner, past[0], past[1], previous]),
            spread(&[6, owner, past[0], last, before]),
            spread(&[7, owner, u64::from(self.memory[usize::from(kind)].check)]),
        ];
        let owner = usize::from(kind);
        let coded = match self
            .check_guesses
            .code(coder, owner, contexts, u64::from(check))
        {
            Some(check) => check as u8,
            None => self.checks.at(owner).code(coder, check),
        };
        self.check_guesses.learn(contexts, u64::from(coded));
        coded
    }

    /// A clock's advance, in the light of what other clocks say has passed.
    fn code_clock(&mut self, coder: &mut impl Coder, kind: u8, clock: u8, value: u64) -> u64 {
        let past = self.history.map(u64::from);
        let context = match self.timeline.passed(clock) {
            0 => [u64::from(kind), past[0], past[1]],
            passed => [
                u64::from(kind),
                past[0],
                1 << 32 | u64::from(coarse(passed)),
            ],
        };
        let coded = self.clocks.at(spread(&context)).code(coder, value);
        self.timeline.advance(clock, unzigzag(coded));
        coded
    }

    fn code_value(&mut self, coder: &mut impl Coder, kind: u8, check: u8, value: u64) -> u64 {
        let last = self.memory[usize::from(kind)].value;
        let owner = u64::from(kind);
        let contexts = [
            spread(&[8, owner, u64::from(check)]),
            spread(&[9, owner]),
            spread(&[10, owner, last]),
        ];
        let owner = usize::from(kind);
        let guessed = self.value_guesses.code(coder, owner, contexts, value);
        let coded = guessed.unwrap_or_else(|| {
            let difference = signed(value.wrapping_sub(last));
            let nearer = difference < value;
            match coder.bit(self.value_relative.at(owner), u32::from(nearer)) {
                0 => self.values.at(2 * owner).code(coder, value),
                _ => {
                    let difference = self.values.at(2 * owner + 1).code(coder, difference);
                    last.wrapping_add(unzigzag(difference) as u64)
                }
            }
        });
        self.value_guesses.learn(contexts, coded);
        coded
    }

    fn code_length(&mut self, coder: &mut impl Coder, kind: u8, value: u64, length: u64) -> u64 {
        let owner = usize::from(kind);
        let ratio = self.memory[owner].ratio;
        let result = unzigzag(value).max(0) as u64;
        let fitting = result.saturating_mul(ratio);
        if fitting != 0 {
            let misfit = u32::from(fitting != length);
            if coder.bit(self.length_fits.at(owner), misfit) == 0 {
                return fitting;
            }
        }
        let contexts = [
            spread(&[11, owner as u64, value]),
            spread(&[12, owner as u64]),
        ];
        let guessed = self.length_guesses.code(coder, owner, contexts, length);
        let coded = guessed.unwrap_or_else(|| self.lengths.at(owner).code(coder, length));
        self.length_guesses.learn(contexts, coded);
        if result != 0 && coded.is_multiple_of(result) {
            self.memory[owner].ratio = coded / result;
        }
        coded
    }

    /// Codes the number of a payload that lies elsewhere, or that it does not (`None`).
    pub(crate) fn code_reference(
        &mut self,
        coder: &mut impl Coder,
        reference: Option<u64>,
    ) -> Option<u64> {
        if coder.bit(&mut self.referred, u32::from(reference.is_none())) == 1 {
            return None;
        }
        let wanted = reference.unwrap_or(0);
        let expected = self.last_reference.wrapping_add(1);
        let contexts = [spread(&[13, self.last_reference])];
        let guessed = self.reference_guesses.code(coder, 0, contexts, wanted);
        let coded = guessed.unwrap_or_else(|| {
            let difference = self
                .references
                .code(coder, signed(wanted.wrapping_sub(expected)));
            expected.wrapping_add(unzigzag(difference) as u64)
        });
        self.reference_guesses.learn(contexts, coded);
        self.last_reference = coded;
        Some(coded)
    }

    /// A new ready list begins: its events come next.
    pub(crate) fn begin_list(&mut self) {
        self.events.begin();
        self.answered = 0;
    }

    fn remember(&mut self, kind: u8, head: &Head, shape: Shape) {
        self.history.rotate_right(1);
        self.history[0] = kind;
        let tag = head.first & !record::PAYLOAD;
        let gives = matches!(tag, record::SEND | record::OUTPUT | record::EXIT);
        if shape == Shape::Call && !gives {
            self.last_checks = [head.check, self.last_checks[0]];
        }
        if is_transfer(tag, head.number) {
            self.answered += 1;
        }
        let memory = &mut self.memory[usize::from(kind)];
        memory.check = head.check;
        memory.value = head.value;
    }
}

/// Zigzag of a difference modulo 2^64.
fn signed(difference: u64) -> u64 {
    wayfarer_runtime_abi::encode::zigzag(difference as i64)
}

/// Whether a record is a read or a write of a descriptor.
fn is_transfer(tag: u8, number: u64) -> bool {
    // read, write, readv, writev, sendto, recvfrom, sendmsg, recvmsg
    let transfers = matches!(number, 0 | 1 | 19 | 20 | 44..=47);
    matches!(tag, record::SEND | record::RECEIVE) || (tag == record::SYSCALL && transfers)
}
