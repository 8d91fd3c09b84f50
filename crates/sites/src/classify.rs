//! Decides for each `syscall` whether and how a jump can take its place.

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, Register};
use wayfarer_calls::Number;
use wayfarer_runtime_abi::sites::{Site, kind};

use crate::ModuleSites;
use crate::image::{Image, Section};
use crate::sweep::{Found, Sweep};

/// Bytes of a near jump.
const JUMP: usize = 5;
/// Room for the bytes of a site in the table.
const MOST_BYTES: usize = 20;
const SYSCALL_BYTES: u64 = 2;
const RT_SIGRETURN: u64 = Number::RT_SIGRETURN.word();

/// The patchable sites of a module, in order of address.
pub fn module_sites(image: &Image, sweep: &Sweep) -> ModuleSites {
    let mut sites: Vec<Site> = Vec::new();
    let mut rest = Vec::new();
    let mut excluded = 0;
    for found in &sweep.syscalls {
        let Some(section) = image.code_at(found.address) else {
            continue;
        };
        match call_number(section, found) {
            // The restorer has no frame to return to, and unwinders know it by its bytes. The runtime puts
            // its own in its place.
            Some(RT_SIGRETURN) => excluded += 1,
            number => match before(section, found, number, sweep) {
                Some(site) => sites.push(site),
                None => rest.push(found),
            },
        }
    }
    // A jump over what follows a `syscall` must not reach into the `mov` of the next site.
    let mut taken: Vec<(u64, u64)> = sites.iter().map(range).collect();
    for found in rest {
        let Some(section) = image.code_at(found.address) else {
            continue;
        };
        let behind = after(section, found, sweep).filter(|site| !overlaps(&taken, site));
        if let Some(site) =
            behind.or_else(|| around(section, found, sweep).filter(|site| !overlaps(&taken, site)))
        {
            taken.push(range(&site));
            taken.sort_unstable();
            sites.push(site);
        }
    }
    sites.sort_unstable_by_key(|site| site.offset);
    ModuleSites {
        build_id: image.build_id.clone(),
        found: sweep.syscalls.len() as u32,
        excluded,
        other_gates: sweep.other_gates,
        sites,
    }
}

/// The bytes that are changed, or must not be entered, from the first to after the last.
fn range(site: &Site) -> (u64, u64) {
    let start = u64::from(site.offset);
    let tail = match site.kind {
        kind::BEFORE | kind::AROUND => SYSCALL_BYTES,
        _ => 0,
    };
    (start, start + u64::from(site.length) + tail)
}

fn overlaps(taken: &[(u64, u64)], site: &Site) -> bool {
    let (start, end) = range(site);
    let next = taken.partition_point(|&(_, taken_end)| taken_end <= start);
    taken
        .get(next)
        .is_some_and(|&(taken_start, _)| taken_start < end)
}

fn decoder_at(section: &Section, address: u64) -> Option<Decoder<'_>> {
    let bytes = section
        .bytes
        .get(address.checked_sub(section.address)? as usize..)?;
    Some(Decoder::with_ip(64, bytes, address, DecoderOptions::NONE))
}

/// The call number, when the instruction right before the `syscall` sets it.
fn call_number(section: &Section, found: &Found) -> Option<u64> {
    let previous = decoder_at(section, found.previous_address)?.decode();
    if previous.next_ip() != found.address
        || !matches!(previous.op0_register(), Register::EAX | Register::RAX)
    {
        return None;
    }
    match previous.code() {
        Code::Mov_r32_imm32 => Some(u64::from(previous.immediate32())),
        Code::Mov_rm64_imm32 | Code::Mov_rm32_imm32 | Code::Mov_r64_imm64 => {
            Some(previous.immediate(1))
        }
        _ => None,
    }
}

fn before(section: &Section, found: &Found, number: Option<u64>, sweep: &Sweep) -> Option<Site> {
    let number = u32::try_from(number?).ok()?;
    let start = found.previous_address;
    // The plain form `b8 imm32`; a prefix or a longer encoding does not fit the stub.
    if found.address - start != JUMP as u64
        || section.bytes.get((start - section.address) as usize) != Some(&0xb8)
    {
        return None;
    }
    let end = found.address + SYSCALL_BYTES;
    if (start + 1..end).any(|address| sweep.is_target(address)) {
        return None;
    }
    site(
        section,
        start,
        number,
        kind::BEFORE,
        JUMP,
        (end - start) as usize,
    )
}

fn after(section: &Section, found: &Found, sweep: &Sweep) -> Option<Site> {
    let length = SYSCALL_BYTES as usize
        + relocatable_length(
            section,
            found.address + SYSCALL_BYTES,
            JUMP - SYSCALL_BYTES as usize,
        )?;
    if (found.address + 1..found.address + length as u64).any(|address| sweep.is_target(address)) {
        return None;
    }
    site(section, found.address, 0, kind::AFTER, length, length)
}

/// A site whose `syscall` gives way with the one or two instructions before it.
fn around(section: &Section, found: &Found, sweep: &Sweep) -> Option<Site> {
    let starts = [found.previous_address, found.one_before_address];
    starts.into_iter().find_map(|start| {
        let prefix = found.address.checked_sub(start)? as usize;
        if prefix + (SYSCALL_BYTES as usize) < JUMP
            || relocatable_length(section, start, prefix) != Some(prefix)
        {
            return None;
        }
        let end = found.address + SYSCALL_BYTES;
        if (start + 1..end).any(|address| sweep.is_target(address)) {
            return None;
        }
        let kept = prefix + SYSCALL_BYTES as usize;
        site(section, start, 0, kind::AROUND, prefix, kept)
    })
}

/// Length of the fewest whole instructions from `address` on that make up `least` bytes and mean the
/// same elsewhere.
pub fn relocatable_length(section: &Section, address: u64, least: usize) -> Option<usize> {
    let mut decoder = decoder_at(section, address)?;
    let mut length = 0;
    while length < least {
        let instruction = decoder.decode();
        if !is_relocatable(&instruction) {
            return None;
        }
        length += instruction.len();
    }
    Some(length)
}

fn is_relocatable(instruction: &Instruction) -> bool {
    !instruction.is_invalid()
        && instruction.flow_control() == FlowControl::Next
        && !instruction.is_ip_rel_memory_operand()
        && !matches!(instruction.code(), Code::Syscall | Code::Sysenter)
}

/// A table entry; `None` where an offset or the bytes do not fit its fields.
pub fn site(
    section: &Section,
    address: u64,
    number: u32,
    kind: u8,
    length: usize,
    kept: usize,
) -> Option<Site> {
    let from = (address - section.address) as usize;
    let mut bytes = [0; MOST_BYTES];
    bytes
        .get_mut(..kept)?
        .copy_from_slice(section.bytes.get(from..from + kept)?);
    Some(Site {
        offset: u32::try_from(address).ok()?,
        number,
        kind,
        length: length as u8,
        spare: 0,
        bytes,
    })
}
