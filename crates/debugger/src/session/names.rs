//! Names of processes while they come and go: the program's, with `.2`, `.3` … behind it.

use wayfarer_model::names::base_name;

/// The name for a process of this program, among the names that are taken.
pub(crate) fn free_name<'a>(program: &str, taken: impl Iterator<Item = &'a str> + Clone) -> String {
    let base = match base_name(program) {
        "" => "unknown",
        base => base,
    };
    let is_free = |name: &str| !taken.clone().any(|other| other == name);
    if is_free(base) {
        return base.to_owned();
    }
    let numbered = (2u32..)
        .map(|number| format!("{base}.{number}"))
        .find(|name| is_free(name));
    numbered.unwrap_or_else(|| base.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_free_number_is_taken() {
        let taken = ["bash", "worker", "worker.2"];
        let name = |program| free_name(program, taken.iter().copied());
        assert_eq!(name("/usr/bin/bash"), "bash.2");
        assert_eq!(name("worker"), "worker.3");
        assert_eq!(name("redis-server"), "redis-server");
        assert_eq!(name(""), "unknown");
    }
}
