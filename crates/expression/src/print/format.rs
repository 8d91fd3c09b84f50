//! How values are to be printed: gdb's format letters and print settings.

/// One of gdb's format letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// `/x`
    Hexadecimal,
    /// `/z`: hexadecimal with leading zeros
    PaddedHexadecimal,
    /// `/d`
    Signed,
    /// `/u`
    Unsigned,
    /// `/o`
    Octal,
    /// `/t`
    Binary,
    /// `/a`
    Address,
    /// `/c`
    Character,
    /// `/f`
    Float,
    /// `/s`
    Text,
}

impl Letter {
    /// The format of a letter.
    pub fn of(letter: char) -> Option<Letter> {
        Some(match letter {
            'x' => Letter::Hexadecimal,
            'z' => Letter::PaddedHexadecimal,
            'd' => Letter::Signed,
            'u' => Letter::Unsigned,
            'o' => Letter::Octal,
            't' => Letter::Binary,
            'a' => Letter::Address,
            'c' => Letter::Character,
            'f' => Letter::Float,
            's' => Letter::Text,
            _ => return None,
        })
    }
}

/// Print settings, with gdb's defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// The format letter, if one was given.
    pub letter: Option<Letter>,
    /// `/r`: no pretty printers.
    pub raw: bool,
    /// Elements of an array and characters of a string that are printed; `None`: all.
    pub elements: Option<usize>,
    /// More equal elements than this are printed once, with their number.
    pub repeats: usize,
    /// How deep structures are printed; `None`: without limit.
    pub depth: Option<usize>,
    /// One member per line.
    pub pretty: bool,
    /// Static members of classes.
    pub static_members: bool,
    /// Unions within structures.
    pub unions: bool,
    /// Addresses of pointers.
    pub addresses: bool,
    /// `<symbol+offset>` after pointers.
    pub symbols: bool,
    /// Strings end at their first nul.
    pub null_stop: bool,
    /// The type of an object by its virtual table.
    pub object: bool,
    /// The type in parentheses before a pointer: how `print` differs from `info locals`.
    pub top_level: bool,
    /// The program's own print functions are used.
    pub custom: bool,
}

impl Default for Format {
    fn default() -> Format {
        Format {
            letter: None,
            raw: false,
            elements: Some(200),
            repeats: 10,
            depth: Some(20),
            pretty: false,
            static_members: true,
            unions: true,
            addresses: true,
            symbols: true,
            null_stop: false,
            object: false,
            top_level: true,
            custom: true,
        }
    }
}

impl Format {
    /// As `info locals` and frame lines print: no type before pointers.
    pub fn nested() -> Format {
        Format {
            top_level: false,
            ..Format::default()
        }
    }

    /// The default with a format letter.
    pub fn with_letter(letter: Letter) -> Format {
        Format {
            letter: Some(letter),
            ..Format::default()
        }
    }

    pub(crate) fn limit(&self) -> usize {
        self.elements.unwrap_or(usize::MAX)
    }
}
