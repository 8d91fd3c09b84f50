//! One linear pass over the code of a module: where branches may lead, and where `syscall` stands.
//!
//! Branch targets err on the safe side. Counted are direct branches and calls, starts of functions,
//! code addresses in relocations and in `lea`, and every entry of what looks like a jump table (a
//! read-only address taken by `lea` whose 32-bit words, added to it, lead into code).

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, OpKind};

use crate::covered;
use crate::image::{Image, Section};

/// A set of code addresses, one bit each.
struct AddressSet {
    base: u64,
    bits: Vec<u64>,
}

impl AddressSet {
    fn covering(section: &Section) -> Self {
        Self {
            base: section.address,
            bits: vec![0; section.bytes.len() / 64 + 1],
        }
    }

    fn insert(&mut self, address: u64) {
        let index = address.wrapping_sub(self.base);
        if let Some(word) = self.bits.get_mut((index / 64) as usize) {
            *word |= 1 << (index % 64);
        }
    }

    fn contains(&self, address: u64) -> bool {
        let index = address.wrapping_sub(self.base);
        self.bits
            .get((index / 64) as usize)
            .is_some_and(|word| word & (1 << (index % 64)) != 0)
    }
}

/// A `syscall` instruction with the two instructions that stand before it.
#[derive(Clone, Copy)]
pub struct Found {
    pub address: u64,
    pub previous_address: u64,
    pub one_before_address: u64,
}

/// The result of the pass.
pub struct Sweep {
    targets: Vec<AddressSet>,
    /// Where an instruction begins.
    instructions: Vec<AddressSet>,
    pub syscalls: Vec<Found>,
    /// `int $0x80` and `sysenter`: other ways into the kernel.
    pub other_gates: u32,
}

impl Sweep {
    pub fn of(image: &Image) -> Self {
        let mut sweep = Self {
            targets: image.code.iter().map(AddressSet::covering).collect(),
            instructions: image.code.iter().map(AddressSet::covering).collect(),
            syscalls: Vec::new(),
            other_gates: 0,
        };
        let mut starts: Vec<u64> = image
            .functions
            .iter()
            .map(|function| function.address)
            .collect();
        starts.sort_unstable();
        starts.dedup();
        for &address in starts.iter().chain(&image.pointers) {
            sweep.add_target(address);
        }
        let mut tables = Vec::new();
        for section in &image.code {
            sweep.pass(image, section, &starts, &mut tables);
        }
        tables.sort_unstable();
        tables.dedup();
        for table in tables {
            sweep.add_jump_table(image, table);
        }
        sweep
    }

    /// Whether a branch may lead to `address`.
    pub fn is_target(&self, address: u64) -> bool {
        self.targets.iter().any(|set| set.contains(address))
    }

    fn add_target(&mut self, address: u64) {
        for set in &mut self.targets {
            set.insert(address);
        }
    }

    fn pass(&mut self, image: &Image, section: &Section, starts: &[u64], tables: &mut Vec<u64>) {
        let mut decoder =
            Decoder::with_ip(64, &section.bytes, section.address, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        let mut previous_address = section.address;
        let mut one_before = section.address;
        let mut next_start = starts.partition_point(|&start| start <= section.address);
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            // Data between functions can put the pass out of step: a known start sets it right.
            while starts
                .get(next_start)
                .is_some_and(|&start| start <= instruction.ip())
            {
                next_start += 1;
            }
            if let Some(&start) = starts.get(next_start)
                && start < instruction.next_ip()
                && section.contains(start)
                && decoder
                    .set_position((start - section.address) as usize)
                    .is_ok()
            {
                decoder.set_ip(start);
                continue;
            }
            for set in &mut self.instructions {
                set.insert(instruction.ip());
            }
            let is_gate = instruction.code() == Code::Syscall || is_other_gate(&instruction);
            if is_gate && covered::is_data(image, section, instruction.ip()) {
                one_before = previous_address;
                previous_address = instruction.ip();
                continue;
            }
            if is_other_gate(&instruction) {
                self.other_gates += 1;
            }
            if instruction.code() == Code::Syscall {
                self.syscalls.push(Found {
                    address: instruction.ip(),
                    previous_address,
                    one_before_address: one_before,
                });
            } else if matches!(
                instruction.flow_control(),
                FlowControl::ConditionalBranch
                    | FlowControl::UnconditionalBranch
                    | FlowControl::Call
                    | FlowControl::XbeginXabortXend
            ) {
                if matches!(
                    instruction.op0_kind(),
                    OpKind::NearBranch64 | OpKind::NearBranch32 | OpKind::NearBranch16
                ) {
                    self.add_target(instruction.near_branch_target());
                }
            } else if instruction.code() == Code::Lea_r64_m
                && instruction.is_ip_rel_memory_operand()
            {
                let address = instruction.ip_rel_memory_address();
                self.add_target(address);
                if image
                    .constants
                    .iter()
                    .any(|constants| constants.contains(address))
                {
                    tables.push(address);
                }
            }
            one_before = previous_address;
            previous_address = instruction.ip();
        }
    }

    fn add_jump_table(&mut self, image: &Image, table: u64) {
        let Some(section) = image
            .constants
            .iter()
            .find(|section| section.contains(table))
        else {
            return;
        };
        let words = section.bytes[(table - section.address) as usize..].chunks_exact(4);
        for word in words {
            let distance = i32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            let target = table.wrapping_add_signed(i64::from(distance));
            if image.code_at(target).is_none() {
                return;
            }
            // Words after the end of a table lead anywhere; a real entry leads to an instruction.
            if self.instructions.iter().any(|set| set.contains(target)) {
                self.add_target(target);
            }
        }
    }
}

fn is_other_gate(instruction: &Instruction) -> bool {
    match instruction.code() {
        Code::Sysenter => true,
        Code::Int_imm8 => instruction.immediate8() == 0x80,
        _ => false,
    }
}
