//! Big payloads, each content stored once: many processes read the same files.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

use crate::session::Session;
use crate::source::read_bytes;

/// A payload that was given a number: where the session holds it.
#[derive(Clone, Copy)]
struct Known {
    offset: u64,
    length: u64,
    number: u64,
}

/// Numbers payloads while a session is sealed.
#[derive(Default)]
pub(crate) struct Numbering {
    known: HashMap<u64, Vec<Known>>,
    next: u64,
}

/// What [`Numbering::number`] found.
pub(crate) enum Numbered {
    /// The same bytes have this number already.
    Old(u64),
    /// These bytes are new; they got this number.
    New(u64),
}

impl Numbering {
    /// Gives `payload`, which lies at `offset` of the session, its number. A hash only finds the
    /// candidates; the bytes decide.
    pub(crate) fn number(&mut self, session: &Session, offset: u64, payload: &[u8]) -> Numbered {
        let mut hasher = DefaultHasher::new();
        hasher.write(payload);
        let candidates = self.known.entry(hasher.finish()).or_default();
        let length = payload.len() as u64;
        let same = candidates.iter().find(|known| {
            known.length == length
                && read_bytes(session.source(), known.offset, payload.len())
                    .is_ok_and(|bytes| bytes == payload)
        });
        if let Some(known) = same {
            return Numbered::Old(known.number);
        }
        let number = self.next;
        self.next += 1;
        candidates.push(Known {
            offset,
            length,
            number,
        });
        Numbered::New(number)
    }
}
