//! Names of processes while they come and go: the program's, with `.2`, `.3` … behind it.

use wayfarer_model::names::base_name;

/// What a program is called: the name under which it was started if the kernel knows it by that one, too, else
/// that of its file. One file may be several programs, as redis-server and redis-check-rdb are.
pub(crate) fn called<'a>(file: &'a str, first_argument: &'a str, kernel_name: &str) -> &'a str {
    let started_as = base_name(first_argument.split([' ', ':']).next().unwrap_or_default());
    if !kernel_name.is_empty() && started_as.starts_with(kernel_name) {
        started_as
    } else {
        file
    }
}

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
    fn a_program_is_called_as_it_was_started() {
        let file = "/usr/bin/redis-check-rdb";
        let title = "/usr/bin/redis-server *:6379";
        assert_eq!(called(file, title, "redis-server"), "redis-server");
        assert_eq!(called("/usr/sbin/nginx", "nginx: master", "nginx"), "nginx");
        assert_eq!(
            called("/bin/browser", "browser", "MainThread"),
            "/bin/browser"
        );
        assert_eq!(called("/bin/thing", "", ""), "/bin/thing");
    }

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
