//! Phenomenon: std::process::Command with piped input and output, status codes, a killed child.
//! Nondeterministic: pids, nanoseconds.
use std::io::{Read, Write};
use std::process::{Command, Stdio};

fn main() -> std::io::Result<()> {
    let output = Command::new("sh").args(["-c", "echo $$; date +%N; echo oops >&2; exit 4"]).output()?;
    println!("{} {:?}", String::from_utf8_lossy(&output.stdout).replace('\n', " "), output.status.code());
    println!("error stream: {}", String::from_utf8_lossy(&output.stderr).trim());

    let mut sorter = Command::new("sort").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = sorter.stdin.take().expect("piped");
    for number in 0..50u32 {
        writeln!(input, "{}", number.wrapping_mul(std::process::id()) % 1000)?;
    }
    drop(input);
    let mut sorted = String::new();
    sorter.stdout.take().expect("piped").read_to_string(&mut sorted)?;
    println!("{} {}", sorted.replace('\n', " "), sorter.wait()?);

    let mut sleeper = Command::new("sleep").arg("5").spawn()?;
    println!("sleeper {}: {:?}", sleeper.id(), sleeper.try_wait()?);
    sleeper.kill()?;
    println!("{}", sleeper.wait()?);
    println!("{:?}", Command::new("/nonexistent/program").spawn().map_err(|error| error.kind()).err());
    Ok(())
}
