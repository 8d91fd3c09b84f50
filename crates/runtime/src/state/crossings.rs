//! Where a thread is between two events, by the crossings that it has passed, and where its turn ends there.

use crate::state::spinning::Spin;
use wayfarer_runtime_abi::encode::{MAX_VARINT, get_varint, put_varint};
use wayfarer_runtime_abi::record::Record;

/// What a thread knows of its crossings; all zero at first.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Crossings {
    /// How many since the thread's last event.
    pub passed: u64,
    /// Replay: after how many the turn ends, plus one; 0: nothing is known of an end.
    pub due: u64,
    /// Replay: the turn ends at the next crossing, not on the way to it.
    pub exact: bool,
    /// Replay: how many there were when the timer of force last rang, plus one.
    pub rang: u64,
}

/// After which crossing a turn ended.
#[derive(Clone, Copy)]
pub struct Place {
    pub passed: u64,
    /// At the next crossing, not on the way to it.
    pub exact: bool,
    /// In which loop the thread waited for others.
    pub spin: Option<Spin>,
}

impl Place {
    const EXACT: u64 = 1;
    const SPIN: u64 = 2;
    pub const ENCODED: usize = MAX_VARINT + Spin::ENCODED;

    /// # Safety
    /// There is room for [`Place::ENCODED`] bytes.
    pub unsafe fn encode(&self, place: *mut u8) -> *mut u8 {
        let mut word = self.passed << 2;
        if self.exact {
            word |= Self::EXACT;
        }
        if self.spin.is_some() {
            word |= Self::SPIN;
        }
        // SAFETY: as the caller says.
        unsafe {
            let end = put_varint(place, word);
            self.spin.map_or(end, |spin| spin.encode(end))
        }
    }

    pub fn of(record: &Record<'_>) -> Option<Place> {
        let (word, end) = get_varint(record.payload, 0)?;
        let spin = match word & Self::SPIN {
            0 => None,
            _ => Some(Spin::decode(record.payload.get(end..)?)?),
        };
        Some(Place {
            passed: word >> 2,
            exact: word & Self::EXACT != 0,
            spin,
        })
    }
}

impl Crossings {
    /// Bytes at the beginning that each crossing looks at.
    pub const HOT: usize = 16;

    /// An event: counting begins anew.
    #[inline(always)]
    pub fn begin(&mut self) {
        self.passed = 0;
    }
}
