//! Merged stacks: one line a frame, the threads that share it after it.

use std::fmt::Write;

use wayfarer_debugger::view::{StackTreeView, TreeNodeView};

/// `bt -tree`.
pub fn tree(view: &StackTreeView) -> String {
    let mut text = format!(
        "{} in {}\n",
        counted(view.threads, "thread"),
        counted(view.processes, "process")
    );
    nodes(&mut text, &view.roots, "");
    text
}

fn counted(count: u32, noun: &str) -> String {
    match (count, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "process") => format!("{count} processes"),
        _ => format!("{count} {noun}s"),
    }
}

/// A frame with one child of the same threads is followed by it without a step to the right.
fn nodes(text: &mut String, nodes: &[TreeNodeView], indent: &str) {
    for (index, node) in nodes.iter().enumerate() {
        let last = index + 1 == nodes.len();
        let alone = nodes.len() == 1;
        let (branch, below) = match (alone, last) {
            (true, _) => ("", ""),
            (false, false) => ("├─ ", "│  "),
            (false, true) => ("└─ ", "   "),
        };
        let _ = write!(text, "{indent}{branch}{}", node.function);
        if let (Some(file), Some(line)) = (&node.file, node.line) {
            let _ = write!(text, " at {file}:{line}");
        }
        let _ = writeln!(text, "  [{}: {}]", node.threads, node.set);
        self::nodes(text, &node.children, &format!("{indent}{below}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches() {
        let node = |function: &str, children| TreeNodeView {
            function: function.to_owned(),
            file: None,
            line: None,
            threads: 1,
            set: "a.1".to_owned(),
            children,
        };
        let view = StackTreeView {
            roots: vec![node(
                "main",
                vec![
                    node("f", vec![node("h", Vec::new())]),
                    node("g", Vec::new()),
                ],
            )],
            threads: 2,
            processes: 1,
        };
        assert_eq!(
            tree(&view),
            "2 threads in 1 process\nmain  [1: a.1]\n├─ f  [1: a.1]\n│  h  [1: a.1]\n└─ g  [1: a.1]\n"
        );
    }
}
