//! Which code of a module its unwind information covers. What it leaves out and what does not decode is not code
//! but data between functions: tables of cryptographic libraries, for example, in which
//! any pair of bytes occurs.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Mnemonic};

use crate::image::{Image, Section};

/// The only encodings that linkers make for x86-64: `udata4`, and `sdata4` relative to the table or to the place.
const COUNT: u8 = 0x03;
const FROM_TABLE: u8 = 0x3b;
const FROM_PLACE: u8 = 0x1b;

/// Start and end of each function that `.eh_frame` describes, in order; empty where it has another form.
pub fn ranges(header: &Section, frames: &Section) -> Vec<(u64, u64)> {
    read(header, frames).unwrap_or_default()
}

fn read(header: &Section, frames: &Section) -> Option<Vec<(u64, u64)>> {
    let [1, FROM_PLACE, COUNT, FROM_TABLE] = *header.bytes.first_chunk()? else {
        return None;
    };
    let count = word(header, header.address + 8)? as usize;
    let mut ranges = Vec::with_capacity(count.min(header.bytes.len() / 8));
    for index in 0..count as u64 {
        let entry = header.address + 12 + 8 * index;
        let start = relative(header.address, word(header, entry)?);
        let description = relative(header.address, word(header, entry + 4)?);
        // Length, common part, start of the function, its length.
        ranges.push((start, start + u64::from(word(frames, description + 12)?)));
    }
    ranges.sort_unstable();
    Some(ranges)
}

fn word(section: &Section, address: u64) -> Option<u32> {
    let at = usize::try_from(address.checked_sub(section.address)?).ok()?;
    let bytes = section.bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

fn relative(base: u64, distance: u32) -> u64 {
    base.wrapping_add_signed(i64::from(distance.cast_signed()))
}

/// Whether what looks like an instruction at `address` is data for certain: no function, and between the functions
/// on both sides there stands much that no program could run.
pub fn is_data(image: &Image, section: &Section, address: u64) -> bool {
    let next = image
        .covered
        .partition_point(|&(start, _)| start <= address);
    let Some(&(_, end)) = next.checked_sub(1).and_then(|last| image.covered.get(last)) else {
        return false;
    };
    let Some(&(start, _)) = image.covered.get(next) else {
        return false;
    };
    if address < end {
        return false;
    }
    let from = end.saturating_sub(section.address) as usize;
    let to = start.saturating_sub(section.address) as usize;
    let Some(between) = section.bytes.get(from..to) else {
        return false;
    };
    let instructions = Decoder::with_ip(64, between, end, DecoderOptions::NONE).into_iter();
    let (mut all, mut impossible) = (0usize, 0usize);
    for instruction in instructions {
        all += 1;
        let strange = instruction.is_invalid()
            || instruction.flow_control() == FlowControl::Interrupt
            || matches!(
                instruction.mnemonic(),
                Mnemonic::In | Mnemonic::Out | Mnemonic::Hlt | Mnemonic::Iretd | Mnemonic::Retf
            );
        impossible += usize::from(strange);
    }
    // Random bytes come to one in thirty; code of any kind to none.
    impossible >= 4 && impossible * 100 >= all
}
