//! Threads and processes that ask for the same program at once get the same file, which is built once.
//!
//! The other processes are this very program, started again with a variable that says what to do.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::thread;
use wayfarer_test_kit::build_once::{self, Key};
use wayfarer_test_kit::compile;
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Verdict};
use wayfarer_test_kit::{ensure, fail, tests};

const PROCESSES: usize = 4;
const THREADS: usize = 8;
/// Names the directory in which a helper process builds.
const HELPER: &str = "WAYFARER_TEST_BUILD_IN";
/// The helper dies while it builds.
const DIES: &str = "WAYFARER_TEST_BUILD_DIES";

fn main() {
    if let Some(parent) = std::env::var_os(HELPER) {
        return help(Path::new(&parent));
    }
    harness::run(tests![
        many_at_once_build_once,
        a_build_that_fails_leaves_nothing,
        a_builder_that_dies_leaves_the_place_to_others,
        other_contents_lie_elsewhere,
    ])
}

fn many_at_once_build_once() -> Outcome {
    let parent = tempfile::tempdir()?;
    let mut helpers = Vec::new();
    for _ in 0..PROCESSES {
        helpers.push(start_helper(parent.path(), false)?);
    }
    // All wait for the end of their input; then they begin together.
    for helper in &mut helpers {
        drop(helper.stdin.take());
    }
    let mut inodes = BTreeSet::new();
    for helper in helpers {
        let output = helper.wait_with_output()?;
        ensure!(
            output.status.success(),
            "a helper left with {}",
            output.status
        );
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        ensure!(lines.len() == THREADS, "a helper said {text:?}");
        inodes.extend(lines.into_iter().map(str::to_owned));
    }
    ensure!(inodes.len() == 1, "several files were used: {inodes:?}");
    let now = inode(&program_in(parent.path())?)?.to_string();
    ensure!(inodes.contains(&now), "the file was replaced afterwards");
    let builds = fs::read_to_string(parent.path().join("builds"))?;
    ensure!(builds.lines().count() == 1, "built several times: {builds}");
    Ok(Verdict::Passed)
}

fn a_build_that_fails_leaves_nothing() -> Outcome {
    let parent = tempfile::tempdir()?;
    let key = Key::default().value("fails");
    let failed = build_once::directory_in(parent.path(), "", &key, |site| {
        fs::write(site.fresh.join("half"), "")?;
        fail!("half is not enough")
    });
    ensure!(failed.is_err(), "the failure was lost");
    let place = build_once::directory_in(parent.path(), "", &key, |site| {
        Ok(fs::write(site.fresh.join("whole"), "")?)
    })?;
    ensure!(place.join("whole").exists(), "nothing was built afterwards");
    ensure!(!place.join("half").exists(), "the half is still there");
    Ok(Verdict::Passed)
}

fn a_builder_that_dies_leaves_the_place_to_others() -> Outcome {
    let parent = tempfile::tempdir()?;
    let mut helper = start_helper(parent.path(), true)?;
    drop(helper.stdin.take());
    ensure!(!helper.wait()?.success(), "the helper did not die");
    ensure!(
        program_in(parent.path()).is_err(),
        "half a program is in place"
    );
    let place = build(parent.path())?;
    ensure!(program_in(parent.path())? == place, "it lies elsewhere");
    Ok(Verdict::Passed)
}

fn other_contents_lie_elsewhere() -> Outcome {
    let parent = tempfile::tempdir()?;
    let source = parent.path().join("source");
    let mut places = BTreeSet::new();
    for (text, option) in [
        ("one", "-O1"),
        ("two", "-O1"),
        ("two", "-O2"),
        ("two", "-O2"),
    ] {
        fs::write(&source, text)?;
        let key = Key::default().file(&source)?.value(option);
        places.insert(build_once::directory_in(parent.path(), "", &key, |_| {
            Ok(())
        })?);
    }
    ensure!(places.len() == 3, "three were expected: {places:?}");
    Ok(Verdict::Passed)
}

fn start_helper(parent: &Path, dies: bool) -> Result<Child, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .env(HELPER, parent)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    if dies {
        command.env(DIES, "1").stderr(Stdio::null());
    }
    Ok(command.spawn()?)
}

/// A helper process: its threads build at once when its input ends, and print which file each of them got.
fn help(parent: &Path) {
    let mut input = Vec::new();
    std::io::stdin()
        .read_to_end(&mut input)
        .expect("the input ends");
    let together = Barrier::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                together.wait();
                let program = build(parent).expect("it is built");
                let first = inode(&program).expect("it is there");
                together.wait();
                assert_eq!(first, inode(&program).expect("it is there still"));
                println!("{first}");
            });
        }
    });
}

/// Builds the program, and counts that it was built.
fn build(parent: &Path) -> Result<PathBuf, Failure> {
    let key = Key::default().value("the program");
    let place = build_once::directory_in(parent, "program-", &key, |site| {
        let mut builds = OpenOptions::new()
            .create(true)
            .append(true)
            .open(parent.join("builds"))?;
        writeln!(builds, "built")?;
        let source = site.fresh.join("program.c");
        fs::write(&source, "int main(void) { return 0; }\n")?;
        if std::env::var_os(DIES).is_some() {
            std::process::abort();
        }
        let mut command = Command::new("cc");
        command.arg("-o").arg(site.fresh.join("program"));
        compile::run(command.arg(&source))
    })?;
    Ok(place.join("program"))
}

/// The program that is in place below `parent`.
fn program_in(parent: &Path) -> Result<PathBuf, Failure> {
    for entry in fs::read_dir(parent)? {
        let program = entry?.path().join("program");
        let fresh = program.to_string_lossy().contains(".fresh-");
        if program.is_file() && !fresh {
            return Ok(program);
        }
    }
    fail!("no program below {}", parent.display())
}

fn inode(path: &Path) -> Result<u64, Failure> {
    Ok(fs::metadata(path)?.ino())
}
