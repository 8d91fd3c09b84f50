//! Builds a small program and talks to it through `wayfarer run` or `wayfarer attach`.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a session may take before it counts as hung.
const PATIENCE: Duration = Duration::from_secs(60);

/// A directory with one built program in it.
pub struct Program {
    directory: tempfile::TempDir,
    pub path: PathBuf,
}

impl Program {
    /// Builds `tests/programs/NAME.c` with debug information and without optimisation.
    pub fn build(name: &str) -> Self {
        Self::with("cc", &["-g", "-O0", "-pthread"], &format!("{name}.c"))
    }

    /// The same of `NAME.cpp`.
    pub fn build_cpp(name: &str) -> Self {
        Self::with("c++", &["-g", "-O0"], &format!("{name}.cpp"))
    }

    /// The same of `NAME.rs`.
    pub fn build_rust(name: &str) -> Self {
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let options = ["-g", "--edition", "2024", "-A", "warnings"];
        Self::with(&rustc, &options, &format!("{name}.rs"))
    }

    /// Builds a source with a compiler and its options.
    pub fn with(compiler: &str, options: &[&str], source: &str) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let path = directory.path().join(source).with_extension("");
        let status = Command::new(compiler)
            .args(options)
            .arg("-o")
            .arg(&path)
            .arg(source)
            .current_dir(sources)
            .status()
            .expect("a compiler");
        assert!(status.success(), "{source} does not build");
        Self { directory, path }
    }

    /// Builds a C program of somewhere else, with threads.
    pub fn of(source: &Path) -> Self {
        let name = source.file_name().and_then(|name| name.to_str());
        let own = Path::new(name.expect("a name")).with_extension("");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join(own);
        let status = Command::new("cc")
            .args(["-g", "-O0", "-pthread", "-o"])
            .arg(&path)
            .arg(source)
            .status()
            .expect("a compiler");
        assert!(status.success(), "{} does not build", source.display());
        Self { directory, path }
    }

    /// Runs commands in batch mode.
    pub fn batch(&self, commands: &[&str]) -> Said {
        self.session(&["--batch"], commands)
    }

    /// Runs commands with further options.
    pub fn session(&self, options: &[&str], commands: &[&str]) -> Said {
        let mut command = wayfarer(self.directory.path());
        command.arg("run").args(options);
        for line in commands {
            command.arg("-e").arg(line);
        }
        command.arg("--").arg(&self.path);
        finish(command)
    }

    /// Runs commands on a process that runs already.
    pub fn attach(&self, pid: u32, commands: &[&str]) -> Said {
        let mut command = wayfarer(self.directory.path());
        command.args(["attach", "--batch"]);
        for line in commands {
            command.arg("-e").arg(line);
        }
        command.arg(pid.to_string());
        finish(command)
    }

    /// Lets commands come from standard input.
    pub fn piped(&self, input: &str) -> Said {
        let mut command = wayfarer(self.directory.path());
        command.arg("run").arg("--").arg(&self.path);
        let script = self.directory.path().join("input");
        std::fs::write(&script, input).expect("the script");
        command.stdin(std::fs::File::open(&script).expect("the script"));
        finish(command)
    }

    /// The directory of the program, for files of the test.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }
}

/// A recorded run of a program.
pub struct Trace<'a> {
    program: &'a Program,
    pub directory: PathBuf,
}

impl<'a> Trace<'a> {
    /// Records the program with these arguments, without input.
    pub fn of(program: &'a Program, arguments: &[&str]) -> Self {
        let trace = Self::at(program, &program.directory().join("trace"));
        let mut command = trace.recorder();
        finish({
            command.args(arguments);
            command
        });
        assert!(trace.directory.is_dir(), "nothing was recorded");
        trace
    }

    /// What is there already, if anything.
    pub fn at(program: &'a Program, directory: &Path) -> Self {
        Self {
            program,
            directory: directory.to_owned(),
        }
    }

    /// The beginning of a recording: everybody is killed while the program, which says `up`, waits for its input.
    pub fn cut(program: &'a Program) -> Self {
        use std::io::Read;
        use std::os::unix::process::CommandExt;
        let trace = Self::at(program, &program.directory().join("trace"));
        let mut recorder = trace
            .recorder()
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the recorder starts");
        let mut up = [0; 3];
        let output = recorder.stdout.as_mut().expect("piped");
        output.read_exact(&mut up).expect("the program comes up");
        let group = format!("-{}", recorder.id());
        let killed = Command::new("kill").args(["-9", "--", &group]).status();
        assert!(killed.expect("kill").success());
        recorder.wait().expect("the recorder ends");
        trace
    }

    fn recorder(&self) -> Command {
        let mut command = wayfarer(self.program.directory());
        command.arg("record").arg("-o").arg(&self.directory);
        command.arg("--").arg(&self.program.path);
        command
    }

    /// `wayfarer replay` with options.
    pub fn command(&self, options: &[&str]) -> Command {
        let mut command = wayfarer(self.program.directory());
        command.arg("replay").arg(&self.directory).args(options);
        command
    }

    /// Runs a replay with options to its end.
    pub fn session(&self, options: &[&str]) -> Said {
        finish(self.command(options))
    }

    /// Runs commands in batch mode.
    pub fn batch(&self, commands: &[&str]) -> Said {
        let mut command = self.command(&["--batch"]);
        for line in commands {
            command.arg("-e").arg(line);
        }
        finish(command)
    }

    /// Lets commands come from standard input.
    pub fn piped(&self, input: &str) -> Said {
        let script = self.program.directory().join("input");
        std::fs::write(&script, input).expect("the script");
        let mut command = self.command(&[]);
        command.stdin(std::fs::File::open(&script).expect("the script"));
        finish(command)
    }
}

/// The command under test, with a home of its own.
pub fn wayfarer(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wayfarer"));
    command
        .env("HOME", home)
        .env_remove("XDG_STATE_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    command
}

/// What a session said, with addresses and process numbers taken out.
pub struct Said {
    pub out: String,
    pub err: String,
    pub status: Option<i32>,
}

impl Said {
    /// All lines stand in the output, in this order.
    #[track_caller]
    pub fn has(&self, lines: &[&str]) -> &Self {
        let mut rest = self.out.as_str();
        for line in lines {
            match rest.find(line) {
                Some(at) => rest = &rest[at + line.len()..],
                None => panic!(
                    "{line:?} is missing in:\n{}\nstandard error:\n{}",
                    self.out, self.err
                ),
            }
        }
        self
    }

    #[track_caller]
    pub fn complains(&self, text: &str) -> &Self {
        assert!(
            self.err.contains(text),
            "{text:?} is missing in:\n{}\n{}",
            self.err,
            self.out
        );
        self
    }

    #[track_caller]
    pub fn ends_with(&self, status: i32) -> &Self {
        assert_eq!(
            self.status,
            Some(status),
            "out:\n{}\nerr:\n{}",
            self.out,
            self.err
        );
        self
    }

    /// The lines of JSON.
    pub fn objects(&self) -> Vec<serde_json::Value> {
        self.out
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .filter(serde_json::Value::is_object)
            .collect()
    }
}

/// Runs a command to its end; one that hangs is ended and fails the test.
pub fn finish(mut command: Command) -> Said {
    let shown = format!("{command:?}");
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("wayfarer starts");
    let out = reader(child.stdout.take().expect("piped"));
    let err = reader(child.stderr.take().expect("piped"));
    let status = wait(&mut child, &shown);
    let text = |thread: std::thread::JoinHandle<Vec<u8>>| {
        let bytes = thread.join().expect("the reader ends");
        plain(&String::from_utf8_lossy(&bytes))
    };
    Said {
        out: text(out),
        err: text(err),
        status,
    }
}

fn reader(mut from: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        bytes
    })
}

fn wait(child: &mut Child, shown: &str) -> Option<i32> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("waiting works") {
            return status.code();
        }
        if begin.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("hung: {shown}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Replaces what differs from run to run: `0x…` and `process N`, `LWP N`.
fn plain(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let number = |prefix: &'static str, digit: fn(&char) -> bool| {
            let digits = rest.strip_prefix(prefix)?;
            let count = digits.chars().take_while(digit).count();
            (count > 0).then_some((prefix.len() + count, prefix))
        };
        let hexadecimal = number("0x", |c| c.is_ascii_hexdigit()).filter(|(length, _)| *length > 8);
        let found = hexadecimal
            .or_else(|| number("process ", char::is_ascii_digit))
            .or_else(|| number("LWP ", char::is_ascii_digit));
        match found {
            Some((length, prefix)) => {
                result.push_str(prefix);
                result.push('N');
                rest = &rest[length..];
            }
            None => {
                result.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    result
}
