//! Libraries, lines, symbols and sources: the tables of `info`.

use std::fmt::Write;

use wayfarer_debugger::view::{
    LibraryView, LineInfoView, SourceFileView, SymbolInfoView, SymbolView,
};

use super::{bracketed, wide};

/// `info sharedlibrary`.
pub fn libraries(views: &[LibraryView], several_processes: bool) -> String {
    let mut text =
        String::from("From                To                  Syms Read   Shared Object Library\n");
    let mut missing = false;
    for view in views {
        let read = match view.debug_info {
            Some(true) => "Yes",
            Some(false) => {
                missing = true;
                "Yes (*)"
            }
            None => "Not yet",
        };
        let _ = write!(
            text,
            "{}  {}  {read:<11} {}",
            wide(view.from),
            wide(view.to),
            view.path
        );
        if several_processes {
            let _ = write!(text, " ({})", view.process);
        }
        text.push('\n');
    }
    if missing {
        text.push_str("(*): Shared library is missing debugging information.\n");
    }
    text
}

/// `info line`.
pub fn line(view: &LineInfoView) -> String {
    let symbol = |symbol: &Option<String>| bracketed(symbol.as_deref());
    let start = format!("{:#x}{}", view.start, symbol(&view.start_symbol));
    if view.start == view.end {
        return format!(
            "Line {} of \"{}\" is at address {start} but contains no code.\n",
            view.line, view.file
        );
    }
    format!(
        "Line {} of \"{}\" starts at address {start} and ends at {:#x}{}.\n",
        view.line,
        view.file,
        view.end,
        symbol(&view.end_symbol)
    )
}

/// `info symbol`.
pub fn symbol(view: &SymbolInfoView) -> String {
    let mut text = view.name.clone();
    if view.offset > 0 {
        let _ = write!(text, " + {}", view.offset);
    }
    if let Some(section) = &view.section {
        let _ = write!(text, " in section {section}");
    }
    if !view.module.is_empty() {
        let _ = write!(text, " of {}", view.module);
    }
    text.push('\n');
    text
}

/// `info source`.
pub fn source_file(view: &SourceFileView) -> String {
    let mut text = format!("Current source file is {}\n", view.file);
    if let Some(directory) = &view.directory {
        let _ = writeln!(text, "Compilation directory is {directory}");
    }
    // Known only where the file could be read.
    if let Some(lines) = view.lines {
        let _ = writeln!(text, "Located in {}", view.full_path);
        let _ = writeln!(
            text,
            "Contains {lines} line{}.",
            if lines == 1 { "" } else { "s" }
        );
    }
    if let Some(language) = &view.language {
        let _ = writeln!(text, "Source language is {language}.");
    }
    if let Some(producer) = &view.producer {
        let _ = writeln!(text, "Producer is {producer}.");
    }
    if let Some(version) = view.dwarf_version {
        let _ = writeln!(text, "Compiled with DWARF {version} debugging format.");
        let _ = writeln!(
            text,
            "{} preprocessor macro info.",
            if view.macros {
                "Includes"
            } else {
                "Does not include"
            }
        );
    }
    text
}

/// `info functions`, `info variables`, `info types`: grouped by file, then those without debug information.
pub fn symbols(views: &[SymbolView], what: &str, pattern: &str) -> String {
    let mut text = if pattern.is_empty() {
        format!("All defined {what}:\n")
    } else {
        format!("All {what} matching regular expression \"{pattern}\":\n")
    };
    let mut known: Vec<&SymbolView> = views.iter().filter(|view| view.file.is_some()).collect();
    known.sort_by_key(|view| (&view.file, from_name(view), view.line));
    // A header's are in every unit that includes it.
    known.dedup_by(|a, b| (&a.file, &a.declaration, a.line) == (&b.file, &b.declaration, b.line));
    let mut file = None;
    for view in known {
        if file != view.file.as_ref() {
            file = view.file.as_ref();
            let _ = writeln!(text, "\nFile {}:", view.file.as_deref().unwrap_or("?"));
        }
        let declaration = view.declaration.as_ref().unwrap_or(&view.name);
        match view.line {
            Some(line) => {
                let _ = writeln!(text, "{line}:\t{declaration}");
            }
            None => {
                let _ = writeln!(text, "\t{declaration}");
            }
        }
    }
    let bare: Vec<&SymbolView> = views.iter().filter(|view| view.file.is_none()).collect();
    if !bare.is_empty() {
        text.push_str(match what {
            // Types of Rust and of the language itself are declared in no file.
            "types" => "\n",
            _ => "\nNon-debugging symbols:\n",
        });
        for view in bare {
            match view.address {
                Some(address) => {
                    let _ = writeln!(text, "{}  {}", wide(address), view.name);
                }
                None => {
                    let _ = writeln!(text, "\t{}", view.name);
                }
            }
        }
    }
    text
}

/// The declaration from the name on: functions of one name are ordered by their parameters.
fn from_name(view: &SymbolView) -> &str {
    let declaration = view.declaration.as_deref().unwrap_or(&view.name);
    let name = declaration.find(&view.name);
    name.map_or(view.name.as_str(), |at| &declaration[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_and_without_code() {
        let mut view = LineInfoView {
            file: "f.c".to_owned(),
            line: 5,
            start: 0x1139,
            end: 0x113d,
            start_symbol: Some("<main>".to_owned()),
            end_symbol: Some("<main+4>".to_owned()),
        };
        assert_eq!(
            line(&view),
            "Line 5 of \"f.c\" starts at address 0x1139 <main> and ends at 0x113d <main+4>.\n"
        );
        view.end = view.start;
        assert!(line(&view).ends_with("but contains no code.\n"));
    }

    #[test]
    fn symbols_by_file() {
        let view = |name: &str, file: Option<&str>| SymbolView {
            name: name.to_owned(),
            file: file.map(str::to_owned),
            line: Some(3),
            address: Some(0x10),
            declaration: None,
        };
        let text = symbols(&[view("g", None), view("f", Some("f.c"))], "functions", "");
        assert_eq!(
            text,
            "All defined functions:\n\nFile f.c:\n3:\tf\n\nNon-debugging symbols:\n0x0000000000000010  g\n"
        );
    }
}
