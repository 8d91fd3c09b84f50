//! The note in the ELF file of a program that uses this crate: `record --threads auto` looks for it.

/// An ELF note: sizes, type, name, description.
#[repr(C, align(4))]
struct Note {
    name_size: u32,
    description_size: u32,
    kind: u32,
    /// Padded to a multiple of four.
    name: [u8; 12],
    description: u32,
}

const NAME: &[u8; 9] = b"Wayfarer\0";
/// Type of the note: how the program synchronises its threads.
const SYNCHRONISATION: u32 = 1;
/// Its locks are visible to the recorder.
const VISIBLE: u32 = 1;

#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".note.wayfarer"))]
static NOTE: Note = Note {
    name_size: NAME.len() as u32,
    description_size: size_of::<u32>() as u32,
    kind: SYNCHRONISATION,
    name: *b"Wayfarer\0\0\0\0",
    description: VISIBLE,
};

/// Makes sure that the linker takes the object file with the note.
pub(crate) fn keep() {
    std::hint::black_box(&NOTE);
}
