//! The ELF files that a process has mapped.

use crate::ProcessId;

/// Asks for the modules of this process.
pub type ModulesRequest = ProcessId;

/// All of them, by address.
pub type ModulesReply = Vec<Module>;

/// One ELF file in a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// As the kernel gives it; `[vdso]` has no file: read its memory.
    pub path: String,
    /// Its build id, if it has one.
    pub build_id: Option<Vec<u8>>,
    /// What is added to the file's own addresses.
    pub bias: u64,
    /// First address of all its mappings.
    pub low: u64,
    /// End of all its mappings.
    pub high: u64,
    /// The program itself.
    pub executable: bool,
    /// The dynamic linker.
    pub interpreter: bool,
    /// The file has been deleted or replaced; its memory is what runs.
    pub deleted: bool,
    /// A path that opens the very file that is mapped, also if that is deleted or in another mount namespace.
    pub open_path: Option<String>,
    /// Our own library in the program, whose functions are not the program's.
    pub runtime: bool,
    /// The address of its link_map, where the dynamic linker knows it.
    pub link_map: Option<u64>,
}
