//! Source, instructions, registers, symbols and libraries.

use serde::Serialize;

/// A numbered line of source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceLineView {
    pub line: u32,
    pub text: String,
}

/// What `list` shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceView {
    pub file: String,
    pub full_path: String,
    /// The line of the frame, when it is in this file.
    pub current_line: Option<u32>,
    pub lines: Vec<SourceLineView>,
}

/// `info source`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceFileView {
    pub file: String,
    pub full_path: String,
    pub directory: Option<String>,
    pub language: Option<String>,
    pub producer: Option<String>,
    pub module: String,
    pub dwarf_version: Option<u16>,
    /// Whether the compiler wrote down the macros (`-g3`).
    pub macros: bool,
    pub lines: Option<u32>,
}

/// `info line`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineInfoView {
    pub file: String,
    pub line: u32,
    /// Beginning and end of the code; equal when the line has none.
    pub start: u64,
    pub end: u64,
    /// `<main+4>`.
    pub start_symbol: Option<String>,
    pub end_symbol: Option<String>,
}

/// `info symbol`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SymbolInfoView {
    pub address: u64,
    pub name: String,
    pub offset: u64,
    pub section: Option<String>,
    pub module: String,
}

/// A line of `info functions`, `info variables`, `info types`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SymbolView {
    pub name: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub address: Option<u64>,
    /// Text of the declaration, when known.
    pub declaration: Option<String>,
}

/// A line of `info sharedlibrary`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LibraryView {
    pub from: u64,
    pub to: u64,
    pub path: String,
    /// Whether debug information was found (None: nobody has looked yet).
    pub debug_info: Option<bool>,
    /// Path of the separate debug file, when there is one.
    pub debug_file: Option<String>,
    pub build_id: Option<String>,
    pub process: String,
}

/// A line of `info registers`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RegisterView {
    pub name: String,
    /// `0x1f`; `<not saved>` in a frame that lost it.
    pub raw: String,
    /// As gdb's natural form: `31`, `(void (*)()) 0x401136 <main+4>`, `[ ZF PF ]`.
    pub natural: String,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstructionView {
    pub address: u64,
    /// Offset from the beginning of the function.
    pub offset: Option<u64>,
    pub function: Option<String>,
    /// The line of source, set on the first instruction of each line for `/s`.
    pub line: Option<u32>,
    pub file: Option<String>,
    pub full_path: Option<String>,
    pub bytes: Vec<u8>,
    /// `mov    %rsp,%rbp`.
    pub text: String,
    /// Whether the program counter stands here.
    pub current: bool,
}

/// `disassemble`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DisassemblyView {
    /// None for a plain range.
    pub function: Option<String>,
    pub start: u64,
    pub end: u64,
    pub instructions: Vec<InstructionView>,
}
