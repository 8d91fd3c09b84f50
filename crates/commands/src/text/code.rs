//! Source, instructions, memory, registers.

use std::fmt::Write;

use wayfarer_debugger::view::{
    DisassemblyView, ExamineLineView, InstructionView, RegisterView, SourceView,
};

use super::{bracketed, wide};

/// `list`: numbered lines.
pub fn source(view: &SourceView) -> String {
    view.lines
        .iter()
        .map(|line| format!("{}\t{}\n", line.line, line.text))
        .collect()
}

/// `x`: units of memory, an address in front of each line; a mark at the program counter stands before it.
pub fn memory(lines: &[ExamineLineView]) -> String {
    let mut text = String::new();
    for line in lines {
        let (mark, values) = match line.values.as_slice() {
            [mark, rest @ ..] if matches!(mark.trim(), "=>" | "") && !rest.is_empty() => {
                (mark.as_str(), rest)
            }
            values => ("", values),
        };
        let _ = write!(
            text,
            "{mark}{:#x}{}:",
            line.address,
            bracketed(line.symbol.as_deref())
        );
        for value in values {
            let _ = write!(text, "\t{value}");
        }
        text.push('\n');
    }
    text
}

/// What `disassemble` is asked to show besides the instructions.
#[derive(Clone, Copy, Debug, Default)]
pub struct DisassemblyStyle {
    pub bytes: bool,
    pub source: bool,
}

/// `disassemble`; `source` gives the text of a line.
pub fn disassembly(
    view: &DisassemblyView,
    style: DisassemblyStyle,
    mut source: impl FnMut(&str, u32) -> Option<String>,
) -> String {
    let mut text = match &view.function {
        Some(function) => format!("Dump of assembler code for function {function}:\n"),
        None => format!(
            "Dump of assembler code from {:#x} to {:#x}:\n",
            view.start, view.end
        ),
    };
    let mut file_shown = String::new();
    for (index, instruction) in view.instructions.iter().enumerate() {
        if style.source
            && let (Some(file), Some(line)) = (&instruction.file, instruction.line)
        {
            if index > 0 {
                text.push('\n');
            }
            if *file != file_shown {
                let _ = writeln!(text, "{file}:");
                file_shown.clone_from(file);
            }
            let path = instruction.full_path.as_ref().unwrap_or(file);
            let _ = writeln!(text, "{line}\t{}", source(path, line).unwrap_or_default());
        }
        text.push_str(&self::instruction(
            instruction,
            style.bytes,
            view.function.is_some(),
        ));
    }
    text.push_str("End of assembler dump.\n");
    text
}

/// `=> 0x… <+4>:<tab>mov …`.
pub fn instruction(view: &InstructionView, bytes: bool, inside_function: bool) -> String {
    let mut text = String::from(if view.current { "=> " } else { "   " });
    text.push_str(&wide(view.address));
    match (view.offset, &view.function) {
        (Some(offset), _) if inside_function => {
            let _ = write!(text, " <+{offset}>");
        }
        (Some(offset), Some(function)) => {
            let _ = write!(text, " <{function}+{offset}>");
        }
        _ => {}
    }
    text.push_str(":\t");
    if bytes {
        let parts: Vec<String> = view
            .bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let _ = write!(text, "{}\t", parts.join(" "));
    }
    let _ = writeln!(text, "{}", view.text);
    text
}

/// `info registers`.
pub fn registers(views: &[RegisterView]) -> String {
    let mut text = String::new();
    for view in views {
        let line = format!("{:<14} {:<19} {}", view.name, view.raw, view.natural);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_lines() {
        let lines = [ExamineLineView {
            address: 0x40_4010,
            symbol: Some("<buffer>".to_owned()),
            values: vec!["0x01".to_owned(), "0x02".to_owned()],
        }];
        assert_eq!(memory(&lines), "0x404010 <buffer>:\t0x01\t0x02\n");
        let lines = [ExamineLineView {
            address: 0x40_1136,
            symbol: Some("main+4".to_owned()),
            values: vec!["=> ".to_owned(), "ret".to_owned()],
        }];
        assert_eq!(memory(&lines), "=> 0x401136 <main+4>:\tret\n");
    }

    #[test]
    fn instructions() {
        let view = InstructionView {
            address: 0x40_1136,
            offset: Some(4),
            function: Some("main".to_owned()),
            line: None,
            file: None,
            full_path: None,
            bytes: vec![0x55, 0x48],
            text: "push   %rbp".to_owned(),
            current: true,
        };
        assert_eq!(
            instruction(&view, false, true),
            "=> 0x0000000000401136 <+4>:\tpush   %rbp\n"
        );
        assert_eq!(
            instruction(&view, true, false),
            "=> 0x0000000000401136 <main+4>:\t55 48\tpush   %rbp\n"
        );
    }

    #[test]
    fn register_columns() {
        let views = [RegisterView {
            name: "rax".to_owned(),
            raw: "0x1c".to_owned(),
            natural: "28".to_owned(),
        }];
        assert_eq!(registers(&views), "rax            0x1c                28\n");
    }
}
