//! Merged stacks: one tree for all threads of all processes, with the sets on its branches.

use super::Debugger;
use crate::set::{Member, describe};
use crate::view::{FrameView, StackTreeView, TreeNodeView, Who};
use crate::{Result, Set, ThreadId};

/// A branch that grows while stacks are put in.
#[derive(Default)]
struct Branch {
    function: String,
    file: Option<String>,
    line: Option<u32>,
    threads: Vec<ThreadId>,
    children: Vec<Branch>,
}

impl Debugger {
    /// The stacks of a set (`None`: all) merged into one tree.
    pub fn stack_tree(&mut self, set: Option<&Set>) -> Result<StackTreeView> {
        let stacks = self.plain_stacks(set)?;
        let members = self.members();
        Ok(merge(&stacks, &members))
    }
}

fn merge(stacks: &[(Who, Vec<FrameView>)], members: &[Member]) -> StackTreeView {
    let mut root = Branch::default();
    let mut processes: Vec<u32> = Vec::new();
    for (who, frames) in stacks {
        let id = ThreadId {
            process: who.process_number,
            thread: who.thread_number,
        };
        processes.push(who.process_number);
        let mut at = &mut root;
        at.threads.push(id);
        for frame in frames.iter().rev() {
            at = at.child(frame);
            at.threads.push(id);
        }
    }
    processes.dedup();
    StackTreeView {
        threads: stacks.len() as u32,
        processes: processes.len() as u32,
        roots: root
            .children
            .iter()
            .map(|branch| branch.view(members))
            .collect(),
    }
}

impl Branch {
    /// The branch of a frame; the outer frames of a call are told apart by their line.
    fn child(&mut self, frame: &FrameView) -> &mut Branch {
        let function = frame.function.clone().unwrap_or_else(|| match frame.kind {
            crate::view::FrameKind::SignalTrampoline => "<signal handler called>".to_owned(),
            crate::view::FrameKind::CalledByDebugger => {
                "<function called from wayfarer>".to_owned()
            }
            _ => "??".to_owned(),
        });
        let same = |branch: &Branch| {
            branch.function == function && branch.file == frame.file && branch.line == frame.line
        };
        let index = match self.children.iter().position(same) {
            Some(index) => index,
            None => {
                let (file, line) = (frame.file.clone(), frame.line);
                self.children.push(Branch {
                    function,
                    file,
                    line,
                    ..Branch::default()
                });
                self.children.len() - 1
            }
        };
        &mut self.children[index]
    }

    fn view(&self, members: &[Member]) -> TreeNodeView {
        let mut threads = self.threads.clone();
        threads.sort_unstable();
        TreeNodeView {
            function: self.function.clone(),
            file: self.file.clone(),
            line: self.line,
            threads: threads.len() as u32,
            set: describe(&threads, members),
            children: self
                .children
                .iter()
                .map(|child| child.view(members))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::FrameKind;

    fn frame(function: &str, line: u32) -> FrameView {
        FrameView {
            level: 0,
            address: 0,
            in_mid_line: false,
            kind: FrameKind::Normal,
            function: Some(function.to_owned()),
            arguments: Vec::new(),
            file: Some("a.c".to_owned()),
            full_path: None,
            line: Some(line),
            column: None,
            module: None,
            locals: None,
        }
    }

    #[test]
    fn common_outer_frames_are_one_branch() {
        let mut stacks = Vec::new();
        let mut members = Vec::new();
        for (process, thread, inner) in [(1, 1, "read"), (1, 2, "write"), (2, 1, "read")] {
            let name = if process == 1 { "server" } else { "worker" };
            let who = Who {
                process: name.to_owned(),
                process_number: process,
                thread_number: thread,
                pid: 0,
                tid: 0,
                thread_name: String::new(),
            };
            stacks.push((who, vec![frame(inner, 7), frame("main", 3)]));
            let id = ThreadId { process, thread };
            members.push(Member {
                id,
                process_name: name.to_owned(),
                stopped: true,
                held: false,
            });
        }
        let tree = merge(&stacks, &members);
        assert_eq!((tree.threads, tree.processes, tree.roots.len()), (3, 2, 1));
        let main = &tree.roots[0];
        assert_eq!(
            (main.function.as_str(), main.threads, main.set.as_str()),
            ("main", 3, "server,worker")
        );
        let sets: Vec<&str> = main
            .children
            .iter()
            .map(|child| child.set.as_str())
            .collect();
        assert_eq!(sets, ["server.1,worker", "server.2"]);
    }
}
