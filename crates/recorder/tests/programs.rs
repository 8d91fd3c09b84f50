//! What can be recorded and what cannot: each refusal has its own message and exit code.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use wayfarer_recorder::launch::session_environment;
use wayfarer_recorder::program::{Program, ProgramError};

fn find(command: &Path) -> Result<Program, ProgramError> {
    Program::find(command.as_os_str(), &[OsString::from("-x")], None)
}

fn write_executable(path: &Path, contents: &[u8]) -> PathBuf {
    fs::write(path, contents).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_path_buf()
}

fn refusal(command: &Path) -> (i32, String) {
    let error = find(command).unwrap_err();
    (error.exit_code(), error.to_string())
}

#[test]
fn programs_are_looked_for_in_path() {
    let program = Program::find(
        OsStr::new("true"),
        &[],
        Some(OsStr::new("/nowhere:/usr/bin:/bin")),
    )
    .unwrap();
    assert!(program.path.ends_with("bin/true"), "{:?}", program.path);
    assert_eq!(program.arguments, ["true"]);
    let missing = Program::find(OsStr::new("true"), &[], Some(OsStr::new("/nowhere"))).unwrap_err();
    assert_eq!(missing.exit_code(), 127);
}

#[test]
fn what_is_not_there_or_not_executable_is_refused_as_a_shell_does() {
    let directory = tempfile::tempdir().unwrap();
    let (code, message) = refusal(Path::new("/no/such/program"));
    assert_eq!(code, 127);
    assert!(message.contains("/no/such/program"), "{message}");
    assert_eq!(refusal(Path::new("")).0, 127);
    let plain = directory.path().join("plain");
    fs::write(&plain, "data").unwrap();
    let (code, message) = refusal(&plain);
    assert_eq!(code, 126);
    assert!(message.contains("not executable"), "{message}");
    assert_eq!(refusal(directory.path()).0, 126);
}

#[test]
fn scripts_are_followed_to_their_interpreter() {
    let directory = tempfile::tempdir().unwrap();
    let good = write_executable(&directory.path().join("good"), b"#!/bin/sh -e\nexit 0\n");
    let program = find(&good).unwrap();
    assert_eq!(program.path, good);
    let (code, message) = refusal(&write_executable(
        &directory.path().join("bad"),
        b"#! /no/such/shell\n",
    ));
    assert_eq!(code, 126);
    assert!(message.contains("/no/such/shell"), "{message}");
    let text = write_executable(&directory.path().join("text"), b"exit 0\n");
    let program = find(&text).unwrap();
    assert_eq!(program.path, Path::new("/bin/sh"));
    assert_eq!(
        program.arguments,
        [OsStr::new("sh"), text.as_os_str(), OsStr::new("-x")]
    );
}

#[test]
fn foreign_programs_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut elf = fs::read("/proc/self/exe").unwrap();
    elf.truncate(4096);
    let mut narrow = elf.clone();
    narrow[4] = 1;
    let (code, message) = refusal(&write_executable(&directory.path().join("narrow"), &narrow));
    assert_eq!(code, 2);
    assert!(message.contains("32-bit"), "{message}");
    let mut foreign = elf;
    foreign[18] = 183;
    let (code, message) = refusal(&write_executable(
        &directory.path().join("foreign"),
        &foreign,
    ));
    assert_eq!(code, 2);
    assert!(message.contains("another processor"), "{message}");
}

#[test]
fn static_programs_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("static.c");
    fs::write(&source, "void _start(void) { for (;;) ; }\n").unwrap();
    let program = directory.path().join("static");
    let status = Command::new("cc")
        .args(["-static", "-nostdlib", "-o"])
        .arg(&program)
        .arg(&source)
        .status()
        .unwrap();
    assert!(status.success());
    let (code, message) = refusal(&program);
    assert_eq!(code, 2);
    assert!(message.contains("statically linked"), "{message}");
}

#[test]
fn setuid_programs_of_others_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("setuid");
    fs::copy("/bin/true", &program).unwrap();
    let own_user = fs::metadata(&program)
        .map(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata))
        .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    // One's own setuid bit changes nothing, so the loader honours the preload.
    assert!(find(&program).is_ok());
    if own_user == 0 {
        std::os::unix::fs::chown(&program, Some(65_534), None).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
        let (code, message) = refusal(&program);
        assert_eq!(code, 2);
        assert!(message.contains("setuid"), "{message}");
    }
}

#[test]
fn our_variables_come_last_and_keep_the_users_preload() {
    let environment = ["A=1", "LD_PRELOAD=/lib/mine.so", "B=2"].map(OsString::from);
    let result = session_environment(&environment, 1, 3);
    assert_eq!(
        result,
        [
            "A=1",
            "B=2",
            "LD_PRELOAD=/proc/self/fd/1019:/lib/mine.so",
            "WAYFARER_SESSION=00000001..."
        ]
    );
    let result = session_environment(&[OsString::from("LD_PRELOAD=")], 0xabc, 0);
    assert_eq!(
        result,
        ["LD_PRELOAD=/proc/self/fd/1019", "WAYFARER_SESSION=00000abc"]
    );
}
