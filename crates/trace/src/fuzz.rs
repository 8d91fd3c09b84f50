//! One function that reads everything of a trace, for fuzzing: it must return, whatever the bytes.

use std::path::Path;

use wayfarer_model::ProcessId;

use crate::bytes::{Cursor, u32_at, u64_at};
use crate::format::{BLOCK_HEAD, BLOCK_MAGIC, FILE_HEAD, Segment, TRAILER_MAGIC, kind};
use crate::history::History;
use crate::packing::{decompress, unpack};
use crate::seal::write_sealed;
use crate::session::Session;
use crate::source::{Source, Sparse};
use crate::trace::Trace;
use crate::verify::verify;
use crate::{EVENTS_FILE, SESSION_FILE};

/// Opens a trace of these files and reads all that can be read. An empty file counts as missing.
/// The session is also sealed, and what comes out is read again.
pub fn read_everything(manifest: &[u8], events: &[u8], session: &Sparse) {
    if !events.is_empty() {
        read_trace(manifest, Some(Box::new(events.to_vec())), None);
    }
    if session.length() == 0 {
        return;
    }
    read_trace(manifest, None, Some(Box::new(session.clone())));
    if let Some(sealed) = seal_in_memory(session) {
        read_trace(manifest, Some(Box::new(sealed)), None);
    }
}

/// The sealed file of a session; `None` when it is not a session.
pub fn seal_in_memory(session: &Sparse) -> Option<Vec<u8>> {
    let session = Session::open(Box::new(session.clone()), Path::new(SESSION_FILE)).ok()?;
    let mut sealed = Vec::new();
    write_sealed(&session, &mut sealed, Path::new(EVENTS_FILE)).ok()?;
    Some(sealed)
}

fn read_trace(manifest: &[u8], events: Option<Box<dyn Source>>, session: Option<Box<dyn Source>>) {
    let trace = match Trace::open_bytes(manifest, events, session) {
        Ok(trace) => trace,
        Err(error) => {
            let _ = error.to_string();
            return;
        }
    };
    for problem in verify(&trace).problems {
        let _ = problem.to_string();
    }
    let _ = trace.summary();
    for object in History::of(&trace).objects {
        let _ = (object.accesses(), object.hand_overs(), object.longest_run());
        let _ = (object.waited_ns(), object.longest_wait());
        let waits = object.waits.iter().take(16);
        let _ = waits
            .filter(|wait| object.waited_for(wait).is_some())
            .count();
    }
    for process in trace.processes() {
        let _ = (
            trace.end_of(process.id).to_string(),
            trace.process_named(&process.name),
        );
    }
    let _ = trace.end_of(ProcessId(u32::MAX));
    for thread in trace.threads().iter().take(16) {
        // Compressed logs of a hostile trace can be far longer than its file.
        if thread.log_length < 64 << 20
            && let Ok(records) = trace.records(thread.id)
        {
            let _ = records.iter().filter(Result::is_ok).count();
        }
    }
}

/// Takes one input of a fuzzer apart: lengths of manifest and events (varints), these two, and then
/// extents of the session (offset and length as varints, bytes).
pub fn read_input(input: &[u8]) {
    let mut cursor = Cursor::new(input);
    let manifest = cursor.string().unwrap_or(&[]);
    let mut events = cursor.string().unwrap_or(&[]).to_vec();
    mend(&mut events);
    let mut session = Sparse::new(0);
    while let (Some(offset), Some(bytes)) = (cursor.varint(), cursor.string()) {
        session.write(offset & 0xffff_ffff, bytes);
    }
    read_everything(manifest, &events, &session);
}

/// The input that [`read_input`] takes apart into these files.
pub fn input_of(manifest: &[u8], events: &[u8], session: &Sparse) -> Vec<u8> {
    let mut input = Vec::new();
    crate::bytes::push_string(&mut input, manifest);
    crate::bytes::push_string(&mut input, events);
    for (offset, bytes) in session.extents() {
        crate::bytes::push_varint(&mut input, offset);
        crate::bytes::push_string(&mut input, bytes);
    }
    input
}

/// Makes the checksums of a sealed file right again, so that changed bytes get past them. The
/// trailer is spoilt: the index has the old checksums, and without it the blocks speak.
pub fn mend(events: &mut [u8]) {
    if events.ends_with(&TRAILER_MAGIC)
        && let Some(last) = events.last_mut()
    {
        *last = 0;
    }
    if events.len() >= FILE_HEAD {
        let crc = crc32fast::hash(&events[..FILE_HEAD - 4]);
        events[FILE_HEAD - 4..FILE_HEAD].copy_from_slice(&crc.to_le_bytes());
    }
    let mut offset = FILE_HEAD;
    while let Some(head) = events.get(offset..offset + BLOCK_HEAD) {
        if head[..4] != BLOCK_MAGIC.to_le_bytes() {
            return;
        }
        let stored = u64::from_le_bytes(head[20..28].try_into().unwrap_or_default());
        let start = offset + BLOCK_HEAD;
        let end = usize::try_from(stored)
            .ok()
            .and_then(|stored| start.checked_add(stored));
        let body = end.and_then(|end| events.get(start..end));
        let crcs = body.map(|body| (crc32fast::hash(body), raw_crc(head, body)));
        if let Some((body, raw)) = crcs {
            events[offset + 28..offset + 32].copy_from_slice(&body.to_le_bytes());
            events[offset + 32..offset + 36].copy_from_slice(&raw.to_le_bytes());
        }
        let crc = crc32fast::hash(&events[offset..offset + BLOCK_HEAD - 4]);
        events[offset + BLOCK_HEAD - 4..start].copy_from_slice(&crc.to_le_bytes());
        match end {
            Some(end) => offset = end,
            None => return,
        }
    }
}

/// The checksum of what a block unpacks to; 0 when it does not, or refers to payloads elsewhere.
fn raw_crc(head: &[u8], body: &[u8]) -> u32 {
    let field = |offset| u32_at(head, offset).unwrap_or(0);
    let (kinds, raw_length) = (field(4), u64_at(head, 12).unwrap_or(0));
    let Some((directory, packed)) = body.split_at_checked(field(8) as usize) else {
        return 0;
    };
    let raw = if kinds & 0xffff == kind::LOG {
        let segments = Segment::decode_all(directory, raw_length).unwrap_or_default();
        unpack(kinds >> 16, packed, &segments, &mut |_, _| {
            Err(String::new())
        })
    } else {
        decompress(packed, raw_length)
    };
    raw.map_or(0, |raw| crc32fast::hash(&raw))
}
