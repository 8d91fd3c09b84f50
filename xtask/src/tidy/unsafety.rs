//! Unsafe code lives in few places, each block says why it is sound, and each unsafe function what its caller must see to.

use super::figures::Figures;
use super::source;
use std::collections::BTreeMap;

/// Crates that may hold unsafe code: those inside the debuggee, and those that deal with the kernel
/// and with mapped memory on the host.
const MAY_BE_UNSAFE: &[&str] = &[
    "runtime",
    "runtime-abi",
    "entrance",
    "recorder",
    "runtime-so",
    "sync",
    "ptrace",
    "symbols",
    "interleave",
];

/// Complaints about `files`, given as crate, name and text.
pub fn violations(files: &[(String, String, String)], figures: &mut Figures) -> Vec<String> {
    let mut found = Vec::new();
    let mut without_contract = 0;
    let mut totals: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (owner, name, text) in files {
        let counts = source::count(text);
        if counts.unsafe_code > 0 && !MAY_BE_UNSAFE.contains(&owner.as_str()) {
            found.push(format!("{name}: unsafe code has no place in {owner}"));
        }
        if counts.ignored_tests > 0 {
            found.push(format!(
                "{name}: a test is switched off; repair it or remove it"
            ));
        }
        for line in source::functions_without_contract(text) {
            without_contract += 1;
            found.push(format!(
                "{name}:{line}: an unsafe function without a `# Safety` section"
            ));
        }
        let total = totals.entry(owner).or_default();
        total.0 += counts.unsafe_code;
        total.1 += counts.safety_comments;
    }
    figures.add("unsafe functions without contract", without_contract);
    for (owner, (blocks, arguments)) in totals {
        if blocks > arguments {
            found.push(format!(
                "{owner}: {blocks} unsafe blocks, but only {arguments} SAFETY comments"
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(files: &[(String, String, String)]) -> Vec<String> {
        super::violations(files, &mut Figures::default())
    }

    fn file(owner: &str, text: &str) -> (String, String, String) {
        (owner.to_string(), "file.rs".to_string(), text.to_string())
    }

    #[test]
    fn unsafe_code_in_the_wrong_crate_is_found() {
        let found = violations(&[file("model", "// SAFETY: none.\nunsafe { f() }\n")]);
        assert_eq!(found, ["file.rs: unsafe code has no place in model"]);
    }

    #[test]
    fn a_block_without_an_argument_is_found() {
        assert_eq!(violations(&[file("runtime", "unsafe { f() }\n")]).len(), 1);
        assert!(violations(&[file("runtime", "// SAFETY: x\nunsafe { f() }\n")]).is_empty());
    }

    #[test]
    fn an_unsafe_function_without_a_contract_is_found() {
        let text = "/// Does it.\n#[inline]\npub unsafe extern \"C\" fn f() {}\n";
        let found = violations(&[file("runtime", text)]);
        assert_eq!(
            found,
            ["file.rs:3: an unsafe function without a `# Safety` section"]
        );
    }
}
