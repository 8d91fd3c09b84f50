//! Finds the program of a command and checks that it can be followed, before anything is started.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access, getegid, geteuid};
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{LittleEndian, ReadCache};
use wayfarer_sites::locate::script_interpreter;

const SETUID: u32 = 0o4000;
const SETGID: u32 = 0o2000;
/// Where programs are looked for when `PATH` is not set, as execvp does it.
const DEFAULT_PATH: &str = "/bin:/usr/bin";
const SHELL: &str = "/bin/sh";
/// The kernel gives up on longer chains of `#!`.
const MOST_SCRIPTS: usize = 5;

/// Why a command cannot be recorded.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error("{}: no such program; check the name, or give a path with a slash in it", name.display())]
    NotFound { name: PathBuf },
    #[error("{}: not executable; chmod +x it, or name the program that should run it", path.display())]
    NotExecutable { path: PathBuf },
    #[error("{}: its first line asks for {}, which is not there", path.display(), interpreter.display())]
    NoInterpreter { path: PathBuf, interpreter: PathBuf },
    #[error("{}: statically linked, so the runtime cannot be loaded into it; link it dynamically, or record a program that starts it (it then counts as outside the recorded set)", path.display())]
    Static { path: PathBuf },
    #[error("{}: setuid, setgid or with file capabilities, so the loader refuses the runtime; run a copy without those bits, or record as the user that it changes to", path.display())]
    Privileged { path: PathBuf },
    #[error("{}: a 32-bit program; only x86-64 programs can be recorded", path.display())]
    Narrow { path: PathBuf },
    #[error("{}: made for another processor; only x86-64 programs can be recorded", path.display())]
    Foreign { path: PathBuf },
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
}

impl ProgramError {
    /// The exit status that a shell would give, and 2 where a shell would have run the program.
    pub fn exit_code(&self) -> i32 {
        match self {
            Self::NotFound { .. } => 127,
            Self::NotExecutable { .. } | Self::NoInterpreter { .. } => 126,
            _ => 2,
        }
    }
}

/// What to give to execve.
#[derive(Debug, PartialEq, Eq)]
pub struct Program {
    pub path: PathBuf,
    /// With the name of the program in front.
    pub arguments: Vec<OsString>,
}

impl Program {
    /// Looks `command` up as a shell would and checks it.
    pub fn find(
        command: &OsStr,
        arguments: &[OsString],
        search_path: Option<&OsStr>,
    ) -> Result<Self, ProgramError> {
        let path = look_up(command, search_path)?;
        let mut all = vec![command.to_owned()];
        all.extend_from_slice(arguments);
        match check_chain(&path)? {
            Kind::Program => Ok(Self {
                path,
                arguments: all,
            }),
            // As execvp does it: a script without `#!` is the shell's.
            Kind::Text => {
                all.splice(..1, [OsString::from("sh"), path.into_os_string()]);
                Ok(Self {
                    path: PathBuf::from(SHELL),
                    arguments: all,
                })
            }
        }
    }
}

fn look_up(command: &OsStr, search_path: Option<&OsStr>) -> Result<PathBuf, ProgramError> {
    let not_found = || ProgramError::NotFound {
        name: command.into(),
    };
    if command.is_empty() {
        return Err(not_found());
    }
    if command.as_bytes().contains(&b'/') {
        let path = PathBuf::from(command);
        let metadata = fs::metadata(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => not_found(),
            _ => ProgramError::NotExecutable { path: path.clone() },
        })?;
        return if is_executable(&path, &metadata) {
            Ok(path)
        } else {
            Err(ProgramError::NotExecutable { path })
        };
    }
    let search_path = search_path.unwrap_or(OsStr::new(DEFAULT_PATH));
    let mut refused = None;
    for directory in search_path.as_bytes().split(|&byte| byte == b':') {
        let directory = if directory.is_empty() {
            Path::new(".")
        } else {
            Path::new(OsStr::from_bytes(directory))
        };
        let path = directory.join(command);
        match fs::metadata(&path) {
            Ok(metadata) if is_executable(&path, &metadata) => return Ok(path),
            Ok(metadata) if metadata.is_file() => refused = Some(path),
            _ => {}
        }
    }
    Err(refused.map_or_else(not_found, |path| ProgramError::NotExecutable { path }))
}

fn is_executable(path: &Path, metadata: &Metadata) -> bool {
    metadata.is_file()
        && metadata.permissions().mode() & 0o111 != 0
        && access(path, AccessFlags::X_OK).is_ok()
}

enum Kind {
    Program,
    Text,
}

/// Follows `#!` lines to the program that will really run.
fn check_chain(path: &Path) -> Result<Kind, ProgramError> {
    let mut current = path.to_path_buf();
    for _ in 0..MOST_SCRIPTS {
        let Some(interpreter) = script_interpreter(&current) else {
            break;
        };
        if !fs::metadata(&interpreter).is_ok_and(|metadata| is_executable(&interpreter, &metadata))
        {
            return Err(ProgramError::NoInterpreter {
                path: current,
                interpreter,
            });
        }
        current = interpreter;
    }
    check_program(&current)
}

fn check_program(path: &Path) -> Result<Kind, ProgramError> {
    let unreadable = |source| ProgramError::Unreadable {
        path: path.into(),
        source,
    };
    let file = match File::open(path) {
        Ok(file) => file,
        // A program may be executable and yet not readable: the loader will read it for us.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            return Ok(Kind::Program);
        }
        Err(error) => return Err(unreadable(error)),
    };
    let metadata = file.metadata().map_err(unreadable)?;
    let cache = ReadCache::new(file);
    let Ok(header) = elf::FileHeader64::<LittleEndian>::parse(&cache) else {
        // Not ELF-64: another ELF, or text for the shell.
        let mut start = [0; 5];
        let length = std::io::Read::read(&mut File::open(path).map_err(unreadable)?, &mut start)
            .map_err(unreadable)?;
        return match &start[..length] {
            [0x7f, b'E', b'L', b'F', 1] => Err(ProgramError::Narrow { path: path.into() }),
            [0x7f, b'E', b'L', b'F', _] => Err(ProgramError::Foreign { path: path.into() }),
            _ => Ok(Kind::Text),
        };
    };
    if header.e_machine(LittleEndian) != elf::EM_X86_64 {
        return Err(ProgramError::Foreign { path: path.into() });
    }
    let interpreted = header
        .program_headers(LittleEndian, &cache)
        .is_ok_and(|segments| {
            segments
                .iter()
                .any(|segment| segment.p_type(LittleEndian) == elf::PT_INTERP)
        });
    if !interpreted {
        return Err(ProgramError::Static { path: path.into() });
    }
    if gains_privileges(path, &metadata) {
        return Err(ProgramError::Privileged { path: path.into() });
    }
    Ok(Kind::Program)
}

/// Whether the kernel would start it in secure mode, in which the loader ignores our preload.
fn gains_privileges(path: &Path, metadata: &Metadata) -> bool {
    let mode = metadata.mode();
    let other_user = mode & SETUID != 0 && metadata.uid() != geteuid().as_raw();
    let other_group =
        mode & SETGID != 0 && mode & 0o010 != 0 && metadata.gid() != getegid().as_raw();
    other_user || other_group || (!geteuid().is_root() && has_capabilities(path))
}

fn has_capabilities(path: &Path) -> bool {
    let Ok(path) = std::ffi::CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: both strings end in zero; with size 0 nothing is written.
    unsafe {
        libc::getxattr(
            path.as_ptr(),
            c"security.capability".as_ptr(),
            std::ptr::null_mut(),
            0,
        ) > 0
    }
}
