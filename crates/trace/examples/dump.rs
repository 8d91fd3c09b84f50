//! Prints every record of a trace, thread by thread: for looking at what a recording holds.

use std::path::Path;
use wayfarer_runtime_abi::record;
use wayfarer_trace::{Trace, kind_name};

fn main() {
    let Some(directory) = std::env::args().nth(1) else {
        eprintln!("usage: dump TRACE");
        std::process::exit(2);
    };
    let trace = match Trace::open(Path::new(&directory)) {
        Ok(trace) => trace,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2);
        }
    };
    for thread in trace.threads() {
        println!(
            "thread {} of process {} (tid {})",
            thread.id.0, thread.process.0, thread.tid
        );
        let (log, _) = trace.log_prefix(thread.id);
        let mut position = 0;
        let mut event = 0u64;
        while let Some(rest) = log.get(position..).filter(|rest| !rest.is_empty()) {
            let Ok(next) = record::read(rest) else {
                println!("  unreadable at {position}");
                break;
            };
            println!("  {event:6} {}", line(&next));
            event += u64::from(next.is_event());
            position += next.length;
        }
    }
}

fn line(next: &record::Record<'_>) -> String {
    let what = kind_name(next.tag);
    let name = match next.tag {
        record::SYSCALL | record::SEND | record::RECEIVE | record::EXIT | record::OUTPUT => {
            wayfarer_calls::Number::from(next.number)
                .name()
                .unwrap_or("?")
        }
        _ => "",
    };
    let payload: String = next
        .payload
        .iter()
        .take(24)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!(
        "{what} {name} {} check {:02x} value {} length {} {payload}",
        next.number, next.check, next.value, next.length
    )
}
