//! The commands around parallel threads, from outside: `history`, `solidify`, `replay --retry`, and what
//! `info` tells; on traces made by hand and on recordings of small C programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use wayfarer_model::ProcessId;
use wayfarer_runtime_abi::record::{sync, threads};
use wayfarer_trace::synthetic::{Log, Number, SessionBuilder};
use wayfarer_trace::{Manifest, SESSION_FILE, SOLID_FILE, Text};

fn wayfarer(arguments: &[&str], directory: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wayfarer"))
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("wayfarer starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    let text = stdout(output);
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {text} {}", stderr(output)))
}

/// A trace of two threads that hand a mutex to each other, as `mode`.
fn made_by_hand(directory: &Path, mode: u64) -> PathBuf {
    let mut session = SessionBuilder::new();
    let main = session.process(ProcessId(0), 100, "bank");
    let second = session.thread(main.0, 101);
    let mut logs = [Log::new(), Log::new()];
    logs[0].start("/bin/bank");
    logs[0].threads(mode, threads::SPINS, 3);
    if mode == threads::PARALLEL {
        logs[0].sync_object(1, sync::MUTEX, 0x6000, 0);
        for run in 1..=100u64 {
            logs[usize::from(run % 2 == 0)].acquire(1, run, u64::from(run > 1));
        }
        logs[0].final_run(1, 1);
    }
    logs[0].exit(Number::EXIT_GROUP, 0);
    session.log(main, &logs[0], 1);
    session.log((main.0, second), &logs[1], 1);
    let trace = directory.join("made");
    std::fs::create_dir(&trace).expect("a directory");
    Manifest::new(vec![Text::from("bank")], Text::from("/"), Vec::new())
        .write(&trace, false)
        .expect("a manifest");
    session
        .build()
        .save(&trace.join(SESSION_FILE))
        .expect("a session");
    trace
}

/// Compiles a program with threads; `body` is what each of its two threads does in a loop.
fn compiled(directory: &Path, body: &str) -> PathBuf {
    compile(
        directory,
        &format!(
            "#include <pthread.h>\n#include <stdio.h>\n\
         pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nint count;\n\
         void *work(void *nothing) {{\n  for (int i = 0; i < 500; i++) {{\n    {body}\n  }}\n  return nothing;\n}}\n\
         int main(void) {{\n  pthread_t threads[2];\n\
           for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);\n\
           for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);\n\
           printf(\"%d\\n\", count);\n  return 0;\n}}\n"
        ),
    )
}

fn compile(directory: &Path, text: &str) -> PathBuf {
    let source = directory.join("program.c");
    std::fs::write(&source, text).expect("writes the source");
    let program = directory.join("program");
    let compiler = Command::new("cc")
        .args(["-g", "-O1", "-pthread", "-o"])
        .args([&program, &source])
        .status()
        .expect("a C compiler");
    assert!(compiler.success());
    program
}

#[test]
fn histories_and_reasons_are_told() {
    let place = tempfile::tempdir().expect("a place");
    made_by_hand(place.path(), threads::PARALLEL);
    let text = stdout(&wayfarer(&["history", "made"], place.path()));
    assert!(text.contains("\nL1     0:1w 1:2w 2:1w"), "{text}");
    assert!(
        text.contains("60 runs left out (--all shows them)"),
        "{text}"
    );
    let text = stdout(&wayfarer(&["history", "made", "L1", "--all"], place.path()));
    assert!(text.contains(" 99:2w\n"), "{text}");
    let facts = json(&wayfarer(&["history", "made", "1", "--json"], place.path()));
    assert_eq!(facts["objects"][0]["name"], "L1");
    assert_eq!(facts["objects"][0]["hand_overs"], 99);
    for wrong in ["R1", "L2", "lock"] {
        let output = wayfarer(&["history", "made", wrong], place.path());
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(stderr(&output).contains(wrong), "{}", stderr(&output));
    }
    let facts = json(&wayfarer(&["info", "made", "--json"], place.path()));
    let mode = &facts["processes"][0]["threads_modes"][0];
    assert_eq!(mode["mode"], "parallel");
    assert_eq!(mode["reason_code"], u64::from(threads::SPINS));
    assert_eq!(facts["sync"]["runs"], 100);
    assert_eq!(facts["sync"]["objects"]["mutex"], 1);
    let text = stdout(&wayfarer(&["info", "made"], place.path()));
    assert!(
        text.contains("bank: parallel, its code waits in loops by hand (3 places)"),
        "{text}"
    );
}

#[test]
fn what_makes_a_process_serial_is_told_even_if_it_comes_late() {
    let made = [
        (
            "pthread_create(&thread, 0, work, 0);\n  pthread_join(thread, 0);\n  \
             mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);",
            "recorded in parallel all the same: a replay may diverge; record with --threads serial",
        ),
        (
            "timer_t timer; struct sigevent how = {.sigev_notify = SIGEV_THREAD, \
             .sigev_notify_function = expired};\n  timer_create(CLOCK_MONOTONIC, &how, &timer);",
            "program: serial, threads of libc's own work for it",
        ),
        (
            "mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);\n  \
             if (fork() == 0) _exit(0);\n  wait(0);",
            "program: serial, it shares memory with other processes",
        ),
    ];
    for (made, told) in made {
        let place = tempfile::tempdir().expect("a place");
        compile(
            place.path(),
            &format!(
                "#define _GNU_SOURCE\n#include <pthread.h>\n#include <signal.h>\n#include <stdio.h>\n\
                 #include <sys/mman.h>\n#include <sys/wait.h>\n#include <time.h>\n#include <unistd.h>\n\
                 pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
                 void expired(union sigval value) {{ (void)value; }}\n\
                 void *work(void *nothing) {{\n  pthread_mutex_lock(&lock);\n  puts(\"one\");\n  \
                 pthread_mutex_unlock(&lock);\n  return nothing;\n}}\n\
                 int main(void) {{\n  pthread_t thread;\n  {made}\n  \
                 pthread_create(&thread, 0, work, 0);\n  pthread_join(thread, 0);\n  return 0;\n}}\n"
            ),
        );
        let recorded = wayfarer(&["record", "-o", "t", "./program"], place.path());
        assert!(
            stdout(&recorded).ends_with("one\n"),
            "{}",
            stderr(&recorded)
        );
        let text = stdout(&wayfarer(&["info", "t"], place.path()));
        assert!(text.contains(told), "{text}");
        let replayed = wayfarer(&["replay", "--check", "t"], place.path());
        assert_eq!(replayed.status.code(), Some(0), "{}", stderr(&replayed));
    }
}

#[test]
fn serial_traces_are_solid_as_they_are() {
    let place = tempfile::tempdir().expect("a place");
    let trace = made_by_hand(place.path(), threads::SERIAL);
    let output = wayfarer(&["solidify", "made"], place.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("nothing to do"));
    assert!(!trace.join(SOLID_FILE).exists());
    let text = stdout(&wayfarer(&["history", "made"], place.path()));
    assert!(text.starts_with("no histories"), "{text}");
}

#[test]
fn a_parallel_recording_replays_and_becomes_solid() {
    let place = tempfile::tempdir().expect("a place");
    compiled(
        place.path(),
        "pthread_mutex_lock(&lock); count++; pthread_mutex_unlock(&lock);",
    );
    let recorded = wayfarer(
        &["record", "--threads", "parallel", "-o", "t", "./program"],
        place.path(),
    );
    assert_eq!(stdout(&recorded), "1000\n", "{}", stderr(&recorded));
    let replayed = wayfarer(
        &["replay", "--check", "--json", "--retry", "3", "t"],
        place.path(),
    );
    let verdict = json(&replayed);
    assert_eq!(verdict["identical"], true, "{}", stderr(&replayed));
    assert_eq!(verdict["attempts"], 1);
    let text = stdout(&wayfarer(&["history", "t"], place.path()));
    assert!(
        text.contains("mutex `lock` of program at ")
            && text.contains("made in work at program.c:7"),
        "{text}"
    );
    let output = wayfarer(&["solidify", "t", "--attempts", "20"], place.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(place.path().join("t").join(SOLID_FILE).exists());
    let facts = json(&wayfarer(&["info", "t", "--json"], place.path()));
    // Without races any rule will do.
    assert_eq!(facts["solid"]["delays"], 0);
    assert_eq!(facts["solid"]["attempts"], 1);
    let again = wayfarer(&["replay", "--check", "t"], place.path());
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    // A spoilt file is told and not used.
    std::fs::write(place.path().join("t").join(SOLID_FILE), "seed 1\n").expect("writes");
    let spoilt = wayfarer(&["replay", "--check", "t"], place.path());
    assert!(
        stderr(&spoilt).contains("solid is not usable"),
        "{}",
        stderr(&spoilt)
    );
}
