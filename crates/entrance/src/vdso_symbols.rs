//! Where the functions of the vDSO begin.

use wayfarer_runtime_abi::sites::{
    VDSO_CLOCK_GETRES, VDSO_CLOCK_GETTIME, VDSO_GETCPU, VDSO_GETRANDOM, VDSO_GETTIMEOFDAY,
    VDSO_TIME,
};

use crate::modules::Module;

const DT_STRTAB: usize = 5;
const DT_SYMTAB: usize = 6;
const DT_STRSZ: usize = 10;
/// Size of a symbol table entry.
const SYMBOL: usize = 24;
/// A vDSO is a few pages; a table that claims to be larger is not believed.
const IMAGE_MAX: usize = 1 << 16;

const NAMES: [(&[u8], u32); 6] = [
    (b"__vdso_clock_gettime\0", VDSO_CLOCK_GETTIME),
    (b"__vdso_gettimeofday\0", VDSO_GETTIMEOFDAY),
    (b"__vdso_time\0", VDSO_TIME),
    (b"__vdso_getcpu\0", VDSO_GETCPU),
    (b"__vdso_clock_getres\0", VDSO_CLOCK_GETRES),
    (b"__vdso_getrandom\0", VDSO_GETRANDOM),
];

/// Calls `found(function, offset)` for each function that we hook, with its `VDSO_` number and its
/// distance from the start of the vDSO.
///
/// # Safety
/// `base` must be the address of the vDSO, or 0.
pub unsafe fn for_each(base: usize, mut found: impl FnMut(u32, usize)) {
    // SAFETY: the caller's promise is the same.
    let module = unsafe { Module::at(base, core::ptr::null()) };
    let (mut strings, mut strings_length, mut symbols) = (0, 0, 0);
    // SAFETY: the kernel's own image.
    unsafe {
        module.for_each_dynamic(base, |tag, value| match tag {
            DT_STRTAB => strings = value,
            DT_STRSZ => strings_length = value,
            DT_SYMTAB => symbols = value,
            _ => {}
        });
    }
    // The linker lays the strings right after the symbols, which tells the number of these.
    let in_image = |address: usize| address != 0 && address < IMAGE_MAX;
    if !in_image(symbols) || !in_image(strings) || !in_image(strings_length) {
        return;
    }
    for index in 0..strings.saturating_sub(symbols) / SYMBOL {
        let entry = (base + symbols + index * SYMBOL) as *const u8;
        // SAFETY: inside the symbol table of the mapped image.
        let (name, value) = unsafe {
            (
                entry.cast::<u32>().read_unaligned() as usize,
                entry.add(8).cast::<usize>().read_unaligned(),
            )
        };
        for (wanted, function) in NAMES {
            if name + wanted.len() <= strings_length && in_image(value) {
                // SAFETY: inside the string table.
                let text = unsafe {
                    core::slice::from_raw_parts((base + strings + name) as *const u8, wanted.len())
                };
                if text == wanted {
                    found(function, value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_among_them() {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let line = maps.lines().find(|line| line.ends_with("[vdso]"));
        let base = line
            .and_then(|line| line.split('-').next())
            .and_then(|address| usize::from_str_radix(address, 16).ok());
        let mut functions = Vec::new();
        // SAFETY: the address of our own vDSO.
        unsafe {
            for_each(base.unwrap_or(0), |function, offset| {
                functions.push((function, offset))
            })
        };
        assert!(
            functions
                .iter()
                .any(|&(function, offset)| function == VDSO_CLOCK_GETTIME && offset != 0)
        );
    }
}
