//! `info breakpoints`, `info signals`, and what is said when a breakpoint is made.

use std::fmt::Write;

use wayfarer_debugger::view::{BreakpointKind, BreakpointView, PlaceView, SignalView};

use super::{times, wide};

/// `Breakpoint 1 at 0x…: file f.c, line 12.`
pub fn made(view: &BreakpointView) -> String {
    let number = view.number;
    let mut text = match &view.what {
        BreakpointKind::Watchpoint {
            expression, access, ..
        } => {
            let kind = match access.as_str() {
                "rwatch" => "Hardware read watchpoint",
                "awatch" => "Hardware access (read/write) watchpoint",
                _ => "Hardware watchpoint",
            };
            format!("{kind} {number}: {expression}\n")
        }
        BreakpointKind::Catchpoint { event, detail } if detail.is_empty() => {
            format!("Catchpoint {number} ({event})\n")
        }
        BreakpointKind::Catchpoint { event, detail } => match event.as_str() {
            "throw" | "catch" | "rethrow" | "panic" => format!("Catchpoint {number} ({event})\n"),
            _ => format!("Catchpoint {number} ({})\n", detail.replace('"', "")),
        },
        BreakpointKind::Breakpoint
        | BreakpointKind::Dprintf { .. }
        | BreakpointKind::Barrier { .. } => code_made(view),
    };
    if let BreakpointKind::Barrier { missing, .. } = &view.what
        && !missing.is_empty()
    {
        let _ = writeln!(text, "It waits for {}.", missing.join(", "));
    }
    for problem in &view.problems {
        let _ = writeln!(text, "warning: {problem}");
    }
    text
}

fn code_made(view: &BreakpointView) -> String {
    let name = match &view.what {
        BreakpointKind::Dprintf { .. } => "Dprintf",
        BreakpointKind::Barrier { .. } => "Barrier",
        _ if view.hardware => "Hardware assisted breakpoint",
        _ if view.temporary => "Temporary breakpoint",
        _ => "Breakpoint",
    };
    let number = view.number;
    let distinct = distinct(&view.places);
    match distinct.as_slice() {
        [] => format!("{name} {number} ({}) pending.\n", view.location),
        [only] => {
            let place = only.place;
            let mut text = format!("{name} {number} at {:#x}", place.address);
            if let (Some(file), Some(line)) = (&place.file, place.line) {
                let _ = write!(text, ": file {file}, line {line}.");
            }
            if only.processes.len() > 1 {
                let _ = write!(text, " ({} processes)", only.processes.len());
            }
            text.push('\n');
            text
        }
        several => format!(
            "{name} {number} at {:#x}: {}. ({} locations)\n",
            several[0].place.address,
            view.location,
            several.len()
        ),
    }
}

/// A place in the code and every process that has it.
struct Distinct<'a> {
    place: &'a PlaceView,
    processes: Vec<&'a str>,
}

/// Places that differ by their process alone are one.
fn distinct(places: &[PlaceView]) -> Vec<Distinct<'_>> {
    let mut found: Vec<Distinct<'_>> = Vec::new();
    for place in places {
        let same = found.iter_mut().find(|known| {
            let other = known.place;
            other.process_number != place.process_number
                && (&other.function, &other.file, other.line, &other.module)
                    == (&place.function, &place.file, place.line, &place.module)
                && (other.address == place.address || other.line.is_some())
                && !known.processes.contains(&place.process.as_str())
        });
        match same {
            Some(known) => known.processes.push(&place.process),
            None => found.push(Distinct {
                place,
                processes: vec![&place.process],
            }),
        }
    }
    found
}

/// The table of `info breakpoints`.
pub fn table(views: &[BreakpointView], several_processes: bool) -> String {
    let width = views
        .iter()
        .map(|view| kind(view).len())
        .fold(TYPE_WIDTH, usize::max);
    let mut text = format!(
        "Num     {:<width$} Disp Enb Address            What\n",
        "Type"
    );
    for view in views {
        row(&mut text, view, width, several_processes);
    }
    text
}

/// How wide gdb makes the column of types at least.
const TYPE_WIDTH: usize = 14;

fn kind(view: &BreakpointView) -> &'static str {
    match &view.what {
        BreakpointKind::Breakpoint if view.hardware => "hw breakpoint",
        BreakpointKind::Breakpoint => "breakpoint",
        BreakpointKind::Dprintf { .. } => "dprintf",
        BreakpointKind::Barrier { .. } => "barrier",
        BreakpointKind::Catchpoint { .. } => "catchpoint",
        BreakpointKind::Watchpoint { access, .. } => match access.as_str() {
            "rwatch" => "read watchpoint",
            "awatch" => "acc watchpoint",
            _ => "hw watchpoint",
        },
    }
}

fn row(text: &mut String, view: &BreakpointView, width: usize, several: bool) {
    let disposition = if view.temporary { "del" } else { "keep" };
    let enabled = if view.enabled { "y" } else { "n" };
    let _ = write!(
        text,
        "{:<7} {:<width$} {disposition:<4} {enabled:<3} ",
        view.number,
        kind(view)
    );
    let places = distinct(&view.places);
    let mut rows: &[Distinct<'_>] = &[];
    match &view.what {
        BreakpointKind::Watchpoint { expression, .. } => {
            let _ = writeln!(text, "{:<18} {expression}", "");
        }
        BreakpointKind::Catchpoint { event, detail } => {
            let what = if detail.is_empty() { event } else { detail };
            let _ = writeln!(text, "{:<18} {what}", "");
        }
        _ => match places.as_slice() {
            [] => {
                let _ = writeln!(text, "{:<18} {}", "<PENDING>", view.location);
            }
            [only] => {
                let _ = writeln!(text, "{}", place(only, several));
            }
            many => {
                let _ = writeln!(text, "<MULTIPLE>");
                rows = many;
            }
        },
    }
    notes(text, view);
    for (index, one) in rows.iter().enumerate() {
        let number = format!("{}.{}", view.number, index + 1);
        let _ = writeln!(
            text,
            "{number:<7} {:<width$} {:<4} {enabled:<3} {}",
            "",
            "",
            place(one, several)
        );
    }
}

fn place(one: &Distinct<'_>, several: bool) -> String {
    let place = one.place;
    let mut text = wide(place.address);
    match (&place.function, &place.file, place.line) {
        (Some(function), Some(file), Some(line)) => {
            let _ = write!(text, " in {function} at {file}:{line}");
        }
        (Some(function), ..) => {
            let _ = write!(text, " <{function}>");
        }
        _ => {}
    }
    if several {
        let _ = write!(text, " ({})", one.processes.join(", "));
    }
    text
}

fn notes(text: &mut String, view: &BreakpointView) {
    if let Some(condition) = &view.condition {
        let _ = writeln!(text, "\tstop only if {condition}");
    }
    if let Some(set) = &view.only {
        let _ = writeln!(text, "\tstop only in {set}");
    }
    if let BreakpointKind::Barrier {
        arrived, missing, ..
    } = &view.what
    {
        let _ = writeln!(
            text,
            "\tarrived: {}; missing: {}",
            list_or_none(arrived),
            list_or_none(missing)
        );
    }
    if view.hits > 0 {
        let what = match view.what {
            BreakpointKind::Catchpoint { .. } => "catchpoint",
            _ => "breakpoint",
        };
        let _ = writeln!(text, "\t{what} already hit {}", times(view.hits));
    }
    if view.ignore > 0 {
        let _ = writeln!(text, "\tignore next {} hits", view.ignore);
    }
    for problem in &view.problems {
        let _ = writeln!(text, "\tnot placed: {problem}");
    }
    if let BreakpointKind::Dprintf { format, arguments } = &view.what {
        let mut line = format!("printf \"{}\"", format.escape_debug());
        for argument in arguments {
            let _ = write!(line, ",{argument}");
        }
        let _ = writeln!(text, "        {line}");
    }
    for command in &view.commands {
        let _ = writeln!(text, "        {command}");
    }
}

fn list_or_none(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// The table of `info signals` and `handle`.
pub fn signals(views: &[SignalView]) -> String {
    let mut text = String::from("Signal        Stop\tPrint\tPass to program\tDescription\n");
    let yes = |value: bool| if value { "Yes" } else { "No" };
    for view in views {
        let _ = writeln!(
            text,
            "{:<13} {}\t{}\t{}\t\t{}",
            view.name,
            yes(view.stop),
            yes(view.print),
            yes(view.pass),
            view.meaning
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(places: Vec<PlaceView>) -> BreakpointView {
        BreakpointView {
            number: 1,
            what: BreakpointKind::Breakpoint,
            location: "f".to_owned(),
            enabled: true,
            temporary: false,
            hardware: false,
            condition: Some("a > 1".to_owned()),
            condition_in_agent: true,
            ignore: 0,
            hits: 1,
            only: None,
            commands: vec!["bt".to_owned()],
            places,
            problems: Vec::new(),
        }
    }

    fn at(process: &str, number: u32, line: u32) -> PlaceView {
        PlaceView {
            process: process.to_owned(),
            process_number: number,
            address: 0x1139,
            function: Some("f".to_owned()),
            file: Some("f.c".to_owned()),
            line: Some(line),
            module: None,
        }
    }

    #[test]
    fn said_when_made() {
        assert_eq!(
            made(&example(vec![at("a", 1, 12)])),
            "Breakpoint 1 at 0x1139: file f.c, line 12.\n"
        );
        assert_eq!(made(&example(Vec::new())), "Breakpoint 1 (f) pending.\n");
        assert_eq!(
            made(&example(vec![at("a", 1, 12), at("a", 1, 14)])),
            "Breakpoint 1 at 0x1139: f. (2 locations)\n"
        );
    }

    #[test]
    fn the_table() {
        let text = table(&[example(vec![at("a", 1, 12), at("b", 2, 12)])], true);
        assert_eq!(
            text,
            "Num     Type           Disp Enb Address            What\n\
             1       breakpoint     keep y   0x0000000000001139 in f at f.c:12 (a, b)\n\
             \tstop only if a > 1\n\tbreakpoint already hit 1 time\n        bt\n"
        );
    }
}
