//! Registers.

use wayfarer_backend as plain;

use super::{Damaged, optional};
use crate as wire;

/// The general registers, named once for both directions.
macro_rules! general {
    ($($register:ident),*) => {
        impl From<plain::GeneralRegisters> for wire::GeneralRegisters {
            fn from(registers: plain::GeneralRegisters) -> wire::GeneralRegisters {
                wire::GeneralRegisters { $($register: registers.$register,)* }
            }
        }

        impl TryFrom<wire::GeneralRegisters> for plain::GeneralRegisters {
            type Error = Damaged;

            fn try_from(registers: wire::GeneralRegisters) -> Result<plain::GeneralRegisters, Damaged> {
                Ok(plain::GeneralRegisters { $($register: registers.$register,)* })
            }
        }
    };
}

general!(
    rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8, r9, r10, r11, r12, r13, r14, r15, rip, eflags, cs,
    ss, ds, es, fs, gs, fs_base, gs_base, orig_rax
);

impl From<plain::VectorRegisters> for wire::VectorRegisters {
    fn from(registers: plain::VectorRegisters) -> wire::VectorRegisters {
        wire::VectorRegisters {
            ymm: registers.ymm.concat(),
            mxcsr: registers.mxcsr,
            st: registers.st.concat(),
            fctrl: registers.fctrl,
            fstat: registers.fstat,
            ftag: registers.ftag,
            has_avx: registers.has_avx,
            zmm_high: registers
                .zmm_high
                .map(|high| high.concat())
                .unwrap_or_default(),
            fop: registers.fop,
            fip: registers.fip,
            fdp: registers.fdp,
        }
    }
}

impl TryFrom<wire::VectorRegisters> for plain::VectorRegisters {
    type Error = Damaged;

    fn try_from(registers: wire::VectorRegisters) -> Result<plain::VectorRegisters, Damaged> {
        Ok(plain::VectorRegisters {
            ymm: pieces(&registers.ymm).ok_or(Damaged("vector registers"))?,
            has_avx: registers.has_avx,
            zmm_high: match registers.zmm_high.as_slice() {
                [] => None,
                bytes => Some(pieces(bytes).ok_or(Damaged("upper vector registers"))?),
            },
            mxcsr: registers.mxcsr,
            st: pieces(&registers.st).ok_or(Damaged("x87 registers"))?,
            fctrl: registers.fctrl,
            fstat: registers.fstat,
            ftag: registers.ftag,
            fop: registers.fop,
            fip: registers.fip,
            fdp: registers.fdp,
        })
    }
}

/// Bytes cut into registers of one size; none if their number does not fit.
fn pieces<const SIZE: usize, const COUNT: usize>(bytes: &[u8]) -> Option<[[u8; SIZE]; COUNT]> {
    let (whole, rest) = bytes.as_chunks::<SIZE>();
    match rest {
        [] => whole.try_into().ok(),
        _ => None,
    }
}

/// Vector registers are large, and often absent.
pub(super) fn boxed(
    registers: Option<wire::VectorRegisters>,
) -> Result<Option<Box<plain::VectorRegisters>>, Damaged> {
    Ok(optional(registers)?.map(Box::new))
}

/// The same for the wire.
pub(super) fn unboxed(
    registers: Option<Box<plain::VectorRegisters>>,
) -> Option<wire::VectorRegisters> {
    registers.map(|registers| (*registers).into())
}

impl From<plain::WriteRegistersRequest> for wire::WriteRegistersRequest {
    fn from(request: plain::WriteRegistersRequest) -> wire::WriteRegistersRequest {
        wire::WriteRegistersRequest {
            session: 0,
            thread: request.thread.0,
            general: request.general.map(Into::into),
            vector: unboxed(request.vector),
            back: request.back.is_some(),
            signal: request.back.flatten().map(|signal| signal as u32),
        }
    }
}

impl TryFrom<wire::WriteRegistersRequest> for plain::WriteRegistersRequest {
    type Error = Damaged;

    fn try_from(
        request: wire::WriteRegistersRequest,
    ) -> Result<plain::WriteRegistersRequest, Damaged> {
        Ok(plain::WriteRegistersRequest {
            thread: plain::ThreadId(request.thread),
            general: optional(request.general)?,
            vector: boxed(request.vector)?,
            back: request
                .back
                .then_some(request.signal.map(|signal| signal as i32)),
        })
    }
}
