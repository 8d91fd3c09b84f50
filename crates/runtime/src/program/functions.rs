//! Where the functions of a module begin and end, as its unwind information says.

use crate::memory::user;
use crate::program::instruction;
use wayfarer_entrance::arguments::Address;
use wayfarer_entrance::modules::Module;

/// The sorted table in front of the unwind information of a module.
#[derive(Clone, Copy)]
pub struct Functions {
    header: usize,
    count: usize,
}

/// One function.
#[derive(Clone, Copy)]
pub struct Function {
    start: usize,
}

/// No known function is longer.
const LONGEST: usize = 1 << 20;
const FIRST_ENTRY: usize = 12;
const ENTRY: usize = 8;

impl Functions {
    /// `None`: the module has no such table, or one of another form than linkers make.
    pub fn of(module: &Module) -> Option<Self> {
        /// Version 1; offsets of four bytes; a count of four bytes; a table of offsets from the header.
        const USUAL: [u8; 4] = [1, 0x1b, 0x03, 0x3b];
        let header = module.unwind_table()?;
        if user::read::<[u8; 4]>(Address::new(header))? != USUAL {
            return None;
        }
        let count = user::read::<u32>(Address::new(header).plus(8))? as usize;
        Some(Functions { header, count })
    }

    /// Start of a function, and where its description is.
    fn entry(&self, index: usize) -> Option<(usize, usize)> {
        let place = self.header.wrapping_add(FIRST_ENTRY + index * ENTRY);
        let [start, description] = user::read::<[i32; 2]>(Address::new(place))?;
        let address = |offset: i32| self.header.wrapping_add_signed(offset as isize);
        Some((address(start), address(description)))
    }

    /// The function that has code at this address.
    pub fn around(&self, address: usize) -> Option<Function> {
        let (mut low, mut high) = (0, self.count);
        // The last one that begins at the address or before it.
        while low < high {
            let middle = (low + high) / 2;
            if self.entry(middle)?.0 <= address {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let (start, description) = self.entry(low.checked_sub(1)?)?;
        // After its own length, where its kind is described and its start: how long it is.
        let length = user::read::<u32>(Address::new(description).plus(12))? as usize;
        (length <= LONGEST && address.wrapping_sub(start) < length).then_some(Function { start })
    }
}

impl Function {
    /// Whether an opcode begins at this address; `as_written` undoes what was changed in a piece of code.
    pub fn has_opcode_at(&self, address: usize, as_written: fn(&mut [u8])) -> bool {
        let mut place = self.start;
        while place <= address {
            let mut code = [0u8; 16];
            if !user::fill(&mut code, Address::new(place)) {
                return false;
            }
            as_written(&mut code);
            let Some(found) = instruction::at(&code) else {
                return false;
            };
            if place + found.opcode == address {
                return true;
            }
            place += found.length;
        }
        false
    }
}
