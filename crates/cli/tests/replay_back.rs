//! `when`, `goto` and `reverse-continue` in a replay: what was there at the first visit is there at each.

mod support;

use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Program, Said, finish, wayfarer};

/// Shows where the session stands, behind a mark.
const HERE: &[&str] = &[
    "echo <<<\\n",
    "when",
    "backtrace",
    "info registers rip rsp rbp rbx r12 r13 r14 r15",
    "x/32gx $sp",
];

/// A recorded run.
struct Recorded {
    program: Program,
    trace: PathBuf,
    /// What it printed.
    printed: String,
    status: i32,
}

impl Recorded {
    fn new(program: Program, options: &[&str]) -> Self {
        let trace = program.directory().join("trace");
        let mut command = wayfarer(program.directory());
        command.arg("record").args(options).arg("-o").arg(&trace);
        command.arg("--").arg(&program.path);
        let said = finish(command);
        assert!(trace.exists(), "nothing recorded: {}{}", said.out, said.err);
        Recorded {
            program,
            trace,
            printed: said.out,
            status: said.status.expect("a status"),
        }
    }

    fn steps() -> Self {
        Self::new(Program::build("steps"), &[])
    }

    /// A program of `debuggees/`.
    fn debuggee(name: &str, options: &[&str]) -> Self {
        let debuggees = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../debuggees");
        let program = Program::of(&debuggees.join(name));
        Self::new(program, options)
    }

    /// Gives commands to a replay.
    fn session(&self, options: &[&str], commands: &str) -> Said {
        let mut command = wayfarer(self.program.directory());
        command.arg("replay").args(options).arg(&self.trace);
        let script = self.program.directory().join("commands");
        std::fs::write(&script, commands).expect("the commands");
        command.stdin(std::fs::File::open(&script).expect("the commands"));
        finish(command)
    }

    /// A session of commands, each behind a `; `. `here` shows where it stands, and the value of `watched`.
    fn told(&self, commands: &str, watched: &str) -> Told {
        let mut script = String::new();
        for command in commands.split("; ") {
            let lines = match command {
                "here" => here(watched),
                other => format!("{other}\n"),
            };
            script += &lines;
        }
        let said = self.session(&[], &script);
        let places = said.out.split("<<<\n").skip(1);
        let places = places.filter_map(|place| Some(place.split_once(">>>\n")?.0.to_owned()));
        Told {
            places: places.collect(),
            said,
        }
    }

    /// The program's output is there once, and the replay ended like the recording.
    #[track_caller]
    fn ended_identical(&self, said: &Said) {
        for line in self.printed.lines() {
            let count = said.out.matches(&format!("{line}\n")).count();
            assert_eq!(
                count, 1,
                "{line:?} is there {count} times:\n{}\n{}",
                said.out, said.err
            );
        }
        said.has(&["[End of the recording: identical, "]);
        said.has(&[&format!("exit status {}]", self.status)]);
    }
}

fn here(watched: &str) -> String {
    let lines = HERE.join("\n");
    format!("{lines}\noutput {watched}\necho \\n>>>\\n\n")
}

/// A session, and each place at which it said where it stands.
struct Told {
    places: Vec<String>,
    said: Said,
}

impl Told {
    /// The place of one `here` is that of another one.
    #[track_caller]
    fn same(&self, one: usize, other: usize) -> &Self {
        assert!(
            self.places[one] == self.places[other],
            "place {one}:\n{}\nplace {other}:\n{}\nall:\n{}\n{}",
            self.places[one],
            self.places[other],
            self.said.out,
            self.said.err
        );
        self
    }

    #[track_caller]
    fn differ(&self, one: usize, other: usize) -> &Self {
        assert!(
            self.places[one] != self.places[other],
            "{}",
            self.places[one]
        );
        self
    }

    /// The position that `when` showed there.
    fn position(&self, index: usize) -> &str {
        self.places[index].lines().next().unwrap_or_default()
    }
}

const START: &str = "No more reverse-execution history: this is the start of the recording.";

#[test]
fn stops_come_back_in_the_other_order() {
    let steps = Recorded::steps();
    let told = steps.told(
        "break work; c; here; c; here; c; here; c; here; rc; here; rc; here; rc; here; rc; rc; c; \
             here; delete; c",
        "counter",
    );
    told.same(4, 2).same(5, 1).same(6, 0).same(7, 0);
    told.differ(0, 1).differ(1, 2).differ(2, 3);
    told.said.has(&[START, START, "Breakpoint 1, work (by="]);
    steps.ended_identical(&told.said);
}

#[test]
fn a_finished_run_goes_back_to_its_last_stop() {
    let steps = Recorded::steps();
    let told = steps.told(
        "tbreak steps.c:29; c; here; c; break work; rc; here; rc; here; rc; here; c; here; delete; c",
        "counter",
    );
    assert_eq!(told.places.len(), 5, "{}{}", told.said.out, told.said.err);
    assert!(
        told.position(1).starts_with("steps.2@"),
        "{}",
        told.places[1]
    );
    assert!(told.position(2).starts_with("steps@"), "{}", told.places[2]);
    told.same(4, 2);
    let end = "[End of the recording: identical, ";
    told.said.has(&[
        end,
        "work (by=1)",
        "steps (1.1) hit Breakpoint 2, work (by=",
        end,
    ]);
}

#[test]
fn a_watched_global_goes_back_to_its_first_write() {
    let steps = Recorded::steps();
    let told = steps.told(
        "break main; c; watch counter; c; here; c; here; c; here; rc; here; rc; here; rc; print \
             counter; c; here; delete; c",
        "counter",
    );
    // Backwards the breakpoint comes after all writes.
    told.same(3, 1).same(4, 0);
    told.said.has(&[
        "Old value = 0\n",
        "Old value = 0\n",
        "Breakpoint 1, main () at steps.c:",
        "$1 = 0\n",
        "Old value = 0\n",
    ]);
    told.same(5, 0);
    steps.ended_identical(&told.said);
}

#[test]
fn what_precedes_the_first_event_is_found_too() {
    let steps = Recorded::steps();
    let told = steps.told(
        "break main; c; here; break steps.c:27; c; here; stepi; stepi; here; break work; break \
             steps.c:18; rc; here; rc; here; rc; delete; c",
        "counter",
    );
    told.same(3, 1).same(4, 0).differ(1, 2);
    told.said.has(&["Breakpoint 1, main ()", START]);
    steps.ended_identical(&told.said);
}

#[test]
fn a_position_is_the_same_whenever_it_is_gone_to() {
    let steps = Recorded::steps();
    let told = steps.told(
        "goto steps@9; here; goto steps.2@1; here; goto steps@3; here; goto steps.2@1; here; goto \
             steps@9; here; goto steps@3; here; goto start; when; goto steps@0; goto steps@9; here; c",
        "counter",
    );
    assert_eq!(told.places.len(), 7, "{}{}", told.said.out, told.said.err);
    for (index, position) in ["steps@9", "steps.2@1", "steps@3"].into_iter().enumerate() {
        assert_eq!(told.position(index), position);
    }
    assert!(told.places[1].contains("\n1001\n"), "{}", told.places[1]);
    told.same(4, 0).same(3, 1).same(5, 2).same(6, 0);
    told.said.has(&["\nsteps@0\n"]);
    steps.ended_identical(&told.said);
}

#[test]
fn what_cannot_be_gone_to_is_refused_and_nothing_is_lost() {
    let steps = Recorded::steps();
    let told = steps.told(
        "break work; c; c; here; goto steps@99999; here; goto steps.7@1; here; goto steps.2@99999; \
             here; goto other@3; here; goto steps; here; goto; here; delete; c",
        "counter",
    );
    for index in 1..7 {
        told.same(index, 0);
    }
    told.said
        .complains("steps makes ")
        .complains(" events in this trace, not 99999")
        .complains("steps has no thread 7 in this trace")
        .complains("there is no process other in this trace")
        .complains("\"steps\" is not a position: ")
        .complains("Argument required (a position");
    steps.ended_identical(&told.said);
}

#[test]
fn a_live_program_has_no_positions() {
    let program = Program::build("steps");
    let said = program.piped("break work\nrun\nwhen\ngoto start\nrc\nprint counter\nkill\n");
    said.has(&["Breakpoint 1, work", "$1 = 0"]);
    let refusals = said.err.lines().count();
    assert_eq!(refusals, 3, "{}", said.err);
}

#[test]
fn positions_and_stops_are_told_as_json() {
    let steps = Recorded::steps();
    let commands = "break work\nc\nwhen\nc\nrc\nwhen\ngoto steps@3\nwhen\ngoto other@3\nrc\nrc\n";
    let objects = steps.session(&["--json"], commands).objects();
    let answers = |name: &str| -> Vec<&Value> {
        let mut answers = objects.iter();
        answers
            .by_ref()
            .filter(|object| object["command"] == name)
            .collect()
    };
    let when = answers("when");
    assert_eq!(when.len(), 3, "{objects:?}");
    assert_eq!(when[0]["result"]["events"], when[1]["result"]["events"]);
    assert_eq!(when[0]["result"]["position"], when[1]["result"]["position"]);
    assert_eq!(when[2]["result"]["position"], "steps@3");
    assert_eq!(when[2]["result"]["events"], 3);
    assert_eq!(when[2]["result"]["who"]["process"], "steps");
    let refused = answers("goto other@3");
    assert_eq!(refused[0]["ok"], false);
    let stops: Vec<(&Value, &Value)> = objects
        .iter()
        .filter(|object| object["event"] == "stopped")
        .map(|object| (&object["reason"], &object["events"]))
        .collect();
    let reasons: Vec<&Value> = stops.iter().map(|(reason, _)| *reason).collect();
    let hit = "breakpoint";
    // From the second stop back to the first one, from the position too, and before it there is none.
    let wanted = ["entry", hit, hit, hit, "location_reached", hit, "entry"];
    assert_eq!(reasons, wanted);
    assert_eq!(stops[1].1, stops[3].1);
    assert_eq!(stops[1].1, stops[5].1);
    let messages = objects.iter().filter(|object| object["text"] == START);
    assert_eq!(messages.count(), 1);
}

#[test]
fn processes_that_talk_stand_where_they_stood() {
    let bank = Recorded::debuggee("demo/bank.c", &[]);
    let told = bank.told(
        "break bank.c:103; c; c; c; here; c; rc; here; goto bank.4@20; here; goto bank.2@60; here; on \
             bank.4 when; goto bank.4@20; here; goto bank.2@60; here; goto bank@0; rc; delete; c",
        "$rsp",
    );
    assert_eq!(told.places.len(), 6, "{}{}", told.said.out, told.said.err);
    told.same(1, 0).same(4, 2).same(5, 3);
    assert_eq!(told.position(2), "bank.4@20");
    assert_eq!(told.position(3), "bank.2@60");
    told.said.has(&[START]);
    bank.ended_identical(&told.said);
}

#[test]
fn what_is_watched_in_a_child_is_watched_backwards() {
    let bank = Recorded::debuggee("demo/bank.c", &[]);
    let told = bank.told(
        "break bank.c:103; c; watch -location balance; delete 1; goto bank.2@150; rc; here; rc; \
         here; c; here; goto start; c; rc; here; delete; c",
        "$rsp",
    );
    assert_eq!(told.places.len(), 4, "{}{}", told.said.out, told.said.err);
    told.same(2, 0).differ(1, 0).differ(3, 0);
    for index in 0..4 {
        let position = told.position(index);
        assert!(position.starts_with("bank.2@"), "{position}");
    }
    bank.ended_identical(&told.said);
}

#[test]
fn threads_stand_where_they_stood() {
    for mode in ["serial", "parallel"] {
        let order = Recorded::debuggee("threads/mutex_order.c", &["--threads", mode]);
        let told = order.told(
            "goto mutex_order.2@4; here; goto mutex_order.4@5; here; goto mutex_order.5@3; here; goto \
             mutex_order@2; here; goto mutex_order.4@5; here; goto mutex_order.2@4; here; goto \
             mutex_order@2; here; goto mutex_order.5@3; here; break compete; rc; here; rc; here; c; here; \
             delete; c",
            "taken",
        );
        assert_eq!(
            told.places.len(),
            11,
            "{mode}: {}{}",
            told.said.out,
            told.said.err
        );
        told.same(4, 1).same(5, 0).same(6, 3).same(7, 2).same(10, 8);
        told.differ(8, 9);
        order.ended_identical(&told.said);
    }
}
