//! Names of processes: the program's name, with `.2`, `.3` … after it from the second on.

use std::collections::{HashMap, HashSet};

/// The last component of a path; the whole path where there is none.
pub fn base_name(path: &str) -> &str {
    path.rsplit('/')
        .find(|part| !part.is_empty())
        .unwrap_or(path)
}

/// Gives every process its name, from the names of their programs in order of creation.
///
/// The first process of a program bears the program's name, the next ones `NAME.2`, `NAME.3` …. A
/// number is passed over when the name it would give is that of a program itself.
pub fn process_names<'a>(programs: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let programs: Vec<&str> = programs
        .into_iter()
        .map(|name| if name.is_empty() { "unknown" } else { name })
        .collect();
    let plain: HashSet<&str> = programs.iter().copied().collect();
    let mut counts: HashMap<&str, u32> = HashMap::new();
    let mut names = Vec::with_capacity(programs.len());
    for program in programs {
        let count = counts.entry(program).or_insert(0);
        *count += 1;
        let mut name = if *count == 1 {
            program.to_owned()
        } else {
            format!("{program}.{count}")
        };
        while *count > 1 && plain.contains(name.as_str()) {
            *count += 1;
            name = format!("{program}.{count}");
        }
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_at_the_second() {
        let names = process_names([
            "bash",
            "redis-server",
            "redis-server",
            "bash",
            "redis-server",
        ]);
        assert_eq!(
            names,
            [
                "bash",
                "redis-server",
                "redis-server.2",
                "bash.2",
                "redis-server.3"
            ]
        );
    }

    #[test]
    fn names_are_unique_even_when_a_program_looks_numbered() {
        let names = process_names(["a", "a.2", "a", "a", ""]);
        assert_eq!(names, ["a", "a.2", "a.3", "a.4", "unknown"]);
    }

    #[test]
    fn base_names() {
        assert_eq!(base_name("/usr/bin/make"), "make");
        assert_eq!(base_name("make"), "make");
        assert_eq!(base_name("/usr/bin/"), "bin");
        assert_eq!(base_name("/"), "/");
    }
}
