//! What each system call is like: how it is treated, what it writes, which arguments count.

/// How a call is treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Record its result and what it wrote; a replay answers from the log.
    Emulate,
    /// Really made in both runs; the result is recorded and compared.
    Execute,
    /// Has a routine of its own.
    Special,
    /// Answered with ENOSYS: what it would do goes on behind our back.
    Refuse,
    /// Not in the table.
    Unknown,
}

/// A piece of memory that a call writes. Numbers are argument positions.
#[derive(Clone, Copy, PartialEq, Eq)]
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
    /// The handle of a file: its length, its type and as many bytes. Also written when there is no room for the
    /// bytes, and what follows it, too.
    Handle(u8),
}

#[derive(Clone, Copy)]
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
    pub scalars: u8,
    pub strings: u8,
    /// Nothing but a result: no outputs, no strings, nothing to follow, no waiting.
    pub bare: bool,
    /// May wait, looks at no memory before, and writes into one piece of memory at most: see `draft.rs`.
    pub drafts: bool,
    pub outputs: [Out; 3],
    pub piece: Piece,
}

/// The only memory that a call writes, if it is one piece whose length comes from the result: which argument points
/// there, and bytes for each unit of the result. No such argument: it writes nothing. No bytes: see the outputs. Made
/// for the table as a whole; it says nothing of a description that was changed for one call.
#[derive(Clone, Copy)]
pub struct Piece {
    pub argument: u8,
    pub unit: u8,
}

impl Piece {
    const NOTHING: Piece = Piece {
        argument: u8::MAX,
        unit: 1,
    };
    const SEVERAL: Piece = Piece {
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

const UNKNOWN: Call = Call {
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
};

const fn emulate(scalars: u8) -> Call {
    Call {
        kind: Kind::Emulate,
        blocks: false,
        scalars,
        ..UNKNOWN
    }
}

const fn execute(scalars: u8) -> Call {
    Call {
        kind: Kind::Execute,
        blocks: false,
        scalars,
        ..UNKNOWN
    }
}

const fn special(scalars: u8) -> Call {
    Call {
        kind: Kind::Special,
        blocks: false,
        scalars,
        ..UNKNOWN
    }
}

impl Call {
    const fn out(mut self, out: Out) -> Self {
        if matches!(self.outputs[0], Out::None) {
            self.outputs[0] = out;
        } else if matches!(self.outputs[1], Out::None) {
            self.outputs[1] = out;
        } else {
            self.outputs[2] = out;
        }
        self
    }
    const fn fixed(self, argument: u8, length: u16) -> Self {
        self.out(Out::Fixed(argument, length))
    }
    const fn path(mut self, argument: u8) -> Self {
        self.strings |= 1 << argument;
        self
    }
    const fn blocks(mut self) -> Self {
        self.blocks = true;
        self
    }
    const fn never_restarts(mut self) -> Self {
        self.blocks = true;
        self.restarts = false;
        self
    }
    const fn remaining(mut self) -> Self {
        self.outputs_on_interrupt = true;
        self
    }
    const fn moves_descriptors(mut self) -> Self {
        self.descriptors = true;
        self
    }
}

pub const CALLS: usize = 470;

/// The description of a call number.
#[inline(always)]
pub fn get(number: usize) -> &'static Call {
    if number < CALLS {
        // SAFETY: just checked.
        unsafe { TABLE.get_unchecked(number) }
    } else {
        &UNKNOWN
    }
}

static TABLE: [Call; CALLS] = make();

const fn make() -> [Call; CALLS] {
    use Out::*;
    const REFUSE: Call = Call {
        kind: Kind::Refuse,
        blocks: false,
        ..UNKNOWN
    };
    let mut t = [UNKNOWN; CALLS];
    // Reading and writing.
    t[0] = special(0b101).blocks().out(Result(1));
    t[1] = special(0b101).blocks();
    t[17] = emulate(0b1101).blocks().out(Result(1));
    t[18] = special(0b1101).blocks();
    t[19] = special(0b101).blocks().out(Vector(1, 2));
    t[20] = special(0b101).blocks();
    t[295] = emulate(0b101).blocks().out(Vector(1, 2));
    t[296] = special(0b101).blocks();
    t[327] = special(0b101).blocks().out(Vector(1, 2));
    t[328] = special(0b101).blocks();
    t[40] = special(0b1011).blocks().fixed(2, 8);
    t[275] = special(0b110101).blocks().fixed(1, 8).fixed(3, 8);
    t[276] = special(0b1111).blocks();
    t[278] = special(0b1101).blocks();
    t[326] = special(0b110101).blocks().fixed(1, 8).fixed(3, 8);
    t[16] = special(0b11).blocks();
    t[8] = emulate(0b111);
    // Files.
    t[2] = special(0b110).path(0).blocks();
    t[257] = special(0b1101).path(1).blocks();
    t[437] = special(0b1).path(1).blocks();
    t[85] = special(0b10).path(0).blocks();
    t[3] = special(0b1);
    t[436] = special(0b111);
    t[4] = emulate(0).path(0).fixed(1, 144);
    t[5] = emulate(1).fixed(1, 144);
    t[6] = emulate(0).path(0).fixed(1, 144);
    t[262] = emulate(0b1001).path(1).fixed(2, 144);
    t[332] = emulate(0b1101).path(1).fixed(4, 256);
    t[21] = emulate(0b10).path(0);
    t[269] = emulate(0b101).path(1);
    t[439] = emulate(0b1101).path(1);
    t[73] = emulate(0b11).blocks();
    t[74] = emulate(1).blocks();
    t[75] = emulate(1).blocks();
    t[76] = emulate(0b10).path(0);
    t[77] = emulate(0b11);
    t[78] = emulate(0b101).out(Result(1));
    t[217] = emulate(0b101).out(Result(1));
    t[79] = emulate(0b10).out(Result(0));
    t[80] = emulate(0).path(0);
    t[81] = emulate(1);
    t[82] = emulate(0).path(0).path(1);
    t[83] = emulate(0b10).path(0);
    t[84] = emulate(0).path(0);
    t[86] = emulate(0).path(0).path(1);
    t[87] = emulate(0).path(0);
    t[88] = emulate(0).path(0).path(1);
    t[89] = emulate(0b100).path(0).out(Result(1));
    t[90] = emulate(0b10).path(0);
    t[91] = emulate(0b11);
    t[92] = emulate(0b110).path(0);
    t[93] = emulate(0b111);
    t[94] = emulate(0b110).path(0);
    t[95] = emulate(1);
    t[132] = emulate(0).path(0);
    t[133] = emulate(0b110).path(0);
    t[136] = emulate(1).fixed(1, 32);
    t[137] = emulate(0).path(0).fixed(1, 120);
    t[138] = emulate(1).fixed(1, 120);
    t[162] = emulate(0).blocks();
    t[187] = emulate(1);
    t[188] = emulate(0b11000).path(0).path(1);
    t[189] = emulate(0b11000).path(0).path(1);
    t[190] = emulate(0b11001).path(1);
    t[191] = emulate(0b1000).path(0).path(1).out(Result(2));
    t[192] = emulate(0b1000).path(0).path(1).out(Result(2));
    t[193] = emulate(0b1001).path(1).out(Result(2));
    t[194] = emulate(0b100).path(0).out(Result(1));
    t[195] = emulate(0b100).path(0).out(Result(1));
    t[196] = emulate(0b101).out(Result(1));
    t[197] = emulate(0).path(0).path(1);
    t[198] = emulate(0).path(0).path(1);
    t[199] = emulate(1).path(1);
    t[221] = emulate(1);
    t[235] = emulate(0).path(0);
    t[258] = emulate(0b101).path(1);
    t[259] = emulate(0b1101).path(1);
    t[260] = emulate(0b11101).path(1);
    t[261] = emulate(1).path(1);
    t[263] = emulate(0b101).path(1);
    t[264] = emulate(0b101).path(1).path(3);
    t[316] = emulate(0b10101).path(1).path(3);
    t[265] = emulate(0b10101).path(1).path(3);
    t[266] = emulate(0b10).path(0).path(2);
    t[267] = emulate(0b1001).path(1).out(Result(2));
    t[268] = emulate(0b101).path(1);
    t[452] = emulate(0b1101).path(1);
    t[277] = emulate(1).blocks();
    t[280] = emulate(1).path(1);
    t[285] = emulate(0b1111).blocks();
    t[303] = emulate(1).path(1).out(Out::Handle(2)).fixed(3, 4);
    t[306] = emulate(1).blocks();
    t[319] = emulate(0b10).path(0);
    t[253] = emulate(0);
    t[294] = emulate(1);
    t[254] = emulate(0b101).path(1);
    t[255] = emulate(0b11);
    // Descriptors.
    t[32] = emulate(1).moves_descriptors();
    t[33] = special(0b11).moves_descriptors();
    t[292] = special(0b111).moves_descriptors();
    t[72] = special(0b11).blocks();
    t[22] = special(0).fixed(0, 8);
    t[293] = special(0b10).fixed(0, 8);
    // Waiting for descriptors.
    t[7] = emulate(0b110).never_restarts().out(ArgumentTimes(0, 1, 8));
    t[271] = special(0b10)
        .never_restarts()
        .out(ArgumentTimes(0, 1, 8))
        .fixed(2, 16)
        .remaining();
    t[23] = emulate(1)
        .never_restarts()
        .out(DescriptorSets)
        .fixed(4, 16)
        .remaining();
    t[270] = special(1)
        .never_restarts()
        .out(DescriptorSets)
        .fixed(4, 16)
        .remaining();
    t[213] = emulate(1);
    t[291] = emulate(1);
    t[233] = emulate(0b111);
    t[232] = emulate(0b1101).never_restarts().out(ResultTimes(1, 12));
    t[281] = special(0b1101).never_restarts().out(ResultTimes(1, 12));
    t[441] = special(0b101).never_restarts().out(ResultTimes(1, 12));
    t[282] = special(0b1);
    t[289] = special(0b1001);
    t[283] = emulate(0b11);
    t[284] = emulate(1);
    t[290] = emulate(0b11);
    t[286] = emulate(0b11).fixed(3, 32);
    t[287] = emulate(1).fixed(1, 32);
    // Sockets.
    t[41] = emulate(0b111);
    t[42] = special(0b101).blocks();
    t[43] = special(1).blocks().out(Sized(1, 2));
    t[288] = special(0b1001).blocks().out(Sized(1, 2));
    t[44] = special(0b101101).blocks();
    t[45] = special(0b1101).blocks().out(Result(1)).out(Sized(4, 5));
    t[46] = special(0b101).blocks();
    t[47] = special(0b101).blocks().out(Message(1));
    t[299] = special(0b1101).never_restarts().out(Messages(1));
    t[307] = special(0b1101).blocks().out(MessageLengths(1));
    t[48] = emulate(0b11);
    t[49] = emulate(0b101);
    t[50] = emulate(0b11);
    t[51] = special(1).out(Sized(1, 2));
    t[52] = special(1).out(Sized(1, 2));
    t[53] = special(0b111).fixed(3, 8);
    t[54] = emulate(0b10111);
    t[55] = emulate(0b111).out(Sized(3, 4));
    // Memory.
    t[9] = special(0b111110);
    t[10] = execute(0b110);
    t[11] = execute(0b10);
    t[12] = special(0);
    t[25] = special(0b1110);
    t[26] = emulate(0b110).blocks();
    t[27] = emulate(0b10).out(Pages(2, 1));
    t[28] = execute(0b110);
    t[149] = emulate(0b10);
    t[150] = emulate(0b10);
    t[151] = emulate(1);
    t[152] = emulate(0);
    t[325] = emulate(0b110);
    t[329] = execute(0b1110);
    t[330] = execute(0b11);
    t[331] = execute(1);
    t[324] = execute(0b11);
    t[237] = emulate(0b10);
    t[238] = emulate(1);
    t[239] = emulate(0b10100).fixed(0, 4).out(Bits(1, 2));
    t[29] = special(0b111);
    t[30] = special(0b101);
    t[31] = emulate(0b11).fixed(2, 112);
    t[67] = special(0);
    t[64] = emulate(0b111);
    t[65] = emulate(0b101).never_restarts();
    t[220] = emulate(0b101).never_restarts();
    t[66] = special(0b111);
    t[68] = emulate(0b11);
    t[69] = emulate(0b1101).never_restarts();
    t[70] = emulate(0b10101).never_restarts().out(ResultAndType(1));
    t[71] = emulate(0b11).fixed(2, 120);
    // Signals.
    t[13] = special(0b1001);
    t[14] = special(0b1001).out(Argument(2, 3));
    t[15] = special(0);
    t[34] = emulate(0).never_restarts();
    t[36] = emulate(1).fixed(1, 32);
    t[37] = emulate(1);
    t[38] = emulate(1).fixed(2, 32);
    t[62] = emulate(0b11);
    t[200] = emulate(0b11);
    t[234] = emulate(0b111);
    t[127] = emulate(0b10).out(Argument(0, 1));
    t[128] = special(0b1000).never_restarts().fixed(1, 128);
    t[129] = emulate(0b11);
    t[297] = emulate(0b111);
    t[130] = special(0b10).never_restarts();
    t[131] = special(0).fixed(1, 24);
    t[222] = emulate(1).fixed(2, 4);
    t[223] = emulate(0b11).fixed(3, 32);
    t[224] = emulate(1).fixed(1, 32);
    t[225] = emulate(1);
    t[226] = emulate(1);
    t[424] = emulate(0b11);
    // Time.
    t[24] = emulate(0).blocks();
    t[35] = emulate(0).never_restarts().fixed(1, 16).remaining();
    t[230] = emulate(0b11).never_restarts().fixed(3, 16).remaining();
    t[96] = emulate(0).fixed(0, 16).fixed(1, 8);
    t[201] = emulate(0).fixed(0, 8);
    t[227] = emulate(1);
    t[228] = emulate(1).fixed(1, 16);
    t[229] = emulate(1).fixed(1, 16);
    t[100] = emulate(0).fixed(0, 32);
    t[159] = emulate(0).fixed(0, 208);
    t[305] = emulate(1).fixed(1, 208);
    t[164] = emulate(0);
    // Who and where.
    t[39] = emulate(0);
    t[102] = emulate(0);
    t[104] = emulate(0);
    t[105] = emulate(1);
    t[106] = emulate(1);
    t[107] = emulate(0);
    t[108] = emulate(0);
    t[109] = emulate(0b11);
    t[110] = emulate(0);
    t[111] = emulate(0);
    t[112] = emulate(0);
    t[113] = emulate(0b11);
    t[114] = emulate(0b11);
    t[115] = emulate(1).out(ResultTimes(1, 4));
    t[116] = emulate(1);
    t[117] = emulate(0b111);
    t[118] = emulate(0).fixed(0, 4).fixed(1, 4).fixed(2, 4);
    t[119] = emulate(0b111);
    t[120] = emulate(0).fixed(0, 4).fixed(1, 4).fixed(2, 4);
    t[121] = emulate(1);
    t[122] = emulate(1);
    t[123] = emulate(1);
    t[124] = emulate(1);
    t[125] = emulate(0).fixed(0, 8).fixed(1, 24);
    t[126] = emulate(0);
    t[135] = emulate(1);
    t[63] = emulate(0).fixed(0, 390);
    t[97] = emulate(1).fixed(1, 16);
    t[98] = emulate(1).fixed(1, 144);
    t[99] = emulate(0).fixed(0, 112);
    t[103] = emulate(0b101).out(Result(1));
    t[139] = emulate(0b11);
    t[140] = emulate(0b11);
    t[141] = emulate(0b111);
    t[142] = emulate(1);
    t[143] = emulate(1).fixed(1, 4);
    t[144] = emulate(0b11);
    t[145] = emulate(1);
    t[146] = emulate(1);
    t[147] = emulate(1);
    t[148] = emulate(1).fixed(1, 16);
    t[160] = special(1);
    t[161] = emulate(0).path(0);
    t[165] = emulate(0);
    t[166] = emulate(0).path(0);
    t[170] = emulate(0);
    t[171] = emulate(0);
    t[186] = emulate(0);
    t[203] = emulate(0b11);
    t[204] = emulate(0b11).out(Result(2));
    t[251] = emulate(0b111);
    t[252] = emulate(0b11);
    t[272] = emulate(1);
    t[302] = special(0b11).fixed(3, 16);
    t[308] = emulate(0b11);
    t[309] = emulate(0).fixed(0, 4).fixed(1, 4);
    t[312] = emulate(0b111);
    t[314] = emulate(1);
    t[315] = emulate(0b101).out(Argument(1, 2));
    t[318] = emulate(0b110).blocks().out(Result(0));
    t[248] = emulate(0);
    t[249] = emulate(0);
    t[250] = emulate(0b11);
    t[240] = emulate(0b10).path(0);
    t[241] = emulate(0).path(0);
    t[242] = emulate(0b1101).blocks();
    t[243] = emulate(0b101).blocks().out(Result(1)).fixed(3, 4);
    t[244] = emulate(1);
    t[245] = emulate(1).fixed(2, 64);
    t[434] = emulate(0b11);
    t[440] = emulate(1);
    t[451] = emulate(1).fixed(2, 40);
    // Processes and threads.
    t[56] = special(0);
    t[57] = special(0);
    t[58] = special(0);
    t[435] = special(0b10);
    t[59] = special(0).path(0);
    t[322] = special(0b1).path(1);
    t[60] = special(1);
    t[231] = special(1);
    t[61] = special(0b101).blocks().fixed(1, 4).fixed(3, 144);
    t[247] = special(0b1011).blocks().fixed(2, 128).fixed(4, 144);
    t[101] = emulate(0b11);
    t[157] = special(1);
    t[158] = special(1);
    t[202] = special(0b110).blocks();
    t[449] = emulate(0b110).never_restarts();
    t[218] = special(0);
    t[219] = emulate(0).blocks();
    t[273] = special(0);
    t[274] = emulate(1).fixed(1, 8).fixed(2, 8);
    t[317] = special(0b11);
    t[334] = special(0);
    t[310] = emulate(1).out(Vector(1, 2));
    t[311] = emulate(1);
    t[438] = emulate(0b111);
    t[298] = emulate(0b11110);
    t[321] = emulate(1);
    // What goes on behind our back.
    t[206] = REFUSE;
    t[207] = REFUSE;
    t[208] = REFUSE;
    t[209] = REFUSE;
    t[210] = REFUSE;
    t[333] = REFUSE;
    t[323] = REFUSE;
    t[425] = REFUSE;
    t[426] = REFUSE;
    t[427] = REFUSE;
    let mut number = 0;
    while number < CALLS {
        let call = t[number];
        t[number].bare = matches!(call.kind, Kind::Emulate)
            && matches!(call.outputs[0], None)
            && !call.blocks
            && !call.descriptors
            && call.strings == 0;
        t[number].piece = Piece::of(&call);
        t[number].drafts = (matches!(call.kind, Kind::Emulate) || number == 0)
            && t[number].piece.unit != 0
            && call.blocks
            && !call.descriptors
            && call.strings == 0;
        number += 1;
    }
    t
}
