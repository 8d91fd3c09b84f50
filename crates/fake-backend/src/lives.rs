//! Processes and threads of the invented world that come, change and go.

use wayfarer_backend::{EventKind, Module, Origin, ProcessEnd, ProcessExited, ProcessId, ThreadId};

use crate::world::World;

impl World {
    /// A thread forks. The child has the memory and the breakpoints of its parent and runs, unless
    /// children are not followed.
    pub fn fork(&mut self, thread: ThreadId, origin: Origin) -> ProcessId {
        let id = ProcessId(self.next());
        let Some(maker) = self.threads.get(&thread).cloned() else {
            return id;
        };
        let parent = maker.described.process;
        let Some(mut child) = self.processes.get(&parent).cloned() else {
            return id;
        };
        child.described.id = id;
        child.described.pid = 1000 + id.0 as i32;
        child.described.parent = Some(parent);
        let pid = child.described.pid;
        self.processes.insert(id, child);
        let own = ThreadId(self.next());
        let mut first = maker;
        first.described.id = own;
        first.described.process = id;
        first.described.tid = pid;
        first.described.number = 1;
        first.goes = true;
        self.threads.insert(own, first);
        self.inherit_breakpoints(parent, id);
        match (self.settings.follow_children, self.describe(id)) {
            (true, Some(process)) => {
                let created = EventKind::ProcessCreated { process, origin };
                self.happened.push(created);
            }
            // It goes its own way, and nobody hears of it.
            _ => {
                self.remove(id);
            }
        }
        id
    }

    /// A process has another program from now on: its other threads are gone, its breakpoints too.
    /// If the debugger wants it held, it waits to be released.
    pub fn exec(&mut self, thread: ThreadId, program: &str) {
        let Some(id) = self
            .threads
            .get(&thread)
            .map(|thread| thread.described.process)
        else {
            return;
        };
        for other in self.threads_of(id) {
            if other != thread {
                self.threads.remove(&other);
            }
        }
        self.drop_breakpoints(id);
        if let Some(process) = self.processes.get_mut(&id) {
            process.described.executable = program.to_owned();
            process.described.arguments = vec![program.to_owned()];
            process.modules.clear();
        }
        let held = self.wait_if_held(thread);
        if let Some(process) = self.describe(id) {
            self.happened.push(EventKind::Exec { process, held });
        }
    }

    /// A thread has made the dynamic linker load or unload something: these are all modules now.
    pub fn load(&mut self, thread: ThreadId, modules: Vec<Module>) {
        let Some(id) = self
            .threads
            .get(&thread)
            .map(|thread| thread.described.process)
        else {
            return;
        };
        if let Some(process) = self.processes.get_mut(&id) {
            process.modules.clone_from(&modules);
        }
        let held = self.wait_if_held(thread);
        self.happened.push(EventKind::LibrariesChanged {
            process: id,
            thread,
            held,
            modules,
        });
    }

    fn wait_if_held(&mut self, thread: ThreadId) -> bool {
        let held = self.settings.hold_on_load;
        if let Some(thread) = self.threads.get_mut(&thread) {
            thread.waits = held;
        }
        held
    }

    /// Whether a thread waits to be released.
    pub fn waits(&self, thread: ThreadId) -> bool {
        self.threads.get(&thread).is_some_and(|thread| thread.waits)
    }

    /// A thread ends.
    pub fn end_thread(&mut self, thread: ThreadId) {
        if let Some(gone) = self.threads.remove(&thread) {
            let process = gone.described.process;
            self.happened
                .push(EventKind::ThreadExited { process, thread });
            self.complete_barriers();
        }
    }

    /// A process is gone, and that is not told before it is said that it ends.
    pub fn die_untold(&mut self, process: ProcessId) {
        let pid = self.remove(process);
        self.untold.extend(pid.map(|pid| (process, pid)));
    }

    /// A process ends.
    pub fn end(&mut self, process: ProcessId, end: ProcessEnd) {
        let pid = self.untold.remove(&process);
        if let Some(pid) = pid.or_else(|| self.remove(process)) {
            self.happened.push(EventKind::ProcessExited(ProcessExited {
                process,
                pid,
                end,
            }));
            self.complete_barriers();
        }
    }

    /// Takes a process out of the world; the kernel's number, if it was there.
    pub(crate) fn remove(&mut self, process: ProcessId) -> Option<i32> {
        let gone = self.processes.remove(&process)?;
        self.drop_breakpoints(process);
        self.threads
            .retain(|_, thread| thread.described.process != process);
        Some(gone.described.pid)
    }
}
