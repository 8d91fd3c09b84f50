//! Steps into functions of libraries that are bound at their first call.

mod support;

use std::path::Path;
use std::process::Command;

use support::Program;

fn library(name: &str, directory: &Path, options: &[&str]) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O0"])
        .args(options)
        .arg("-o")
        .arg(directory.join(format!("lib{name}.so")))
        .arg(format!("{name}.c"))
        .current_dir(sources)
        .status()
        .expect("a compiler");
    assert!(status.success(), "{name} does not build");
}

#[test]
fn a_step_goes_through_the_binding_into_functions_with_lines() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    library("lined", directory.path(), &["-g"]);
    library("unlined", directory.path(), &["-g0"]);
    let folder = directory.path().display().to_string();
    let program = Program::with(
        "cc",
        &[
            "-g",
            "-O0",
            "-no-pie",
            "-Wl,-z,lazy",
            "-Wl,--no-as-needed",
            &format!("-L{folder}"),
            &format!("-Wl,-rpath,{folder}"),
            "-llined",
            "-lunlined",
        ],
        "lazy.c",
    );
    program
        .batch(&[
            "break main",
            "run",
            "step",
            "step",
            "bt",
            "finish",
            "step",
            "step",
            "step",
            "step",
            "step",
        ])
        .has(&[
            "Breakpoint 1, main () at lazy.c:6\n",
            // A function without lines is stepped over.
            "7\t    n += lined(n);\n",
            "lined (n=5) at lined.c:3\n",
            "#0  lined (n=5) at lined.c:3\n#1  0xN in main () at lazy.c:7\n",
            "Value returned is $1 = 10\n",
            "8\t    n += lined(n) + unlined(n);\n",
            // Bound by now.
            "lined (n=15) at lined.c:3\n",
            "4\t    return doubled;\n",
            "5\t}\n",
            "main () at lazy.c:9\n",
        ])
        .ends_with(0);
}
