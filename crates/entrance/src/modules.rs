//! What the loader has mapped: the program, its libraries, and the vDSO.
//!
//! Read from the loader's own list, without libc and without `/proc`. Right at start only: later
//! the list changes under other threads' `dlopen`.

/// What the kernel told the program about itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Auxiliary {
    /// Program headers of the program (`AT_PHDR`), their number and size.
    pub program_headers: usize,
    pub program_header_count: usize,
    /// The dynamic loader (`AT_BASE`).
    pub loader: usize,
    /// The vDSO (`AT_SYSINFO_EHDR`); 0 if there is none.
    pub vdso: usize,
    /// Address of 16 random bytes (`AT_RANDOM`).
    pub random: usize,
    /// Set-user-id and the like (`AT_SECURE`).
    pub secure: bool,
}

impl Auxiliary {
    /// Reads the vector that lies after the environment.
    ///
    /// # Safety
    /// `envp` must be the environment as the kernel laid it on the stack.
    pub unsafe fn behind(envp: *const *const u8) -> Auxiliary {
        let mut found = Auxiliary::default();
        let mut word = envp.cast::<usize>();
        // SAFETY: the environment ends with a null, the vector with AT_NULL.
        unsafe {
            while word.read() != 0 {
                word = word.add(1);
            }
            let mut pair = word.add(1);
            loop {
                let value = pair.add(1).read();
                match pair.read() {
                    0 => return found,
                    3 => found.program_headers = value,
                    5 => found.program_header_count = value,
                    7 => found.loader = value,
                    23 => found.secure = value != 0,
                    25 => found.random = value,
                    33 => found.vdso = value,
                    _ => {}
                }
                pair = pair.add(2);
            }
        }
    }
}

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_NOTE: u32 = 4;
const PT_PHDR: u32 = 6;
const DT_DEBUG: usize = 21;
const NT_GNU_BUILD_ID: u32 = 3;
const PROGRAM_HEADER: usize = 56;

/// A loaded ELF image.
#[derive(Clone, Copy)]
pub struct Module {
    /// What is added to the addresses in its file.
    pub base: usize,
    /// Its path, zero terminated; empty for the program itself.
    pub name: *const u8,
    program_headers: usize,
    program_header_count: usize,
}

/// `struct link_map`, as far as debuggers may look.
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const u8,
    dynamic: usize,
    next: *const LinkMap,
}

/// The modules in the order of the loader's list; the program comes first.
pub struct Modules {
    next: *const LinkMap,
    program: Auxiliary,
}

/// All loaded modules.
///
/// # Safety
/// Only while no library is loaded or unloaded.
pub unsafe fn loaded(auxiliary: &Auxiliary) -> Modules {
    let program = Module {
        base: 0,
        name: c"".as_ptr().cast(),
        program_headers: auxiliary.program_headers,
        program_header_count: auxiliary.program_header_count,
    };
    // SAFETY: the loader filled DT_DEBUG of the program in before it ran any initialiser.
    let next = unsafe { program.debugger_list() };
    Modules {
        next,
        program: *auxiliary,
    }
}

impl Iterator for Modules {
    type Item = Module;

    fn next(&mut self) -> Option<Module> {
        // SAFETY: the list ends with null and does not change, by the contract of `loaded`.
        let entry = unsafe { self.next.as_ref()? };
        self.next = entry.next;
        // SAFETY: names are zero terminated strings.
        let is_program = unsafe { entry.name.is_null() || entry.name.read() == 0 };
        let (program_headers, program_header_count) = if is_program {
            (
                self.program.program_headers,
                self.program.program_header_count,
            )
        } else {
            // SAFETY: a library is mapped from its ELF header on.
            unsafe { header_table(entry.base) }
        };
        Some(Module {
            base: entry.base,
            name: entry.name,
            program_headers,
            program_header_count,
        })
    }
}

impl Module {
    /// The image whose ELF header is at `base`, such as the vDSO.
    ///
    /// # Safety
    /// An ELF image must be mapped there, or `base` be 0.
    pub unsafe fn at(base: usize, name: *const u8) -> Module {
        // SAFETY: the caller's promise is the same.
        let (program_headers, program_header_count) = unsafe { header_table(base) };
        Module {
            base,
            name,
            program_headers,
            program_header_count,
        }
    }

    /// The program itself, by the place and number of its headers that the kernel told.
    pub fn program(program_headers: usize, program_header_count: usize) -> Module {
        let mut module = Module {
            base: 0,
            name: c"".as_ptr().cast(),
            program_headers,
            program_header_count,
        };
        let mut headers = module.segments().filter(|&(kind, ..)| kind == PT_PHDR);
        let base = headers
            .next()
            .map_or(0, |(_, address, _)| program_headers.wrapping_sub(address));
        drop(headers);
        module.base = base;
        module
    }

    /// Whether it carries a note under this name, with its zero bytes.
    pub fn has_note(&self, wanted: &[u8]) -> bool {
        let mut found = false;
        for (kind, address, length) in self.segments() {
            if kind == PT_NOTE {
                // SAFETY: a PT_NOTE segment is mapped as a whole.
                unsafe {
                    for_each_note(self.base.wrapping_add(address), length, |name, _, _| {
                        let padded = name.len().wrapping_add(3) & !3 == wanted.len();
                        found |= padded && wanted.starts_with(name);
                    });
                }
            }
        }
        found
    }

    /// The build id that the linker put into it; empty if it has none.
    pub fn build_id(&self) -> &'static [u8] {
        for (kind, address, length) in self.segments() {
            if kind == PT_NOTE {
                // SAFETY: a PT_NOTE segment is mapped as a whole.
                let id = unsafe { build_id_in(self.base.wrapping_add(address), length) };
                if !id.is_empty() {
                    return id;
                }
            }
        }
        &[]
    }

    /// Where the last loaded segment ends.
    pub fn end(&self) -> usize {
        let ends = self.segments().filter(|&(kind, ..)| kind == PT_LOAD);
        let last = ends
            .map(|(_, address, length)| address.wrapping_add(length))
            .max();
        self.base.wrapping_add(last.unwrap_or(0))
    }

    /// Where the table in front of its unwind information lies.
    pub fn unwind_table(&self) -> Option<usize> {
        const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
        let mut segments = self.segments();
        let found = segments.find(|&(kind, ..)| kind == PT_GNU_EH_FRAME);
        found.map(|(_, address, _)| self.base.wrapping_add(address))
    }

    /// Address and length of each part of its code, as far as its file has it.
    pub fn code(&self) -> impl Iterator<Item = (usize, usize)> {
        const EXECUTABLE: u32 = 1;
        self.loaded(EXECUTABLE)
    }

    /// The same of its data.
    pub fn data(&self) -> impl Iterator<Item = (usize, usize)> {
        const WRITABLE: u32 = 2;
        self.loaded(WRITABLE)
    }

    /// The part of its data that is read-only once the loader is done.
    pub fn fixed_data(&self) -> Option<(usize, usize)> {
        const PT_GNU_RELRO: u32 = 0x6474_e552;
        let mut segments = self.segments();
        let found = segments.find(|&(kind, ..)| kind == PT_GNU_RELRO);
        found.map(|(_, address, length)| (self.base.wrapping_add(address), length))
    }

    fn loaded(&self, wanted: u32) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (base, table) = (self.base, self.program_headers);
        (0..self.program_header_count).filter_map(move |index| {
            let entry = table.wrapping_add(index.wrapping_mul(PROGRAM_HEADER)) as *const u8;
            // SAFETY: inside the program header table of a loaded image.
            let (kind, flags, address, length) = unsafe {
                (
                    entry.cast::<u32>().read_unaligned(),
                    entry.add(4).cast::<u32>().read_unaligned(),
                    entry.add(16).cast::<usize>().read_unaligned(),
                    entry.add(32).cast::<usize>().read_unaligned(),
                )
            };
            (kind == PT_LOAD && flags & wanted != 0).then_some((base.wrapping_add(address), length))
        })
    }

    /// Kind, address in the file's terms, and length in memory of each segment.
    fn segments(&self) -> impl Iterator<Item = (u32, usize, usize)> {
        let table = self.program_headers;
        (0..self.program_header_count).map(move |index| {
            let entry = table.wrapping_add(index.wrapping_mul(PROGRAM_HEADER)) as *const u8;
            // SAFETY: inside the program header table of a loaded image.
            unsafe {
                (
                    entry.cast::<u32>().read_unaligned(),
                    entry.add(16).cast::<usize>().read_unaligned(),
                    entry.add(40).cast::<usize>().read_unaligned(),
                )
            }
        })
    }

    /// Calls `found(tag, value)` for each entry of the dynamic section; `bias` is what lies between
    /// the addresses in the file and those in memory.
    ///
    /// # Safety
    /// The module must be loaded there.
    pub(crate) unsafe fn for_each_dynamic(&self, bias: usize, mut found: impl FnMut(usize, usize)) {
        for (kind, address, length) in self.segments() {
            if kind != PT_DYNAMIC {
                continue;
            }
            let entries = bias.wrapping_add(address) as *const [usize; 2];
            for index in 0..length / size_of::<[usize; 2]>() {
                // SAFETY: inside the dynamic section.
                let [tag, value] = unsafe { entries.add(index).read_unaligned() };
                if tag == 0 {
                    return;
                }
                found(tag, value);
            }
        }
    }

    /// First entry of the list that the loader keeps for debuggers, from the program's DT_DEBUG.
    ///
    /// # Safety
    /// The module must be the program, with a dynamic section that the loader has filled in.
    unsafe fn debugger_list(&self) -> *const LinkMap {
        let mut bias = 0usize;
        for (kind, address, _) in self.segments() {
            if kind == PT_PHDR {
                bias = self.program_headers.wrapping_sub(address);
            }
        }
        let mut debug = core::ptr::null::<*const LinkMap>();
        // SAFETY: this is the program, which is loaded.
        unsafe {
            self.for_each_dynamic(bias, |tag, value| {
                if tag == DT_DEBUG {
                    debug = value as *const *const LinkMap;
                }
            });
            // `r_map` is the second word of `r_debug`.
            if debug.is_null() {
                core::ptr::null()
            } else {
                debug.add(1).read()
            }
        }
    }
}

/// Program headers of the image whose ELF header is at `base`.
///
/// # Safety
/// An ELF file must be mapped at `base`.
unsafe fn header_table(base: usize) -> (usize, usize) {
    const MAGIC: u32 = u32::from_le_bytes(*b"\x7fELF");
    let header = base as *const u8;
    // SAFETY: mapped by contract; the magic number is checked before the fields are believed.
    unsafe {
        if base == 0 || header.cast::<u32>().read_unaligned() != MAGIC {
            return (0, 0);
        }
        let offset = header.add(32).cast::<usize>().read_unaligned();
        let count = header.add(56).cast::<u16>().read_unaligned();
        (base.wrapping_add(offset), count as usize)
    }
}

/// # Safety
/// A segment of notes must be mapped there for as long as the result is used.
unsafe fn build_id_in(start: usize, length: usize) -> &'static [u8] {
    let mut id: &'static [u8] = &[];
    // SAFETY: the caller's promise is the same.
    unsafe {
        for_each_note(start, length, |name, kind, description| {
            if kind == NT_GNU_BUILD_ID && name.len() == 4 && id.is_empty() {
                id = description;
            }
        });
    }
    id
}

/// Calls `found(name, kind, description)` for each note of a segment.
///
/// # Safety
/// A segment of notes must be mapped there for as long as the result is used.
unsafe fn for_each_note(
    start: usize,
    length: usize,
    mut found: impl FnMut(&'static [u8], u32, &'static [u8]),
) {
    const HEAD: usize = 12;
    let mut rest = length;
    let mut note = start as *const u8;
    let rounded = |size: u32| (size as usize).wrapping_add(3) & !3;
    while rest >= HEAD {
        // SAFETY: a note header fits into the rest.
        let (name, size, kind) = unsafe {
            let words = note.cast::<u32>();
            (
                words.read_unaligned(),
                words.add(1).read_unaligned(),
                words.add(2).read_unaligned(),
            )
        };
        let whole = rounded(name).wrapping_add(rounded(size)).wrapping_add(HEAD);
        if whole > rest {
            return;
        }
        // SAFETY: inside the segment, which stays mapped as long as the module.
        unsafe {
            let text = note.add(HEAD);
            found(
                core::slice::from_raw_parts(text, name as usize),
                kind,
                core::slice::from_raw_parts(text.add(rounded(name)), size as usize),
            );
        }
        rest = rest.wrapping_sub(whole);
        note = note.wrapping_add(whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_has_a_libc() {
        let words = std::fs::read("/proc/self/auxv").unwrap_or_default();
        let words: Vec<usize> = words
            .chunks_exact(8)
            .map(|word| usize::from_le_bytes(word.try_into().unwrap_or_default()))
            .collect();
        let mut stack = vec![0usize];
        stack.extend(words);
        // SAFETY: an empty environment and a real vector.
        let auxiliary = unsafe { Auxiliary::behind(stack.as_ptr().cast()) };
        assert!(auxiliary.vdso != 0 && auxiliary.loader != 0);
        // SAFETY: no other test loads libraries.
        let modules: Vec<Module> = unsafe { loaded(&auxiliary) }.collect();
        let libc = modules.iter().find(|module| {
            // SAFETY: names of loaded modules.
            let name = unsafe { core::ffi::CStr::from_ptr(module.name.cast()) };
            name.to_bytes().ends_with(b"libc.so.6")
        });
        assert_eq!(libc.map(|module| module.build_id().len()), Some(20));
    }
}
