//! Machine code of the stubs between patched places and our own text.
//!
//! Stubs lie within the reach of a 5-byte jump from the module that they serve. The first word of
//! their memory is the address of the trampoline. Between its call number and its `syscall`
//! instruction a site has nothing in `rcx` and `r11`, as the kernel overwrites both.

/// Length of `jmp rel32`.
pub const JUMP: usize = 5;
/// Longest stub.
pub const LONGEST: usize = 48;
/// Room for the stub of a `BEFORE` site.
pub const SHORT: usize = 32;
/// Alignment of stubs.
const ALIGNMENT: usize = 16;
/// Room for the address of the trampoline, before the first stub.
pub const HEAD: usize = 16;

/// `jmp to`, to be written at `from`; none if it is out of reach.
pub fn jump(from: usize, to: usize) -> Option<[u8; JUMP]> {
    let [a, b, c, d] = displacement(from.wrapping_add(JUMP), to)?;
    Some([0xe9, a, b, c, d])
}

/// What stands in an instruction that ends at `end` to reach `to`.
fn displacement(end: usize, to: usize) -> Option<[u8; 4]> {
    let distance = to.wrapping_sub(end) as isize;
    i32::try_from(distance).ok().map(i32::to_le_bytes)
}

/// One stub in the making.
struct Code {
    bytes: [u8; LONGEST],
    length: usize,
    /// Where it will lie.
    address: usize,
}

impl Code {
    fn at(address: usize) -> Code {
        Code {
            bytes: [0xcc; LONGEST],
            length: 0,
            address,
        }
    }

    fn end(&self) -> usize {
        self.address.wrapping_add(self.length)
    }

    fn put(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.length.checked_add(bytes.len())?;
        self.bytes.get_mut(self.length..end)?.copy_from_slice(bytes);
        self.length = end;
        Some(())
    }

    /// An instruction that ends with a displacement relative to its end.
    fn put_relative(&mut self, opcode: &[u8], to: usize) -> Option<()> {
        self.put(opcode)?;
        let end = self.end().wrapping_add(4);
        self.put(&displacement(end, to)?)
    }
}

/// Memory for stubs, filled from its start.
pub struct Stubs {
    start: usize,
    next: usize,
    end: usize,
}

impl Stubs {
    /// # Safety
    /// `start` to `start + length` must be writable, aligned to 16 and ours for good.
    pub unsafe fn new(start: usize, length: usize, trampoline: usize) -> Stubs {
        // SAFETY: writable by contract; every length holds the head.
        unsafe { (start as *mut usize).write(trampoline) };
        let next = start.wrapping_add(HEAD);
        Stubs {
            start,
            next,
            end: start.wrapping_add(length),
        }
    }

    /// For a site whose `mov $nr,%eax` or whatever stands before the `syscall` gives way: those instructions,
    /// then the call; goes on at `after`, after the site's `syscall`.
    pub fn before(&mut self, displaced: &[u8], after: usize) -> Option<usize> {
        let mut code = Code::at(self.next);
        code.put(displaced)?;
        code.put_relative(&[0x48, 0x8d, 0x0d], after)?; // lea rcx, [after]
        code.put(&[0x49, 0x89, 0xcb])?; // mov r11, rcx
        code.put_relative(&[0xff, 0x25], self.start)?; // jmp [trampoline]
        self.add(&code)
    }

    /// For a site whose `syscall` gives way with the instructions `displaced` after it: the call,
    /// those instructions, and on at `back`. `after` is the address after the `syscall`.
    pub fn after(&mut self, after: usize, displaced: &[u8], back: usize) -> Option<usize> {
        const CALL: usize = 7 + 7 + 6;
        let mut code = Code::at(self.next);
        let rest = self.next.wrapping_add(CALL);
        code.put_relative(&[0x48, 0x8d, 0x0d], after)?; // lea rcx, [after]
        code.put_relative(&[0x4c, 0x8d, 0x1d], rest)?; // lea r11, [rest]
        code.put_relative(&[0xff, 0x25], self.start)?; // jmp [trampoline]
        code.put(displaced)?;
        code.put_relative(&[0xe9], back)?;
        self.add(&code)
    }

    /// A jump to anywhere.
    pub fn far_jump(&mut self, to: usize) -> Option<usize> {
        let mut code = Code::at(self.next);
        code.put(&[0xff, 0x25, 0, 0, 0, 0])?; // jmp [next word]
        code.put(&to.to_le_bytes())?;
        self.add(&code)
    }

    /// The first instructions of a function, and on at its rest.
    pub fn prologue(&mut self, displaced: &[u8], rest: usize) -> Option<usize> {
        let mut code = Code::at(self.next);
        code.put(displaced)?;
        code.put_relative(&[0xe9], rest)?;
        self.add(&code)
    }

    /// A function that returns −ENOSYS.
    pub fn no_such_call(&mut self) -> Option<usize> {
        let mut code = Code::at(self.next);
        code.put(&[0x48, 0xc7, 0xc0, 0xda, 0xff, 0xff, 0xff, 0xc3])?; // mov rax, -38; ret
        self.add(&code)
    }

    fn add(&mut self, code: &Code) -> Option<usize> {
        let next = code.end().wrapping_add(ALIGNMENT - 1) & !(ALIGNMENT - 1);
        if next > self.end {
            return None;
        }
        let made = code.bytes.get(..code.length)?;
        // SAFETY: between `next` and `end` lies writable memory of ours, by the contract of `new`.
        unsafe {
            core::ptr::copy_nonoverlapping(made.as_ptr(), self.next as *mut u8, made.len());
        }
        self.next = next;
        Some(code.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(16))]
    struct Memory([u8; 256]);

    #[test]
    fn jumps_reach_two_gigabytes() {
        assert_eq!(jump(0x1000, 0x1005), Some([0xe9, 0, 0, 0, 0]));
        assert_eq!(jump(0x1000, 0x1000), Some([0xe9, 0xfb, 0xff, 0xff, 0xff]));
        assert!(jump(0x1000, 0x1005 + i32::MAX as usize).is_some());
        assert!(jump(0x1000, 0x1006 + i32::MAX as usize).is_none());
    }

    #[test]
    fn stubs_fill_their_room_and_no_more() {
        let mut memory = Memory([0; 256]);
        let start = memory.0.as_mut_ptr() as usize;
        // SAFETY: the memory outlives the stubs.
        let mut stubs = unsafe { Stubs::new(start, HEAD + 2 * LONGEST, 0x1234) };
        let displaced = [0x90; 18];
        let first = stubs.after(start + 100, &displaced, start + 118);
        assert_eq!(first, Some(start + 16));
        assert_eq!(
            stubs.after(start + 100, &displaced, start + 118),
            Some(start + 64)
        );
        assert_eq!(stubs.after(start + 100, &displaced, start + 118), None);
        assert_eq!(memory.0.get(..8), Some(&0x1234u64.to_le_bytes()[..]));
        assert!(memory.0.iter().skip(112).all(|&byte| byte == 0));
    }

    #[test]
    fn a_moved_prologue_still_runs() {
        // mov eax, 7; jmp back to: ret
        let mut memory = Memory([0xcc; 256]);
        memory.0[200] = 0xc3;
        let start = memory.0.as_mut_ptr() as usize;
        // SAFETY: the memory outlives the stubs.
        let mut stubs = unsafe { Stubs::new(start, 128, 0) };
        let stub = stubs.prologue(&[0xb8, 7, 0, 0, 0], start + 200);
        assert_eq!(stub, Some(start + 16));
        let page = start & !4095;
        // SAFETY: the pages belong to this test's stack; the function is the one made above.
        let result = unsafe {
            crate::raw::syscall3(wayfarer_calls::Number::MPROTECT, page, 8192, 7);
            let function: extern "C" fn() -> i32 = core::mem::transmute(start + 16);
            function()
        };
        assert_eq!(result, 7);
    }
}
