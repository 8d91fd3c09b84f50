//! gdb's own answers.

use std::path::Path;
use std::process::Command;

/// Runs a program under gdb to a function, goes to its caller, and asks: the output of each command,
/// or the message of its error. Leaves a core file.
pub fn ask(
    program: &Path,
    stop: &str,
    core: &Path,
    commands: &[String],
    passed: usize,
) -> Vec<String> {
    let script = core.with_extension("py");
    let mut text = String::from(
        "import gdb\n\
         def ask(command):\n\
         \x20   try:\n\
         \x20       return gdb.execute(command, to_string=True)\n\
         \x20   except gdb.error as error:\n\
         \x20       return str(error)\n",
    );
    text.push_str("answers = []\n");
    for command in commands {
        let quoted = command.replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("answers.append(ask(\"{quoted}\"))\n"));
    }
    let answers = core.with_extension("answers");
    text.push_str(&format!(
        "open({:?}, 'w').write('\\x1e'.join(answers))\n",
        answers.display().to_string()
    ));
    std::fs::write(&script, text).expect("the script can be written");
    let output = Command::new("gdb")
        .args(["-nx", "-batch"])
        .args(["-ex", "set width 0", "-ex", "set height 0"])
        .args(["-ex", "set startup-with-shell off"])
        .args(["-ex", "set debuginfod enabled off"])
        .arg("-ex")
        .arg(format!("break {stop}"))
        .arg("-ex")
        .arg(format!("ignore 1 {passed}"))
        .args(["-ex", "run", "-ex", "up"])
        .arg("-ex")
        .arg(format!("gcore {}", core.display()))
        .arg("-ex")
        .arg(format!("source {}", script.display()))
        .arg(program)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("gdb can be started");
    match std::fs::read_to_string(&answers) {
        Ok(text) => text
            .split('\u{1e}')
            .map(|answer| answer.trim_end().to_string())
            .collect(),
        Err(_) => panic!(
            "gdb gave no answers:\n{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}

/// What stands after `$1 = `.
pub fn value(answer: &str) -> &str {
    match answer.split_once(" = ") {
        Some((number, value)) if number.starts_with('$') => value,
        _ => answer,
    }
}
