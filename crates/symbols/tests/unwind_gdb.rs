//! Frames, saved registers and values as gdb finds them, at the same stop of the same program.

mod unwind_support;

use serde_json::Value;
use unwind_support::core_file::CoreFile;
use unwind_support::{gdb, program};
use wayfarer_symbols::frames::{Backtrace, BacktraceOptions, FrameKind, Viewpoint};
use wayfarer_symbols::location::Absence;
use wayfarer_symbols::registers::{Register, Registers};
use wayfarer_symbols::types::Encoding;
use wayfarer_symbols::unwind::AddressSpace;
use wayfarer_symbols::{LoadOptions, Type, Variable, VariableLocation};

const STOP: &[&str] = &["break stop_here", "run"];

fn compare(name: &str, sources: &[&str], options: &[&str], commands: &[&str]) {
    let directory = std::env::temp_dir().join(format!(
        "wayfarer-unwind-{name}-{}-{}",
        options.join("").replace(['-', '='], ""),
        std::process::id()
    ));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let binary = program::build(&directory, sources, options);
    let expected = gdb::stop_and_dump(&directory, &binary, commands);
    let load = LoadOptions {
        cache_directory: None,
        ..LoadOptions::default()
    };
    let core = CoreFile::load(&directory.join("core"), &load);
    let mut differences = Vec::new();
    for thread in expected.as_array().expect("threads") {
        let id = thread["tid"].as_u64().expect("a thread id");
        let (_, registers) = core
            .threads
            .iter()
            .find(|(tid, _)| *tid == id)
            .expect("gdb's thread is in the core file");
        let backtrace = Backtrace::walk(&core, registers, &BacktraceOptions::default());
        compare_thread(&core, &backtrace, &thread["frames"], &mut differences);
        compare_globals(&core, registers, &thread["globals"], &mut differences);
    }
    assert!(
        differences.is_empty(),
        "{name} {options:?}:\n{}",
        differences.join("\n")
    );
    std::fs::remove_dir_all(&directory).expect("the directory was ours");
}

fn compare_thread(core: &CoreFile, ours: &Backtrace, gdb: &Value, differences: &mut Vec<String>) {
    let gdb = gdb.as_array().expect("frames");
    let describe = |level: usize| {
        let one = ours.frame(level).map(|frame| {
            let position = frame.position.as_ref();
            format!(
                "{:?} {} {}:{}",
                frame.kind,
                frame.function.as_deref().unwrap_or("??"),
                position.map_or("", |position| base_name(&position.file.name)),
                position.map_or(0, |position| position.line)
            )
        });
        let other = gdb.get(level).map(|frame| {
            format!(
                "{} {} {}:{}",
                frame["kind"], frame["function"], frame["file"], frame["line"]
            )
        });
        format!("#{level} ours {one:?} gdb {other:?}")
    };
    if ours.frames.len() != gdb.len() {
        differences.push(format!(
            "{} frames, gdb has {}; end: {}",
            ours.frames.len(),
            gdb.len(),
            ours.end
        ));
        for level in 0..ours.frames.len().max(gdb.len()) {
            differences.push(describe(level));
        }
        return;
    }
    for (level, (frame, wanted)) in ours.frames.iter().zip(gdb).enumerate() {
        let kind = match frame.kind {
            FrameKind::Normal => "normal",
            FrameKind::Inlined => "inlined",
            FrameKind::Signal => "signal",
            FrameKind::Called => "called",
        };
        let position = frame.position.as_ref();
        let same = frame.function.as_deref() == wanted["function"].as_str()
            && kind == wanted["kind"]
            && Some(frame.pc) == wanted["pc"].as_u64()
            && position.map(|position| base_name(&position.file.name)) == wanted["file"].as_str()
            && position.map(|position| position.line) == wanted["line"].as_u64();
        if !same {
            differences.push(describe(level));
        }
        let activation = ours.activation(frame).expect("a frame has an activation");
        for (name, value) in wanted["registers"].as_object().expect("registers") {
            let register = Register::by_name(name).expect("a register of ours");
            if activation.registers.get(register) != value.as_u64() {
                differences.push(format!(
                    "#{level} {name}: ours {:x?}, gdb {:x?}",
                    activation.registers.get(register),
                    value.as_u64()
                ));
            }
        }
        for variable in wanted["variables"].as_array().expect("variables") {
            let (name, text) = (variable[0].as_str(), variable[1].as_str());
            let (Some(name), Some(text)) = (name, text) else {
                continue;
            };
            let value = value_of(core, ours, level, name);
            // gdb takes the location after a call for that of the call, and does not ask main's
            // caller: where it knows nothing of an outer frame's variable, more may be known.
            let is_known_better = level > 0 && text == "<optimized out>" && !value.starts_with('<');
            if value != text && !is_known_better {
                differences.push(format!("#{level} {name}: ours {value}, gdb {text}"));
            }
        }
    }
}

/// Thread-local variables, each as its thread sees it.
fn compare_globals(
    core: &CoreFile,
    registers: &Registers,
    gdb: &Value,
    differences: &mut Vec<String>,
) {
    for (name, text) in gdb.as_object().expect("globals") {
        let text = text.as_str().expect("a text");
        if text.starts_with('<') {
            continue;
        }
        let found = core.modules().into_iter().find_map(|loaded| {
            let variables = loaded.module.find_globals(name).ok()?;
            let variable = variables
                .into_iter()
                .find(|variable| variable.location != VariableLocation::OptimisedOut)?;
            Some((loaded, variable))
        });
        let Some((loaded, variable)) = found else {
            differences.push(format!("{name} is not found"));
            continue;
        };
        let viewpoint = Viewpoint::thread(core, &loaded, registers);
        let (size, is_signed) = shape(&loaded, &variable);
        let value = match viewpoint.fetch(&viewpoint.place_of(&variable), size) {
            Ok(fetched) => number(&fetched.bytes, is_signed),
            Err(absence) => absence.to_string(),
        };
        if value != text {
            differences.push(format!("{name}: ours {value}, gdb {text}"));
        }
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A scalar variable as `dump.py` writes it.
fn value_of(core: &CoreFile, backtrace: &Backtrace, level: usize, name: &str) -> String {
    let frame = &backtrace.frames[level];
    let (Some(loaded), Some(scope)) = (&frame.module, frame.scope) else {
        return "<no debug information>".to_owned();
    };
    let variables = loaded
        .module
        .variables_in(scope, frame.lookup_address)
        .unwrap_or_default();
    let Some(variable) = variables.iter().find(|variable| variable.name == name) else {
        return "<no such variable>".to_owned();
    };
    let viewpoint = Viewpoint::frame(
        core as &dyn AddressSpace,
        &backtrace.stack,
        frame.activation,
    )
    .expect("a frame with debug information has a module");
    let place = viewpoint.place_of(variable);
    let (size, is_signed) = shape(loaded, variable);
    match viewpoint.fetch(&place, size) {
        Ok(fetched) => number(&fetched.bytes, is_signed),
        Err(Absence::OptimisedOut | Absence::EntryValueUnknown) => "<optimized out>".to_owned(),
        Err(absence) => format!("<error: {absence}>"),
    }
}

fn shape(loaded: &wayfarer_symbols::unwind::LoadedModule, variable: &Variable) -> (usize, bool) {
    let module = &loaded.module;
    let Some(type_id) = variable.type_id.and_then(|id| module.strip(id)) else {
        return (0, false);
    };
    let size = module.size_of(type_id).unwrap_or(0) as usize;
    let is_signed = match module.type_of(type_id).as_deref() {
        Ok(Type::Base(base)) => {
            matches!(base.encoding, Encoding::Signed | Encoding::SignedCharacter)
        }
        _ => false,
    };
    (size, is_signed)
}

fn number(bytes: &[u8], is_signed: bool) -> String {
    let is_negative = is_signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let mut buffer = [if is_negative { 0xff } else { 0 }; 16];
    buffer[..bytes.len()].copy_from_slice(bytes);
    i128::from_le_bytes(buffer).to_string()
}

#[test]
fn recursion_and_a_callback_through_libc() {
    for options in [
        &["-O0"][..],
        &["-O1"],
        &["-O2"],
        &["-O2", "-fomit-frame-pointer", "-no-pie"],
    ] {
        compare("recursion", &["recursion.c"], options, STOP);
    }
}

#[test]
fn a_signal_handler_on_another_stack() {
    let commands = &[
        "handle SIGSEGV nostop noprint pass",
        "break stop_here",
        "run",
    ];
    for options in [&["-O0"][..], &["-O2"], &["-O1", "-static"]] {
        compare("handler", &["handler.c"], options, commands);
    }
}

#[test]
fn threads_that_wait_in_libc() {
    for options in [&["-O0"][..], &["-O2"]] {
        compare("waiting", &["waiting.c"], options, STOP);
    }
}

#[test]
fn inlined_functions_and_entry_values() {
    for options in [
        &["-O1"][..],
        &["-O2"],
        &["-O2", "-gdwarf-4"],
        &["-O3", "-fno-plt"],
    ] {
        compare("inlined", &["inlined.c"], options, STOP);
    }
}

#[test]
fn a_call_through_a_null_pointer() {
    for options in [&["-O0"][..], &["-O2"]] {
        compare("null", &["null_call.c"], options, &["run"]);
    }
}

#[test]
fn assembler_without_call_frame_information() {
    let sources = &["assembler.c", "frame_pointer.S"];
    for stop in [
        "break *leaf_without_information",
        "break *leaf_without_information+1",
    ] {
        compare("assembler", sources, &["-O0"], &[stop, "run"]);
    }
    compare(
        "assembler",
        sources,
        &["-O0"],
        &["break *without_information+4", "run"],
    );
}
