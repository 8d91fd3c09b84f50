//! The programs of `debuggees/live`, how each is built, and where it is stopped.

/// How a program is joined with `library_part.c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    None,
    /// Linked with it.
    Linked,
    /// Opened while the program runs; its path is the first argument.
    Opened,
}

/// One row: a program, built in several ways.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// File below `debuggees/live`.
    pub source: &'static str,
    /// The builds: options of the compiler, separated by spaces.
    pub builds: &'static [&'static str],
    /// Where to stop. `@text` is the line of the program that contains that text.
    pub stops: &'static [&'static str],
    /// How many stops are compared.
    pub count: usize,
    pub library: Library,
    /// Whether all threads are compared: only where the others stand still for certain.
    pub all_threads: bool,
}

const HERE: &[&str] = &["stop_here"];
const C: &[&str] = &["-O0", "-O1", "-O2", "-O0 -no-pie", "-O2 -no-pie -gdwarf-4"];
/// Ways to write debug information: type units, compressed, that of the link-time optimiser.
const FORMATS: &[&str] = &[
    "-O0 -fdebug-types-section",
    "-O2 -gdwarf-4 -fdebug-types-section",
    "-O0 -gz",
    "-O0 -flto",
];
const CPP: &[&str] = &["-O0", "-O1", "-O2"];
const RUST: &[&str] = &[
    "-Copt-level=0",
    "-Copt-level=1",
    "-Copt-level=2",
    "-Copt-level=0 -Crelocation-model=static",
];

impl Row {
    pub const fn new(source: &'static str, builds: &'static [&'static str]) -> Row {
        Row {
            source,
            builds,
            stops: HERE,
            count: 6,
            library: Library::None,
            all_threads: false,
        }
    }

    /// Stops in other places than the function `stop_here`.
    const fn at(self, stops: &'static [&'static str]) -> Row {
        Row { stops, ..self }
    }

    const fn with(self, library: Library) -> Row {
        Row { library, ..self }
    }

    const fn all_threads(self) -> Row {
        Row {
            all_threads: true,
            count: 1,
            ..self
        }
    }
}

pub const TABLE: &[Row] = &[
    Row::new("scalars.c", C),
    Row::new("scalars.c", &["-O0 -m64 -gdwarf-4", "-Og"]).at(&["scalars", "main"]),
    Row::new("aggregates.c", C),
    Row::new("bitfields.c", C),
    Row::new("arrays.c", C),
    Row::new("arrays.c", &["-O0"]).at(&["@total += matrix"]),
    Row::new("enums.c", C),
    Row::new("recursion.c", C),
    Row::new("callbacks.c", C),
    Row::new("inlining.c", C),
    Row::new("inlining.c", &["-O0", "-O2"]).at(&["@int scaled = value * 3"]),
    Row::new("signals.c", C),
    Row::new("threads.c", &["-O0", "-O2"]).all_threads(),
    Row::new("thread_locals.c", C),
    Row::new("library.c", &["-O0", "-O1", "-O2"]).with(Library::Linked),
    Row::new("library.c", &["-O0", "-O2"])
        .with(Library::Linked)
        .at(&["inside"]),
    Row::new("plugin.c", &["-O0", "-O2"]).with(Library::Opened),
    Row::new("plugin.c", &["-O0"])
        .with(Library::Opened)
        .at(&["library_note"]),
    Row::new("varied_arguments.c", C),
    Row::new("blocks.c", C),
    Row::new("blocks.c", &["-O0"]).at(&["@result += value;"]),
    Row::new("optimised.c", C),
    Row::new("layouts.c", C),
    Row::new("layouts.c", FORMATS),
    Row::new("thread_locals.c", FORMATS),
    Row::new("classes.cpp", CPP),
    Row::new("inheritance.cpp", CPP),
    Row::new("classes.cpp", &["-O0"]).at(&["zoo::Dog::speak", "hear"]),
    Row::new("templates.cpp", CPP),
    Row::new("strings.cpp", CPP),
    Row::new("containers.cpp", CPP),
    Row::new("lambdas.cpp", CPP),
    Row::new("exceptions.cpp", CPP),
    Row::new("pointers.cpp", CPP),
    Row::new("overloads.cpp", CPP),
    Row::new("scalars.rs", RUST),
    Row::new("enums.rs", RUST),
    Row::new("collections.rs", RUST),
    Row::new("closures.rs", RUST),
    Row::new("generics.rs", RUST),
    Row::new("threads.rs", RUST),
    Row::new("owners.rs", RUST),
    Row::new("library_values.rs", RUST),
];
