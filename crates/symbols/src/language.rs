//! The source languages that are told apart, and how each writes names.

/// The language of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Language {
    #[default]
    C,
    Cpp,
    Rust,
    Assembler,
    Other,
}

impl Language {
    /// From the unit's DW_AT_language.
    pub fn from_dwarf(language: gimli::DwLang) -> Language {
        match language {
            gimli::DW_LANG_C
            | gimli::DW_LANG_C89
            | gimli::DW_LANG_C99
            | gimli::DW_LANG_C11
            | gimli::DW_LANG_C17
            | gimli::DW_LANG_ObjC => Language::C,
            gimli::DW_LANG_C_plus_plus
            | gimli::DW_LANG_C_plus_plus_03
            | gimli::DW_LANG_C_plus_plus_11
            | gimli::DW_LANG_C_plus_plus_14
            | gimli::DW_LANG_C_plus_plus_17
            | gimli::DW_LANG_C_plus_plus_20
            | gimli::DW_LANG_ObjC_plus_plus => Language::Cpp,
            gimli::DW_LANG_Rust => Language::Rust,
            gimli::DW_LANG_Mips_Assembler => Language::Assembler,
            _ => Language::Other,
        }
    }

    /// The name that `info source` shows.
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cpp => "c++",
            Language::Rust => "rust",
            Language::Assembler => "asm",
            Language::Other => "unknown",
        }
    }
}
