//! Structures that no debug information describes: the kernel's, which a debugger knows by itself.

use std::sync::Arc;

use wayfarer_symbols::types::Encoding;

use crate::syntax::Language;
use crate::types::{MadeType, TypeRef};

/// A structure or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// `None`: nameless.
    pub name: Option<&'static str>,
    /// Whether all members begin at the same place.
    pub is_union: bool,
    /// In bytes.
    pub size: u64,
    /// Name, offset and type of each.
    pub members: Vec<(&'static str, u64, TypeRef)>,
}

impl Record {
    /// The member of this name.
    pub fn member(&self, name: &str) -> Option<&(&'static str, u64, TypeRef)> {
        self.members.iter().find(|(known, ..)| *known == name)
    }

    /// `struct siginfo`, `union {...}`.
    pub fn title(&self) -> String {
        let keyword = if self.is_union { "union" } else { "struct" };
        format!("{keyword} {}", self.name.unwrap_or("{...}"))
    }

    /// The definition, for `ptype`; nameless members are written out at the first level only.
    pub(crate) fn definition(&self, level: usize) -> String {
        let keyword = if self.is_union { "union" } else { "struct" };
        let indent = "    ".repeat(level);
        let mut text = match self.name {
            Some(name) => format!("{keyword} {name} {{\n"),
            None => format!("{keyword} {{\n"),
        };
        for (name, _, type_ref) in &self.members {
            let inner = match type_ref {
                TypeRef::Made(made) => match &**made {
                    MadeType::Record(record) if record.name.is_none() && level < 1 => {
                        Some(format!("{} {name}", record.definition(level + 1)))
                    }
                    _ => None,
                },
                _ => None,
            };
            let declaration = inner.unwrap_or_else(|| type_ref.declare(name));
            text.push_str(&format!("{indent}    {declaration};\n"));
        }
        text.push_str(&format!("{indent}}}"));
        text
    }
}

fn made(
    name: Option<&'static str>,
    is_union: bool,
    size: u64,
    members: Vec<(&'static str, u64, TypeRef)>,
) -> TypeRef {
    TypeRef::Made(Arc::new(MadeType::Record(Arc::new(Record {
        name,
        is_union,
        size,
        members,
    }))))
}

/// The kernel's `siginfo_t` on x86-64, with the names that gdb gives its parts.
pub fn signal_information() -> TypeRef {
    let number = |name: &str, encoding, size| TypeRef::base(name, encoding, size, Language::C);
    let int = number("int", Encoding::Signed, 4);
    let unsigned = number("unsigned int", Encoding::Unsigned, 4);
    let short = number("short", Encoding::Signed, 2);
    let long = number("long", Encoding::Signed, 8);
    let pid = number("__pid_t", Encoding::Signed, 4);
    let uid = number("__uid_t", Encoding::Unsigned, 4);
    let clock = number("__clock_t", Encoding::Signed, 8);
    let pointer = TypeRef::Void.pointer();
    let part =
        |size: u64, members: Vec<(&'static str, u64, TypeRef)>| made(None, false, size, members);
    let value = made(
        Some("sigval_t"),
        true,
        8,
        vec![
            ("sival_int", 0, int.clone()),
            ("sival_ptr", 0, pointer.clone()),
        ],
    );
    let sender = || vec![("si_pid", 0, pid.clone()), ("si_uid", 4, uid.clone())];
    let with = |mut members: Vec<(&'static str, u64, TypeRef)>, more: Vec<_>| {
        members.extend(more);
        members
    };
    let timer = vec![
        ("si_tid", 0, int.clone()),
        ("si_overrun", 4, int.clone()),
        ("si_sigval", 8, value.clone()),
    ];
    let child = vec![
        ("si_status", 8, int.clone()),
        ("si_utime", 16, clock.clone()),
        ("si_stime", 24, clock),
    ];
    let bounds = part(
        16,
        vec![
            ("_lower", 0, pointer.clone()),
            ("_upper", 8, pointer.clone()),
        ],
    );
    let fault = vec![
        ("si_addr", 0, pointer.clone()),
        ("_addr_lsb", 8, short),
        ("_addr_bnd", 16, bounds),
    ];
    let system_call = vec![
        ("_call_addr", 0, pointer),
        ("_syscall", 8, int.clone()),
        ("_arch", 12, unsigned),
    ];
    let fields = made(
        None,
        true,
        112,
        vec![
            ("_pad", 0, int.array(Some(28))),
            ("_kill", 0, part(8, sender())),
            ("_timer", 0, part(16, timer)),
            (
                "_rt",
                0,
                part(16, with(sender(), vec![("si_sigval", 8, value)])),
            ),
            ("_sigchld", 0, part(32, with(sender(), child))),
            ("_sigfault", 0, part(32, fault)),
            (
                "_sigpoll",
                0,
                part(16, vec![("si_band", 0, long), ("si_fd", 8, int.clone())]),
            ),
            ("_sigsys", 0, part(16, system_call)),
        ],
    );
    made(
        Some("siginfo"),
        false,
        128,
        vec![
            ("si_signo", 0, int.clone()),
            ("si_errno", 4, int.clone()),
            ("si_code", 8, int),
            ("_sifields", 16, fields),
        ],
    )
}
