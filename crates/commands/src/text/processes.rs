//! `info procs` and `info threads`.

use wayfarer_debugger::view::{Origin, ProcessState, ProcessView, ThreadState, ThreadView};

use super::frame::frame_body;
use super::table::align;

/// The table of `info procs`.
pub fn processes(views: &[ProcessView]) -> String {
    let mut rows = vec![
        [
            "  Num",
            "Name",
            "Process",
            "Parent",
            "Threads",
            "State",
            "Executable",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    for view in views {
        rows.push(vec![
            format!("{} {}", if view.current { "*" } else { " " }, view.number),
            view.name.clone(),
            format!("process {}", view.pid),
            view.parent
                .map_or_else(String::new, |parent| parent.to_string()),
            view.threads.to_string(),
            state(view),
            view.program.clone(),
        ]);
    }
    align(&rows, 2)
}

fn state(view: &ProcessView) -> String {
    let text = match &view.state {
        ProcessState::Running => "running".to_owned(),
        ProcessState::Stopped => "stopped".to_owned(),
        ProcessState::Exited { status } => return format!("exited ({status})"),
        ProcessState::Killed { signal_name, .. } => return format!("killed ({signal_name})"),
        ProcessState::Detached => return "detached".to_owned(),
    };
    match view.origin {
        Origin::Launched => text,
        Origin::Attached => format!("{text}, attached"),
    }
}

/// The table of `info threads`; numbers are `2.1` where there are several processes.
pub fn threads(views: &[ThreadView], several_processes: bool) -> String {
    let mut rows = vec![["  Id", "Target Id", "Frame"].map(str::to_owned).to_vec()];
    for view in views {
        let who = &view.who;
        let id = if several_processes {
            who.numbers()
        } else {
            who.thread_number.to_string()
        };
        let mut target = format!("LWP {}", who.tid);
        if several_processes {
            target = format!("{} {target}", who.process);
        }
        if !who.thread_name.is_empty() {
            target.push_str(&format!(" \"{}\"", who.thread_name));
        }
        let place = match (&view.state, &view.frame) {
            (ThreadState::Running, _) => "(running)".to_owned(),
            (ThreadState::Held, Some(frame)) => format!("{} (held)", frame_body(frame, false)),
            (ThreadState::Held, None) => "(held)".to_owned(),
            (ThreadState::Stopped, Some(frame)) => frame_body(frame, false),
            (ThreadState::Stopped, None) => "(stopped)".to_owned(),
        };
        rows.push(vec![
            format!("{} {id}", if view.current { "*" } else { " " }),
            target,
            place,
        ]);
    }
    align(&rows, 3)
}

/// `[Switching to thread 2.1 (worker.2, LWP 71 "worker")]`.
pub fn switching(view: &ThreadView) -> String {
    let who = &view.who;
    format!(
        "[Switching to thread {} ({}, LWP {} \"{}\")]\n",
        who.numbers(),
        who.process,
        who.tid,
        who.thread_name
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_processes() {
        let text = processes(&[ProcessView {
            number: 1,
            name: "server".to_owned(),
            pid: 70,
            parent: None,
            program: "/bin/server".to_owned(),
            origin: Origin::Launched,
            state: ProcessState::Stopped,
            threads: 2,
            current: true,
        }]);
        assert_eq!(
            text,
            "  Num  Name    Process     Parent  Threads  State    Executable\n\
             * 1    server  process 70          2        stopped  /bin/server\n"
        );
    }
}
