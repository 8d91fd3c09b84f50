//! A second front end, as small as one can be: it runs a program to a location, writes what happens as lines of JSON,
//! and then the value of an expression as a tree.
//!
//! ```text
//! cargo run -p wayfarer-debugger --example tree_as_json -- bank.c:103 balance ./bank
//! ```
//!
//! It knows nothing of commands, selections or text: it listens, makes requests about a frame, and opens values level
//! by level. `docs/contributing.md` walks through it.

use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use wayfarer_debugger::view::NodeView;
use wayfarer_debugger::{
    AgentStart, BreakpointSpec, Debugger, Launch, Options, Run, StackFrame, ThreadId,
};

/// Elements of one value, and levels of one tree, that are written.
const WIDTH: u64 = 20;
const DEPTH: u32 = 4;

/// Where lines go; several hands write there.
pub type Lines = Arc<Mutex<dyn Write + Send>>;

fn write(lines: &Lines, value: &impl serde::Serialize) {
    if let Ok(text) = serde_json::to_string(value) {
        // Whoever reads may stop reading.
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(lines, "{text}");
    }
}

/// The whole front end: one program, one location, one expression.
pub fn session(
    debugger: &mut Debugger,
    what: Launch,
    location: &str,
    expression: &str,
    lines: &Lines,
) -> Result<(), Box<dyn Error>> {
    let heard = lines.clone();
    debugger.on_event(Box::new(move |event| write(&heard, event)));
    debugger.launch(what)?;
    debugger.at(None).add_breakpoint(BreakpointSpec {
        location: location.parse()?,
        ..BreakpointSpec::default()
    })?;
    let first = debugger.stand_in(1).map(StackFrame::innermost);
    let stops = debugger
        .at(first)
        .execute(Run::Continue { ignore: 0 }, None)?;
    // The listener has told the stop; what is returned says where to look.
    let Some(stop) = stops.into_iter().find(|stop| !stop.reason.is_end()) else {
        return Ok(());
    };
    let frame = StackFrame::innermost(ThreadId {
        process: stop.who.process_number,
        thread: stop.who.thread_number,
    });
    let root = debugger.at(frame).tree(expression)?;
    let tree = opened(debugger, &root, DEPTH)?;
    write(lines, &json!({"expression": expression, "value": tree}));
    debugger.quit()?;
    Ok(())
}

/// A node with its children, and theirs.
fn opened(debugger: &mut Debugger, node: &NodeView, levels: u32) -> Result<Value, Box<dyn Error>> {
    let mut tree = json!({"type": node.type_name, "kind": node.kind.name(), "short": node.summary});
    if levels == 0 || node.children == Some(0) {
        return Ok(tree);
    }
    let mut below = Vec::new();
    for child in debugger.children(&node.handle, 0..WIDTH)? {
        below
            .push(json!({"name": child.name, "value": opened(debugger, &child.node, levels - 1)?}));
    }
    tree["children"] = below.into();
    Ok(tree)
}

// The live tests use the front end and have a `main` of their own.
#[allow(dead_code)]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // The agent is a process of its own: this program, started again.
    if let [agent, flag, socket] = arguments.as_slice()
        && agent == "agent"
        && flag == "--socket"
    {
        return Ok(wayfarer_agent::serve(Path::new(socket))?);
    }
    let [location, expression, program @ ..] = arguments.as_slice() else {
        return Err("usage: tree_as_json LOCATION EXPRESSION PROGRAM [ARGUMENT...]".into());
    };
    let this = std::env::current_exe()?.into_os_string();
    let mut debugger = Debugger::new(Options {
        agent: AgentStart::Program(vec![this, "agent".into()]),
        ..Options::default()
    })?;
    let what = Launch {
        argv: program.to_vec(),
        ..Launch::default()
    };
    let lines: Lines = Arc::new(Mutex::new(std::io::stdout()));
    let (location, expression) = (location.to_string_lossy(), expression.to_string_lossy());
    session(&mut debugger, what, &location, &expression, &lines)
}
