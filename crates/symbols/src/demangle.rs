//! Linkage names as their languages write them.

use cpp_demangle::DemangleOptions;

/// A mangled name longer than this is left as it is: demangling could take forever.
const LONGEST: usize = 16 * 1024;

/// A Rust or C++ linkage name as it is written in the source; the name itself when it is none.
/// Rust hashes are left out.
pub fn demangle(name: &str) -> String {
    try_demangle(name).unwrap_or_else(|| name.to_owned())
}

/// A Rust or C++ linkage name as it is written in the source, if it is one.
pub fn try_demangle(name: &str) -> Option<String> {
    if name.len() > LONGEST {
        return None;
    }
    if name.starts_with("_R") || is_legacy_rust(name) {
        let demangled = rustc_demangle::try_demangle(name).ok()?;
        return Some(format!("{demangled:#}"));
    }
    if name.starts_with("_Z") {
        let symbol = cpp_demangle::Symbol::new(name).ok()?;
        let text = symbol.demangle_with_options(&DemangleOptions::new()).ok()?;
        return Some(special(&text).unwrap_or(text));
    }
    None
}

/// The list of parameters, with what stands after it, of a C++ linkage name: `(int, char*) const`.
pub(crate) fn parameters_of(name: &str) -> Option<String> {
    if name.len() > LONGEST || !name.starts_with("_Z") || is_legacy_rust(name) {
        return None;
    }
    let symbol = cpp_demangle::Symbol::new(name).ok()?;
    let written = |options: DemangleOptions| symbol.demangle_with_options(&options).ok();
    let whole = written(DemangleOptions::new().no_return_type())?;
    let bare = written(DemangleOptions::new().no_return_type().no_params())?;
    let list = whole.strip_prefix(bare.as_str())?;
    list.starts_with('(').then(|| list.to_owned())
}

/// What a compiler makes for a class, in the words that every other tool has for it.
const SPECIAL: [(&str, &str); 5] = [
    ("{vtable(", "vtable for "),
    ("{vtt(", "VTT for "),
    ("{typeinfo(", "typeinfo for "),
    ("{typeinfo name(", "typeinfo name for "),
    ("{thunk(", "thunk to "),
];

/// `vtable for Dog` of `{vtable(Dog)}`.
fn special(text: &str) -> Option<String> {
    SPECIAL.iter().find_map(|(sign, words)| {
        let class = text.strip_prefix(sign)?.strip_suffix(")}")?;
        Some(format!("{words}{class}"))
    })
}

/// Old Rust names look like C++ names that end in a hash: `17h` and 16 hexadecimal digits.
fn is_legacy_rust(name: &str) -> bool {
    if !name.starts_with("_ZN") {
        return false;
    }
    name.match_indices("17h").any(|(at, _)| {
        let rest = &name.as_bytes()[at + 3..];
        rest.len() >= 17
            && rest[..16].iter().all(u8::is_ascii_hexdigit)
            && rest[16] == b'E'
            && (rest.len() == 17 || rest[17] == b'.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_each_language_are_read() {
        assert_eq!(
            demangle("_ZN4core3fmt5write17h0123456789abcdefE"),
            "core::fmt::write"
        );
        assert_eq!(
            demangle("_ZN4core3fmt5write17h0123456789abcdefE.llvm.123"),
            "core::fmt::write"
        );
        assert_eq!(demangle("_RNvCs1234_7mycrate3foo"), "mycrate::foo");
        assert_eq!(demangle("_ZN2ns3addEii"), "ns::add(int, int)");
        assert_eq!(demangle("_ZTVN3zoo3DogE"), "vtable for zoo::Dog");
        assert_eq!(demangle("_ZTI3Dog"), "typeinfo for Dog");
        assert_eq!(
            parameters_of("_ZNK2ns3addEii").as_deref(),
            Some("(int, int) const")
        );
        assert_eq!(demangle("main"), "main");
        assert_eq!(demangle("_Z"), "_Z");
    }
}
