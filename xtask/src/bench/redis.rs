//! redis under redis-benchmark: throughput, processor time, trace size, replay time.

use super::Bench;
use super::measure::{Pairs, Run, alternate, median};
use super::report::{Bar, Line};
use super::runs::{LIMIT, command, output};
use crate::failure::{Failure, failure};
use crate::gauntlet::wait_for_port;
use crate::process::{self, Running};
use crate::{scratch, workspace};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Commands of each of the two kinds.
const COMMANDS_EACH: f64 = 100_000.0;
const COMMANDS: f64 = 2.0 * COMMANDS_EACH;

/// One run against a server recorded alone.
struct Load {
    per_second: f64,
    server_cpu_seconds: f64,
}

/// The server recorded alone; redis-benchmark is not part of the recording.
pub fn server_alone(bench: &Bench) -> Result<Vec<Line>, Failure> {
    let pairs = alternate(bench, |run| load(bench, run))?;
    let rate = Pairs::new(pairs.iter().map(|(p, r)| (p.per_second, r.per_second)));
    let cpu = Pairs::new(
        pairs
            .iter()
            .map(|(p, r)| (p.server_cpu_seconds, r.server_cpu_seconds)),
    );
    Ok(vec![
        Line {
            key: "redis_alone_throughput",
            what: "redis, server recorded alone: commands/s kept",
            unit: "",
            plain: Some(rate.plain()),
            recorded: Some(rate.recorded()),
            value: rate.ratio(),
            bar: Bar::AtLeast(0.95),
        },
        Line {
            key: "redis_server_cpu",
            what: "redis, server CPU s per 100,000 commands, ratio",
            unit: "x",
            plain: Some(cpu.plain() * 100_000.0 / COMMANDS),
            recorded: Some(cpu.recorded() * 100_000.0 / COMMANDS),
            value: cpu.ratio(),
            bar: Bar::AtMost(1.12),
        },
    ])
}

fn load(bench: &Bench, run: Run) -> Result<Load, Failure> {
    let port = scratch::free_ports(1)?[0];
    let number = port.to_string();
    let words = [
        "redis-server",
        "--port",
        &number,
        "--bind",
        "127.0.0.1",
        "--save",
        "",
    ];
    let mut command = command(bench, run, &words);
    command
        .args(["--appendonly", "no", "--dir"])
        .arg(bench.scratch.path());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut server = process::start(&mut command)?;
    let result = put_load(&mut server, port, run);
    if result.is_err() {
        server.end();
        return result;
    }
    let finished = server.finish(LIMIT)?;
    if finished.succeeded() {
        result
    } else {
        Err(failure(format!("redis-server: {}", finished.describe())))
    }
}

fn put_load(server: &mut Running, port: u16, run: Run) -> Result<Load, Failure> {
    wait_for_port(server, port)?;
    let process = match run {
        Run::Plain => server.id(),
        Run::Recorded => *process::children(server.id())
            .first()
            .ok_or_else(|| failure("the recorder has no child"))?,
    };
    let cpu =
        || process::cpu_seconds(process).ok_or_else(|| failure("no processor times in /proc"));
    let number = port.to_string();
    let before = cpu()?;
    let said = output(
        Command::new("redis-benchmark")
            .args(["-p", &number])
            .args(["-c", "50", "-n", "100000", "-t", "set,get", "-q"]),
    )?;
    let after = cpu()?;
    output(Command::new("redis-cli").args(["-p", &number, "shutdown", "nosave"]))?;
    Ok(Load {
        per_second: rate(&said)?,
        server_cpu_seconds: after - before,
    })
}

/// Server, benchmark and client in one recording; then the replay of it.
pub fn all_recorded(bench: &Bench) -> Result<Vec<Line>, Failure> {
    let mut bytes_per_command = Vec::new();
    let mut replay_ratios = Vec::new();
    let mut run_seconds = Vec::new();
    let mut seal_seconds = Vec::new();
    let pairs = alternate(bench, |run| {
        let began = Instant::now();
        let (per_second, seconds) = whole(bench, run)?;
        let whole_seconds = began.elapsed().as_secs_f64();
        if run == Run::Recorded {
            let trace = bench.scratch.path().join("trace");
            bytes_per_command.push(scratch::size(&trace) as f64 / COMMANDS);
            replay_ratios.push(replay(&bench.wayfarer, &trace)? / seconds);
            run_seconds.push(seconds);
            seal_seconds.push(whole_seconds - seconds);
        }
        Ok(per_second)
    })?;
    let rate = Pairs::new(pairs);
    Ok(vec![
        Line {
            key: "redis_together_throughput",
            what: "redis, all recorded: commands/s kept",
            unit: "",
            plain: Some(rate.plain()),
            recorded: Some(rate.recorded()),
            value: rate.ratio(),
            bar: Bar::AtLeast(0.92),
        },
        Line {
            key: "redis_bytes_per_command",
            what: "redis, all recorded: trace bytes per command",
            unit: "B",
            plain: None,
            recorded: None,
            value: median(&bytes_per_command),
            bar: Bar::AtMost(12.0),
        },
        Line {
            key: "redis_replay_time",
            what: "redis, all recorded: replay s / recorded run s",
            unit: "x",
            plain: None,
            recorded: Some(median(&run_seconds)),
            value: median(&replay_ratios),
            bar: Bar::AtMost(1.2),
        },
        Line {
            key: "redis_seal",
            what: "redis, all recorded: start and sealing of the trace",
            unit: "s",
            plain: None,
            recorded: None,
            value: median(&seal_seconds),
            bar: Bar::None,
        },
    ])
}

/// Runs the whole set; gives commands per second and the seconds that the set itself took, which do
/// not contain the sealing of the trace.
fn whole(bench: &Bench, run: Run) -> Result<(f64, f64), Failure> {
    let script = workspace::root().join("benches/redis.sh");
    let port = scratch::free_ports(1)?[0].to_string();
    let script = script.display().to_string();
    let directory = bench.scratch.path().display().to_string();
    let said = output(&mut command(
        bench,
        run,
        &["bash", &script, &directory, &port],
    ))?;
    let seconds = said
        .lines()
        .find_map(|line| line.strip_prefix("seconds: ")?.trim().parse().ok())
        .ok_or_else(|| failure(format!("benches/redis.sh did not say its time: {said}")))?;
    Ok((rate(&said)?, seconds))
}

fn replay(wayfarer: &Path, trace: &Path) -> Result<f64, Failure> {
    let mut command = Command::new(wayfarer);
    command.arg("replay").arg(trace).args(["--check", "--json"]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let finished = process::run(&mut command, LIMIT)?;
    if finished.succeeded() {
        Ok(finished.seconds)
    } else {
        Err(failure(format!("replay of redis: {}", finished.describe())))
    }
}

/// Commands per second over all the kinds that redis-benchmark names: the harmonic mean, because each
/// kind had the same number of commands.
fn rate(said: &str) -> Result<f64, Failure> {
    let rates: Vec<f64> = said
        .split(['\r', '\n'])
        .filter_map(|line| {
            let (head, _) = line.split_once(" requests per second")?;
            head.rsplit(' ').next()?.parse().ok()
        })
        .collect();
    if rates.is_empty() {
        return Err(failure(format!("redis-benchmark named no rate: {said}")));
    }
    Ok(rates.len() as f64 / rates.iter().map(|rate| 1.0 / rate).sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_amid_progress() {
        let said = "SET: rps=0.0 (overall: 0.0)\rSET: 40000.00 requests per second, p50=0.3 msec\n\
                    \nGET: 60000.00 requests per second, p50=0.3 msec\n";
        assert!((rate(said).unwrap() - 48_000.0).abs() < 1.0);
        assert!(rate("nothing").is_err());
    }
}
