//! Messages stay at the edges: of a crate that speaks the protocol, only a few files may name it. All others speak the
//! plain types of `wayfarer-backend`.

use super::source;

/// The crate that holds the messages, as code names it.
const MESSAGES: &str = "wayfarer_protocol";
/// Which files of a crate are its edge.
const EDGES: &[(&str, &[&str])] = &[
    ("agent", &["lib.rs", "service.rs"]),
    ("debugger", &["agent/grpc.rs", "agent/link.rs"]),
];

/// Complaints about who names messages among `files`, given as crate, name and text.
pub fn violations(files: &[(String, String, String)]) -> Vec<String> {
    EDGES
        .iter()
        .flat_map(|(owner, edge)| beyond(owner, edge, files))
        .collect()
}

/// Files of a crate that name messages and may not, and files that may and do not.
fn beyond(owner: &str, edge: &[&str], files: &[(String, String, String)]) -> Vec<String> {
    let sources = format!("crates/{owner}/src/");
    let naming: Vec<&str> = files
        .iter()
        .filter(|(_, _, text)| names_messages(text))
        .filter_map(|(_, name, _)| name.strip_prefix(&sources))
        .collect();
    let outside = naming.iter().filter(|name| !edge.contains(name));
    let unused = edge.iter().filter(|name| !naming.contains(name));
    outside
        .map(|name| {
            format!(
                "{sources}{name} names {MESSAGES}, and only {} may: speak the types of wayfarer_backend",
                edge.join(", ")
            )
        })
        .chain(unused.map(|name| {
            format!("{sources}{name} does not name {MESSAGES}: take it off the table of edges")
        }))
        .collect()
}

fn names_messages(text: &str) -> bool {
    text.lines()
        .any(|line| source::split_comment(line).0.contains(MESSAGES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> (String, String, String) {
        ("agent".into(), name.into(), text.into())
    }

    #[test]
    fn messages_beyond_the_edge_are_found() {
        let files = [
            file(
                "crates/agent/src/service.rs",
                "use wayfarer_protocol as wire;",
            ),
            file(
                "crates/agent/src/tracer/mod.rs",
                "use wayfarer_protocol::Event;",
            ),
            file("crates/agent/src/failure.rs", "// not wayfarer_protocol"),
            file(
                "crates/agent/tests/steps.rs",
                "use wayfarer_protocol as wire;",
            ),
            file(
                "crates/debugger/src/link.rs",
                "use wayfarer_protocol as wire;",
            ),
        ];
        let found = beyond("agent", &["service.rs"], &files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("crates/agent/src/tracer/mod.rs names"),
            "{found:?}"
        );
    }

    #[test]
    fn an_edge_that_is_none_any_more_is_found() {
        let files = [file("crates/agent/src/lib.rs", "mod tracer;")];
        let found = beyond("agent", &["lib.rs"], &files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("does not name"), "{found:?}");
    }
}
