//! Packing of logs: records are taken apart, fields go through a model of what records are like,
//! payloads into columns by kind of record.
//!
//! Whatever does not read as records is kept as it is, so any bytes can be packed; every packed
//! block is unpacked again and compared before it counts.

mod coder;
mod events;
mod guess;
mod model;
mod number;
mod shape;
mod sync;
mod timeline;

use wayfarer_runtime_abi::record::{self, PAYLOAD, Record};

use crate::bytes::{Cursor, modest_capacity, push_varint};
use crate::format::{BIG_PAYLOAD, LONGEST_RAW, Segment, packing};
use coder::{Decoder, Encoder};
use events::{EVENT, is_ready_list};
use model::{Coded, Head, Model};

/// A payload within a block's raw bytes that is stored elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// Of the payload's bytes, from the start of the block.
    pub(crate) position: usize,
    pub(crate) length: usize,
    pub(crate) number: u64,
}

/// Level of compression of columns: measured as the knee for the small, repetitive columns of logs.
const COLUMN_LEVEL: i32 = 3;
/// Level for payloads and everything that is not a log.
pub(crate) const BULK_LEVEL: i32 = 1;

/// Packs the logs of `segments`, which lie one after the other in `raw`. The kind of packing and
/// the packed bytes.
pub(crate) fn pack(raw: &[u8], segments: &[Segment], references: &[Reference]) -> (u32, Vec<u8>) {
    let packed = pack_records(raw, segments, references);
    let mut next = 0;
    let unpacked = unpack_records(&packed, segments, &mut |number, into| {
        let reference = references
            .get(next)
            .filter(|reference| reference.number == number);
        next += 1;
        let bytes = reference.and_then(|reference| {
            raw.get(reference.position..reference.position + reference.length)
        });
        into.extend_from_slice(bytes.ok_or_else(|| "wrong reference".to_owned())?);
        Ok(())
    });
    match unpacked {
        Ok(unpacked) if unpacked == raw => (packing::RECORDS, packed),
        _ => (packing::ZSTD, compress(raw, COLUMN_LEVEL)),
    }
}

/// Gets a payload by number and puts it after the given bytes.
pub(crate) type Fetch<'a> = dyn FnMut(u64, &mut Vec<u8>) -> Result<(), String> + 'a;

/// Undoes [`pack`]. The error says what is wrong.
pub(crate) fn unpack(
    kind: u32,
    packed: &[u8],
    segments: &[Segment],
    fetch: &mut Fetch<'_>,
) -> Result<Vec<u8>, String> {
    match kind {
        packing::RECORDS => unpack_records(packed, segments, fetch),
        packing::ZSTD => {
            let length = segments.iter().map(|segment| segment.length).sum();
            decompress(packed, length)
        }
        other => Err(format!("packing {other} is not known")),
    }
}

pub(crate) fn compress(bytes: &[u8], level: i32) -> Vec<u8> {
    // The only error is a wrong parameter or memory running out; plain storage needs neither.
    zstd::bulk::compress(bytes, level).unwrap_or_else(|_| stored_frame(bytes))
}

/// A zstd frame that holds `bytes` as they are.
fn stored_frame(bytes: &[u8]) -> Vec<u8> {
    const LARGEST: usize = 128 << 10;
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0];
    frame.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    let mut blocks = bytes.chunks(LARGEST).peekable();
    if bytes.is_empty() {
        frame.extend_from_slice(&[1, 0, 0]);
    }
    while let Some(block) = blocks.next() {
        let last = usize::from(blocks.peek().is_none());
        frame.extend_from_slice(&((block.len() << 3) | last).to_le_bytes()[..3]);
        frame.extend_from_slice(block);
    }
    frame
}

/// Decompresses to exactly `length` bytes; memory grows with what really comes out.
pub(crate) fn decompress(packed: &[u8], length: u64) -> Result<Vec<u8>, String> {
    use std::io::Read;
    if length > LONGEST_RAW {
        return Err(format!("{length} bytes are more than a block can hold"));
    }
    let bad = |error: std::io::Error| format!("it does not decompress: {error}");
    let mut bytes = Vec::with_capacity(length.min(8 << 20) as usize);
    let decoder = zstd::stream::read::Decoder::with_buffer(packed).map_err(bad)?;
    decoder
        .take(length + 1)
        .read_to_end(&mut bytes)
        .map_err(bad)?;
    if bytes.len() as u64 != length {
        return Err(format!(
            "it does not decompress to the {length} bytes it should"
        ));
    }
    Ok(bytes)
}

fn pack_records(raw: &[u8], segments: &[Segment], references: &[Reference]) -> Vec<u8> {
    let mut coder = Encoder::new();
    let mut model = Model::new();
    let mut columns: Vec<Vec<u8>> = vec![Vec::new(); 256];
    let mut references = references.iter().peekable();
    let mut position = 0usize;
    for segment in segments {
        let end = position + segment.length as usize;
        model.objects.begin();
        while position < end {
            let Some((head, record)) = canonical(&raw[position..end]) else {
                let length = foreign_length(&raw[position..end]);
                model.code_foreign(&mut coder, length as u64);
                columns[usize::from(model::kind::FOREIGN)]
                    .extend_from_slice(&raw[position..position + length]);
                position += length;
                continue;
            };
            let Ok(Coded::Record(_, kind)) = model.code(&mut coder, Some(head)) else {
                break;
            };
            position += record.length;
            if head.first & PAYLOAD == 0 {
                continue;
            }
            if record.tag == record::SYSCALL && is_ready_list(head.number, head.length) {
                model.begin_list();
                for event in record.payload.chunks_exact(EVENT) {
                    let event = event.try_into().unwrap_or([0; EVENT]);
                    model.events.code(&mut coder, event);
                }
                continue;
            }
            let start = position - record.payload.len();
            let reference = references
                .next_if(|next| next.position == start && next.length == record.payload.len());
            let number = reference.map(|reference| reference.number);
            if model.code_reference(&mut coder, number).is_none() {
                columns[usize::from(kind)].extend_from_slice(record.payload);
            }
        }
    }
    let fields = coder.finish();
    let used = columns
        .iter()
        .rposition(|column| !column.is_empty())
        .map_or(0, |last| last + 1);
    let mut packed = Vec::with_capacity(fields.len() + 1024);
    push_varint(&mut packed, fields.len() as u64);
    push_varint(&mut packed, used as u64);
    for column in &columns[..used] {
        push_varint(&mut packed, column.len() as u64);
    }
    packed.extend_from_slice(&fields);
    packed.extend_from_slice(&compress(&columns.concat(), COLUMN_LEVEL));
    packed
}

/// The record at the start of `bytes`, if writing it again gives the same bytes: a varint written
/// longer than needed is the only freedom that the encoding leaves.
fn canonical(bytes: &[u8]) -> Option<(Head, Record<'_>)> {
    let (head, position) = record::Head::read(bytes).ok()?;
    let record = record::read_rest(head, position, bytes).ok()?;
    (head.size() == position).then(|| (Head::of(&head), record))
}

/// How many bytes at the start of `bytes` go as they are: one record that is written in an unusual
/// way, or everything where there is no record.
fn foreign_length(bytes: &[u8]) -> usize {
    record::read(bytes).map_or(bytes.len(), |record| record.length)
}

/// Whether the payload of `record`, which lies at the start of `bytes`, is stored apart from the
/// log.
pub(crate) fn is_stored_apart(record: &Record<'_>, bytes: &[u8]) -> bool {
    let length = record.payload.len();
    let listed = record.tag == record::SYSCALL && is_ready_list(record.number, length as u64);
    length >= BIG_PAYLOAD && !listed && canonical(bytes).is_some()
}

/// The columns of payload bytes, read from front to back.
struct Columns {
    bytes: Vec<u8>,
    /// Where each column goes on and where it ends.
    places: Vec<(usize, usize)>,
}

impl Columns {
    fn take(&mut self, column: u8, length: usize) -> Result<&[u8], String> {
        let short = || "a column of payloads is too short".to_owned();
        if length == 0 {
            return Ok(&[]);
        }
        let (next, end) = self.places.get_mut(usize::from(column)).ok_or_else(short)?;
        let start = *next;
        *next = start
            .checked_add(length)
            .filter(|next| *next <= *end)
            .ok_or_else(short)?;
        self.bytes.get(start..*next).ok_or_else(short)
    }
}

fn unpack_records(
    packed: &[u8],
    segments: &[Segment],
    fetch: &mut Fetch<'_>,
) -> Result<Vec<u8>, String> {
    let (fields, mut columns) = open_columns(packed)?;
    let total: u64 = segments.iter().map(|segment| segment.length).sum();
    if total > LONGEST_RAW {
        return Err(format!("{total} bytes are more than a block can hold"));
    }
    let mut coder = Decoder::new(fields);
    let mut model = Model::new();
    let mut raw = Vec::with_capacity(total.min(8 << 20) as usize);
    let mut end = 0usize;
    for segment in segments {
        end += segment.length as usize;
        model.objects.begin();
        while raw.len() < end {
            unpack_record(&mut coder, &mut model, &mut columns, &mut raw, end, fetch)?;
            if coder.overran() {
                return Err("the fields of its records end early".to_owned());
            }
        }
    }
    Ok(raw)
}

fn open_columns(packed: &[u8]) -> Result<(&[u8], Columns), String> {
    let short = || "its columns are cut off".to_owned();
    let mut cursor = Cursor::new(packed);
    let fields_length = usize::try_from(cursor.varint().ok_or_else(short)?).map_err(|_| short())?;
    let count = cursor
        .varint()
        .filter(|count| *count <= 256)
        .ok_or_else(short)?;
    let mut places = Vec::with_capacity(modest_capacity(count));
    let mut total = 0usize;
    for _ in 0..count {
        let length = cursor
            .varint()
            .and_then(|length| usize::try_from(length).ok());
        let end = length
            .and_then(|length| total.checked_add(length))
            .ok_or_else(short)?;
        places.push((total, end));
        total = end;
    }
    let fields = cursor.take(fields_length).ok_or_else(short)?;
    let bytes = decompress(cursor.rest(), total as u64)?;
    Ok((fields, Columns { bytes, places }))
}

/// Puts the next record after `raw`, which may grow to `end`.
fn unpack_record(
    coder: &mut Decoder<'_>,
    model: &mut Model,
    columns: &mut Columns,
    raw: &mut Vec<u8>,
    end: usize,
    fetch: &mut Fetch<'_>,
) -> Result<(), String> {
    let too_long = || "a record is longer than its segment".to_owned();
    let coded = model
        .code(coder, None)
        .map_err(|tag| format!("no record has the tag {tag:#04x}"))?;
    let (head, kind) = match coded {
        Coded::Record(head, kind) => (head, kind),
        Coded::Foreign(length) => {
            let left = (end - raw.len()) as u64;
            if length == 0 || length > left {
                return Err(too_long());
            }
            raw.extend_from_slice(columns.take(model::kind::FOREIGN, length as usize)?);
            return Ok(());
        }
    };
    let tag = head.first & !PAYLOAD;
    raw.extend_from_slice(&head.written().encode());
    let left = end.checked_sub(raw.len()).ok_or_else(too_long)?;
    if head.first & PAYLOAD == 0 {
        return Ok(());
    }
    let length = usize::try_from(head.length)
        .ok()
        .filter(|length| *length <= left);
    let length = length.ok_or_else(too_long)?;
    if tag == record::SYSCALL && is_ready_list(head.number, head.length) {
        model.begin_list();
        for _ in 0..length / EVENT {
            raw.extend_from_slice(&model.events.code(coder, [0; EVENT]));
        }
        return Ok(());
    }
    match model.code_reference(coder, None) {
        None => raw.extend_from_slice(columns.take(kind, length)?),
        Some(number) => {
            let before = raw.len();
            fetch(number, raw)?;
            if raw.len() - before != length {
                return Err(format!("payload {number} is not {length} bytes long"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
