//! What a system call is like: how it is treated, what it writes, and which of its arguments count.
//!
//! A description is made by [`emulate`], [`execute`], [`special`], [`refuse`] or [`unknown`], and
//! by what its methods add: `emulate([0, 2]).path(1).out(Out::Result(3))`. Numbers are positions of
//! arguments.

/// How a call is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Record its result and what it wrote; a replay answers from the log.
    Emulate,
    /// Really made in both runs; the result is recorded and compared.
    Execute,
    /// Has routines of its own.
    Special,
    /// Answered with ENOSYS: what it would do goes on without us.
    Refuse,
    /// Made and recorded without what it writes, and the recording warns of it.
    Unknown,
}

/// A piece of memory that a call writes. Numbers are argument positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Out {
    None,
    /// Pointer, length.
    Fixed(u8, u16),
    /// As many bytes as the result says.
    Result(u8),
    /// Result × size.
    ResultTimes(u8, u16),
    /// As many bytes as another argument says.
    Argument(u8, u8),
    /// Argument × size.
    ArgumentTimes(u8, u8, u16),
    /// A socket address or option with its length at a pointer.
    Sized(u8, u8),
    /// An array of iovec (pointer, count) filled with as many bytes as the result says.
    Vector(u8, u8),
    /// Three bit sets of descriptors at arguments 1 to 3, as long as argument 0 says.
    DescriptorSets,
    /// A message header: name, data, control data, flags.
    Message(u8),
    /// An array of message headers, as many as the result says.
    Messages(u8),
    /// The sent length of each of an array of message headers, as many as the result says.
    MessageLengths(u8),
    /// As many bytes as the result says, and eight of a message type before them.
    ResultAndType(u8),
    /// One byte for each page of a length.
    Pages(u8, u8),
    /// One bit for each of a number, in whole longs.
    Bits(u8, u8),
    /// The handle of a file: its length, its type and as many bytes. Also written when there is no
    /// room for the bytes, and what follows it, too.
    Handle(u8),
}

/// What a call is like. `bare` and `piece` follow from the rest, and `drafts` does unless the row
/// says so.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub kind: Kind,
    /// May wait: the token is let go, and signals interrupt it.
    pub blocks: bool,
    /// Goes on after a signal handler with SA_RESTART.
    pub restarts: bool,
    /// Writes its outputs even when it fails with EINTR (remaining time).
    pub outputs_on_interrupt: bool,
    /// Changes which object a descriptor stands for.
    pub descriptors: bool,
    /// One bit for each argument that is a plain number.
    pub scalars: u8,
    /// One bit for each argument that points to a string.
    pub strings: u8,
    /// Nothing but a result: no outputs, no strings, nothing to follow, no waiting.
    pub bare: bool,
    /// May wait, looks at no memory before, and writes into one piece of memory at most, so that
    /// its record can be drafted.
    pub drafts: bool,
    pub outputs: [Out; 3],
    pub piece: Piece,
}

/// The only memory that a call writes, if it is one piece whose length comes from the result: which
/// argument points there, and bytes for each unit of the result. No such argument: it writes
/// nothing. No bytes: see the outputs. Made for the table as a whole; it says nothing of a
/// description that was changed for one call.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub argument: u8,
    pub unit: u8,
}

impl Piece {
    pub const NOTHING: Piece = Piece {
        argument: u8::MAX,
        unit: 1,
    };
    pub const SEVERAL: Piece = Piece {
        argument: u8::MAX,
        unit: 0,
    };

    const fn of(call: &Call) -> Piece {
        match call.outputs {
            _ if call.outputs_on_interrupt => Piece::SEVERAL,
            [Out::None, ..] => Piece::NOTHING,
            [Out::Result(argument), Out::None, _] => Piece { argument, unit: 1 },
            [Out::ResultTimes(argument, size), Out::None, _]
                if size as usize <= u8::MAX as usize =>
            {
                Piece {
                    argument,
                    unit: size as u8,
                }
            }
            _ => Piece::SEVERAL,
        }
    }
}

/// Nobody knows what it does, so it may do anything.
pub const fn unknown() -> Call {
    Call {
        kind: Kind::Unknown,
        blocks: true,
        restarts: true,
        outputs_on_interrupt: false,
        descriptors: false,
        scalars: 0,
        strings: 0,
        bare: false,
        drafts: false,
        outputs: [Out::None; 3],
        piece: Piece::NOTHING,
    }
}

/// A call that does not wait, with plain numbers at these positions.
const fn of_kind<const N: usize>(kind: Kind, scalars: [u8; N]) -> Call {
    let mut bits = 0;
    let mut index = 0;
    while index < N {
        bits |= 1 << scalars[index];
        index += 1;
    }
    Call {
        kind,
        blocks: false,
        scalars: bits,
        ..unknown()
    }
}

/// A call that a replay answers from the log, with plain numbers at these positions.
pub const fn emulate<const N: usize>(scalars: [u8; N]) -> Call {
    of_kind(Kind::Emulate, scalars)
}

/// A call that both runs make.
pub const fn execute<const N: usize>(scalars: [u8; N]) -> Call {
    of_kind(Kind::Execute, scalars)
}

/// A call with routines of its own.
pub const fn special<const N: usize>(scalars: [u8; N]) -> Call {
    of_kind(Kind::Special, scalars)
}

/// A call that this system does not seem to have.
pub const fn refuse() -> Call {
    of_kind(Kind::Refuse, [])
}

impl Call {
    /// It writes this, too.
    pub const fn out(mut self, out: Out) -> Self {
        if matches!(self.outputs[0], Out::None) {
            self.outputs[0] = out;
        } else if matches!(self.outputs[1], Out::None) {
            self.outputs[1] = out;
        } else {
            self.outputs[2] = out;
        }
        self
    }

    /// It writes so many bytes where an argument points.
    pub const fn fixed(self, argument: u8, length: u16) -> Self {
        self.out(Out::Fixed(argument, length))
    }

    /// An argument is a path, or another string.
    pub const fn path(mut self, argument: u8) -> Self {
        self.strings |= 1 << argument;
        self
    }

    /// It may wait.
    pub const fn blocks(mut self) -> Self {
        self.blocks = true;
        self
    }

    /// It may wait, and fails when a handler has run, whatever SA_RESTART says.
    pub const fn never_restarts(mut self) -> Self {
        self.blocks = true;
        self.restarts = false;
        self
    }

    /// It writes the remaining time when a handler has run.
    pub const fn remaining(mut self) -> Self {
        self.outputs_on_interrupt = true;
        self
    }

    /// It changes which object a descriptor stands for.
    pub const fn moves_descriptors(mut self) -> Self {
        self.descriptors = true;
        self
    }

    /// Its record can be drafted although it has routines of its own.
    pub const fn drafts(mut self) -> Self {
        self.drafts = true;
        self
    }

    /// With what follows from the rest.
    pub(crate) const fn completed(mut self) -> Self {
        let follows_nothing = !self.descriptors && self.strings == 0;
        let is_emulated = matches!(self.kind, Kind::Emulate);
        self.bare =
            is_emulated && matches!(self.outputs[0], Out::None) && !self.blocks && follows_nothing;
        self.piece = Piece::of(&self);
        self.drafts =
            (is_emulated || self.drafts) && self.piece.unit != 0 && self.blocks && follows_nothing;
        self
    }
}
