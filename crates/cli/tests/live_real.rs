//! Programs of the real world under the debugger: attach, halt, merged stacks, a breakpoint everywhere, detach, and
//! everything goes on as before.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::{Program, Said, finish, wayfarer};

const PATIENCE: Duration = Duration::from_secs(60);

/// A program in a process group of its own, which ends with the test.
struct Server(Child);

impl Server {
    fn start(command: &mut Command) -> Self {
        let child = command
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    /// It and its children.
    fn processes(&self) -> Vec<u32> {
        let mut all = vec![self.pid()];
        all.extend(children(self.pid()));
        all
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.0.wait();
    }
}

fn children(parent: u32) -> Vec<u32> {
    let path = format!("/proc/{parent}/task/{parent}/children");
    std::fs::read_to_string(path)
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|pid| pid.parse().ok())
        .collect()
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Attaches to processes and runs commands in batch mode; meanwhile `meanwhile` runs as soon as the command
/// `shell touch READY` has.
fn attached(
    home: &Path,
    processes: &[u32],
    commands: &[&str],
    meanwhile: impl FnOnce() + Send + 'static,
) -> Said {
    let ready = home.join("ready");
    let _ = std::fs::remove_file(&ready);
    let mut command = wayfarer(home);
    command.args(["attach", "--batch"]);
    for line in commands {
        let line = line.replace("READY", &ready.display().to_string());
        command.arg("-e").arg(line);
    }
    command.args(processes.iter().map(u32::to_string));
    let helper = std::thread::spawn(move || {
        wait_until("the debugger is ready", || ready.exists());
        meanwhile();
    });
    let said = finish(command);
    assert!(
        helper.join().is_ok(),
        "no answer; the debugger said:\n{}\n{}",
        said.out,
        said.err
    );
    said
}

/// One question over TCP with the whole answer.
fn ask(port: u16, question: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(question.as_bytes())?;
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

const REQUEST: &str = "GET / HTTP/1.0\r\nHost: here\r\n\r\n";

/// nginx with a master and four workers, when it answers.
fn nginx(home: &Path, port: u16) -> Server {
    let configuration = home.join("nginx.conf");
    let text = format!(
        "daemon off; master_process on; worker_processes 4; pid {home}/nginx.pid; error_log {home}/error.log;
         events {{ worker_connections 64; }}
         http {{
             access_log off; client_body_temp_path {home}/body; proxy_temp_path {home}/proxy;
             fastcgi_temp_path {home}/fastcgi; uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
             server {{ listen 127.0.0.1:{port}; location / {{ return 200 'a good day'; }} }}
         }}",
        home = home.display()
    );
    std::fs::write(&configuration, text).expect("a configuration");
    let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("nginx");
    command.env("PATH", path).arg("-p").arg(home);
    command.arg("-c").arg(configuration).stdin(Stdio::null());
    let server = Server::start(&mut command);
    wait_until("nginx answers", || ask(port, REQUEST).is_ok());
    wait_until("four workers", || server.processes().len() == 5);
    server
}

#[test]
fn nginx_with_its_workers() {
    let home = tempfile::tempdir().expect("a directory");
    let port = free_port();
    let server = nginx(home.path(), port);
    let before = server.processes();
    let said = attached(
        home.path(),
        &before,
        &[
            "info procs",
            "bt -tree",
            "break ngx_http_process_request",
            "shell touch READY",
            "continue",
            "bt 3",
            "info breakpoints",
            "delete",
            "halt",
            "detach all",
        ],
        move || {
            let answer = ask(port, REQUEST).expect("an answer in spite of the debugger");
            assert!(answer.ends_with("a good day"), "{answer}");
        },
    );
    said.has(&[
        "nginx.5",
        "5 threads in 5 processes",
        "ngx_master_process_cycle",
        "epoll_wait",
        "(5 processes)",
        "hit Breakpoint 1, ",
        "ngx_http_process_request",
        "breakpoint already hit 1 time",
        "detached]",
    ])
    .ends_with(0);
    assert_eq!(server.processes(), before, "the same processes");
    for _ in 0..8 {
        let answer = ask(port, REQUEST).expect("an answer");
        assert!(answer.ends_with("a good day"), "{answer}");
    }
}

#[test]
fn redis_with_the_child_that_saves() {
    let home = tempfile::tempdir().expect("a directory");
    let port = free_port();
    let mut command = Command::new("redis-server");
    command
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
        .args(["--save", "", "--dir"])
        .arg(home.path())
        .stdin(Stdio::null());
    let server = Server::start(&mut command);
    let redis = move |words: &str| ask(port, &format!("{words}\r\nQUIT\r\n"));
    wait_until("redis answers", || {
        redis("SET colour green").is_ok_and(|answer| answer.starts_with("+OK"))
    });
    let said = attached(
        home.path(),
        &[server.pid()],
        &[
            "info threads",
            "bt -tree",
            "break rdbSave",
            "shell touch READY",
            "continue",
            "info procs",
            "bt -tree",
            "delete",
            "detach all",
        ],
        move || {
            let answer = redis("BGSAVE").expect("an answer");
            assert!(answer.contains("Background saving started"), "{answer}");
        },
    );
    said.has(&[
        "redis-server",
        "epoll_wait",
        "bioProcessBackgroundJobs",
        // In the child, which was followed from its birth.
        "(2.1) hit Breakpoint 1, ",
        "in rdbSave ()",
        "  Num  Name",
        "6 threads in 2 processes",
        "rdbSaveBackground",
        "[Inferior 1 ",
        "detached]",
        "[Inferior 2 ",
        "detached]",
    ])
    .ends_with(0);
    wait_until("the child has saved", || {
        home.path().join("dump.rdb").exists() && server.processes().len() == 1
    });
    let answer = redis("GET colour").expect("an answer");
    assert!(answer.contains("green"), "{answer}");
    let answer = redis("INFO persistence").expect("an answer");
    assert!(answer.contains("rdb_last_bgsave_status:ok"), "{answer}");
}

/// The example of the crate that has tokio, built where this test's own program was.
fn tokio_echo() -> PathBuf {
    let ours = Path::new(env!("CARGO_BIN_EXE_wayfarer"));
    let program = ours.with_file_name("examples").join("tokio_echo");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let words = ["build", "--quiet", "-p", "wayfarer-agent", "--example"];
    let status = Command::new(cargo)
        .args(words)
        .arg("tokio_echo")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null())
        .status()
        .expect("cargo");
    assert!(status.success(), "the example does not build");
    assert!(program.exists(), "{} is not there", program.display());
    program
}

#[test]
fn a_server_on_tokio_threads() {
    let home = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(tokio_echo());
    command.stdin(Stdio::piped());
    let mut server = Server::start(&mut command);
    let mut first = String::new();
    let output = server.0.stdout.take().expect("piped");
    BufReader::new(output).read_line(&mut first).expect("up");
    let port: u16 = first.trim().parse().expect("a port");
    assert_eq!(ask(port, "a b\n").expect("an answer"), "hello 1 a+b\n");
    let said = attached(
        home.path(),
        &[server.pid()],
        &[
            "info threads",
            "bt -tree",
            "break tokio_echo::answer",
            "shell touch READY",
            "continue",
            "bt",
            "next",
            "next",
            "info locals",
            "print question",
            "print shared.greeting",
            "delete",
            "detach all",
        ],
        move || {
            let answer = ask(port, "c d e\n").expect("an answer");
            assert_eq!(answer, "hello 2 c+d+e\n");
        },
    );
    said.has(&[
        "tokio-r",
        "epoll_wait",
        "hit Breakpoint 1, tokio_echo::answer (",
        "tokio_echo::converse::{async_fn#0}",
        "tokio::runtime::",
        "words = [\"c\", \"d\", \"e\"]",
        "number = 2",
        "$1 = \"c d e\"",
        "$2 = \"hello\"",
        "detached]",
    ])
    .ends_with(0);
    assert_eq!(ask(port, "f\n").expect("an answer"), "hello 3 f\n");
}

/// What every thread has counted to.
fn counts(file: &Path) -> Vec<u32> {
    let bytes = std::fs::read(file).unwrap_or_default();
    bytes
        .chunks_exact(4)
        .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect()
}

#[test]
fn sixty_four_processes_with_four_threads_each() {
    let program = Program::build("many");
    let home = program.directory();
    let file = home.join("counts");
    let mut command = Command::new(&program.path);
    command.arg(&file).args(["64", "4"]).stdin(Stdio::null());
    let server = Server::start(&mut command);
    let everybody_runs = |what: &str| {
        let before = counts(&file);
        wait_until(what, || {
            let now = counts(&file);
            now.len() == 256 && before.len() == 256 && now.iter().zip(&before).all(|(n, b)| n > b)
        });
    };
    wait_until("all are up", || {
        counts(&file).len() == 256 && counts(&file).iter().all(|count| *count > 0)
    });
    let all = server.processes();
    assert_eq!(all.len(), 64);
    let said = attached(
        home,
        &all,
        &[
            "info procs",
            "bt -tree",
            "break beat",
            "continue",
            "print slot",
            "continue",
            "info breakpoints",
            "delete",
            "shell touch READY",
            "continue &",
            "halt",
            "info threads",
            "detach all",
        ],
        || {},
    );
    said.has(&[
        "many.63",
        "256 threads in 64 processes",
        "live",
        "(64 processes)",
        "hit Breakpoint 1, beat (slot=",
        "hit Breakpoint 1, beat (slot=",
        "breakpoint already hit",
        "64.4",
        "detached]",
    ])
    .ends_with(0);
    assert_eq!(server.processes(), all, "the same processes");
    everybody_runs("all threads count on after the debugger has gone");
}
