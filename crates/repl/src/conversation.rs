//! A conversation: one thread runs lines, one hears Ctrl-C, one handles news in the background.

use std::io::{self, IsTerminal};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use wayfarer_commands::{Flow, Interpreter, Lines, Standard};

use crate::editor::{Prompt, Typed};
use crate::plain::StandardInput;

/// An interpreter with its helpers.
pub struct Conversation {
    interpreter: Arc<Mutex<Interpreter>>,
}

impl Conversation {
    /// Begins to listen for Ctrl-C and for news.
    pub fn new(mut interpreter: Interpreter) -> io::Result<Self> {
        let interrupter = interpreter.debugger.interrupter();
        let interrupt = Arc::clone(&interpreter.interrupt);
        let mut signals = Signals::new([SIGINT])?;
        thread::Builder::new()
            .name("ctrl-c".to_owned())
            .spawn(move || {
                for _ in signals.forever() {
                    interrupt.store(true, Ordering::SeqCst);
                    interrupter.halt();
                }
            })?;
        let (wake, news) = mpsc::channel::<()>();
        interpreter.debugger.on_wake(Box::new(move || {
            // At the very end there is no listener any more.
            let _ = wake.send(());
        }));
        let interpreter = Arc::new(Mutex::new(interpreter));
        let shared = Arc::downgrade(&interpreter);
        thread::Builder::new()
            .name("news".to_owned())
            .spawn(move || {
                while news.recv().is_ok() {
                    // One look is enough for everything that has come.
                    while news.try_recv().is_ok() {}
                    let Some(interpreter) = shared.upgrade() else {
                        return;
                    };
                    locked(&interpreter).background();
                }
            })?;
        Ok(Self { interpreter })
    }

    /// Runs lines that were given beforehand, up to the first failure.
    pub fn script(&self, lines: &mut dyn Lines) -> Flow {
        locked(&self.interpreter).script(lines)
    }

    /// The interpreter, for the caller that set it up.
    pub fn interpreter(&self) -> MutexGuard<'_, Interpreter> {
        locked(&self.interpreter)
    }

    /// Reads and runs lines up to `quit` or the end of the input.
    pub fn converse(&self) {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            match Prompt::new(Arc::clone(&self.interpreter)) {
                Ok(prompt) => return self.at_a_terminal(prompt),
                Err(error) => {
                    let text = format!("wayfarer: no line editing: {error}\n");
                    locked(&self.interpreter).output.note(&text);
                }
            }
        }
        let mut lines = StandardInput;
        while let Some(line) = lines.next_line("") {
            if locked(&self.interpreter).line(&line, &mut lines) == Flow::Quit {
                break;
            }
        }
    }

    fn at_a_terminal(&self, mut prompt: Prompt) {
        {
            let mut interpreter = locked(&self.interpreter);
            interpreter.interactive = true;
            if let Some(height) = prompt.height() {
                interpreter.settings.set_height(height);
            }
            if let Some(screen) = prompt.screen() {
                interpreter.output.set_screen(screen);
            }
        }
        loop {
            let text = locked(&self.interpreter).prompt();
            let flow = match prompt.read(&text) {
                Typed::Line(line) => locked(&self.interpreter).line(&line, &mut prompt),
                Typed::Interrupt => locked(&self.interpreter).interrupted(),
                Typed::End => Flow::Quit,
            };
            if flow == Flow::Quit {
                break;
            }
        }
        // The editor's printer dies with it.
        locked(&self.interpreter)
            .output
            .set_screen(Box::new(Standard));
    }

    /// Ends what was launched and lets go what was attached.
    pub fn end(self) -> Result<(), wayfarer_debugger::DebuggerError> {
        let mut interpreter = locked(&self.interpreter);
        interpreter.output.close();
        interpreter.debugger.quit()
    }
}

/// A command that panicked leaves a state that `quit` can still end properly.
fn locked(interpreter: &Mutex<Interpreter>) -> MutexGuard<'_, Interpreter> {
    interpreter.lock().unwrap_or_else(PoisonError::into_inner)
}
