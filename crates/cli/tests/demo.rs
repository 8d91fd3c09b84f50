//! `wayfarer demo`: the whole story, from the first recording to the third replay.

mod support;

use support::{finish, wayfarer};

#[test]
fn the_demo_finds_its_bug_and_replays_it() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let mut command = wayfarer(home.path());
    command.env("TMPDIR", home.path()).arg("demo");
    let said = finish(command);
    said.has(&[
        "(wayfarer) tbreak bank.c:",
        "(wayfarer) run\n",
        "\nbank.2 (2.1) hit Temporary breakpoint 1, run_server (listener=3) at bank.c:",
        "balance = sum;\n",
        "(wayfarer) backtrace\n#0  run_server (listener=3) at bank.c:",
        "(wayfarer) print sum\n$2 = ",
        " backtrace -3\n",
        " in ask (connection=3, request=0xN \"SET ",
        " in run_client (",
        "(wayfarer) continue\n",
        "[End of the recording: identical, ",
        " in 5 processes, exit status 1]\n",
    ])
    .complains("Run ")
    .complains("what another client has just paid in. Th")
    .complains("replay 1: identical, all ")
    .complains("replay 3: identical, all ")
    .complains("The bug is now yours to keep")
    .ends_with(0);
}
