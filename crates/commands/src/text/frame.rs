//! Frames: `#0  0x… in f (a=1) at file.c:12`.

use std::fmt::Write;

use wayfarer_debugger::view::{
    EntryValue, FrameInfoView, FrameKind, FrameView, SourceLineView, StackView, VariableView,
};

use super::wide;

/// `a=1, b=2`.
pub fn arguments(arguments: &[VariableView]) -> String {
    let parts: Vec<String> = arguments
        .iter()
        .map(|argument| {
            let VariableView { name, value, .. } = argument;
            match &argument.entry_value {
                None => format!("{name}={value}"),
                Some(EntryValue::Same) => format!("{name}={name}@entry={value}"),
                Some(EntryValue::Other(before)) => {
                    format!("{name}={value}, {name}@entry={before}")
                }
            }
        })
        .collect();
    parts.join(", ")
}

/// A frame without its number: `0x… in f (a=1) at file.c:12`; the address only where gdb shows it.
pub fn frame_body(frame: &FrameView, always_address: bool) -> String {
    match frame.kind {
        FrameKind::SignalTrampoline => return "<signal handler called>".to_owned(),
        FrameKind::CalledByDebugger => return "<function called from wayfarer>".to_owned(),
        FrameKind::Normal | FrameKind::Inlined => {}
    }
    let mut text = String::new();
    let shown = always_address || frame.in_mid_line || frame.line.is_none();
    if shown {
        let _ = write!(text, "{} in ", wide(frame.address));
    }
    text.push_str(frame.function.as_deref().unwrap_or("??"));
    let _ = write!(text, " ({})", arguments(&frame.arguments));
    match (&frame.file, frame.line, &frame.module) {
        (Some(file), Some(line), _) => {
            let _ = write!(text, " at {file}:{line}");
        }
        (Some(file), None, _) => {
            let _ = write!(text, " at {file}");
        }
        (None, _, Some(module)) => {
            let _ = write!(text, " from {module}");
        }
        (None, _, None) => {}
    }
    text
}

/// A frame with its number, as `bt` and `frame` print it.
pub fn frame_line(frame: &FrameView) -> String {
    format!("#{:<3}{}", frame.level, frame_body(frame, false))
}

/// `12<tab>text`.
pub fn source_line(line: &SourceLineView) -> String {
    format!("{}\t{}\n", line.line, line.text)
}

/// `name = value` lines.
pub fn variables(variables: &[VariableView], indent: &str) -> String {
    let mut text = String::new();
    for variable in variables {
        let _ = writeln!(text, "{indent}{} = {}", variable.name, variable.value);
    }
    text
}

/// A whole stack, with locals where they are given. A person is told that there is more.
pub fn stack(stack: &StackView, interactive: bool) -> String {
    let mut text = String::new();
    for frame in &stack.frames {
        text.push_str(&frame_line(frame));
        text.push('\n');
        if let Some(locals) = &frame.locals {
            if locals.is_empty() && frame.line.is_none() {
                text.push_str("No symbol table info available.\n");
            } else if locals.is_empty() {
                text.push_str("No locals.\n");
            }
            text.push_str(&variables(locals, "        "));
        }
    }
    if stack.more && interactive {
        text.push_str("(More stack frames follow...)\n");
    }
    if let Some(reason) = &stack.cut {
        let _ = writeln!(text, "Backtrace stopped: {reason}");
    }
    text
}

/// `info frame`.
pub fn frame_info(info: &FrameInfoView) -> String {
    let frame = &info.frame;
    let mut text = format!(
        "Stack level {}, frame at {:#x}:\n rip = {:#x}",
        frame.level, info.frame_address, frame.address
    );
    if let Some(function) = &frame.function {
        let _ = write!(text, " in {function}");
    }
    if let (Some(file), Some(line)) = (&frame.file, frame.line) {
        let _ = write!(text, " ({file}:{line})");
    }
    match info.caller_address {
        Some(saved) => {
            let _ = writeln!(text, "; saved rip = {saved:#x}");
        }
        None => text.push('\n'),
    }
    if let Some(level) = info.inlined_into {
        let _ = writeln!(text, " inlined into frame {level}");
    }
    let called_by = info.called_by.filter(|_| info.inlined_into.is_none());
    let neighbours = [("called by", called_by), ("caller of", info.caller_of)];
    let neighbours: Vec<String> = neighbours
        .into_iter()
        .filter_map(|(what, frame)| Some(format!("{what} frame at {:#x}", frame?)))
        .collect();
    if !neighbours.is_empty() {
        let _ = writeln!(text, " {}", neighbours.join(", "));
    }
    if let Some(language) = &info.language {
        let _ = writeln!(text, " source language {language}.");
    }
    // Where a frame pointer would point to: below it lie the local variables.
    let base = info.frame_address.wrapping_sub(16);
    let list = arguments(&frame.arguments);
    let _ = writeln!(text, " Arglist at {base:#x}, args: {list}");
    let _ = writeln!(
        text,
        " Locals at {base:#x}, Previous frame's sp is {:#x}",
        info.frame_address
    );
    if !info.saved_registers.is_empty() {
        let saved: Vec<String> = info
            .saved_registers
            .iter()
            .map(|register| format!("{} at {:#x}", register.name, register.address))
            .collect();
        let _ = writeln!(text, " Saved registers:\n  {}", saved.join(", "));
    }
    text
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn example(in_mid_line: bool) -> FrameView {
        FrameView {
            level: 0,
            address: 0x40_1136,
            in_mid_line,
            kind: FrameKind::Normal,
            function: Some("f".to_owned()),
            arguments: vec![VariableView {
                name: "a".to_owned(),
                type_name: Some("int".to_owned()),
                value: "1".to_owned(),
                handle: None,
                shadowed: false,
                entry_value: None,
            }],
            file: Some("f.c".to_owned()),
            full_path: Some("/src/f.c".to_owned()),
            line: Some(12),
            column: None,
            module: Some("/bin/f".to_owned()),
            locals: None,
        }
    }

    #[test]
    fn frames_as_gdb_prints_them() {
        let mut frame = example(false);
        assert_eq!(frame_line(&frame), "#0  f (a=1) at f.c:12");
        frame.level = 10;
        frame.in_mid_line = true;
        assert_eq!(
            frame_line(&frame),
            "#10 0x0000000000401136 in f (a=1) at f.c:12"
        );
        frame.line = None;
        frame.file = None;
        frame.function = None;
        frame.arguments.clear();
        assert_eq!(
            frame_line(&frame),
            "#10 0x0000000000401136 in ?? () from /bin/f"
        );
        frame.kind = FrameKind::SignalTrampoline;
        assert_eq!(frame_line(&frame), "#10 <signal handler called>");
    }
}
