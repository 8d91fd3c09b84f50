//! `wayfarer doctor`: what this machine offers, and what each lack means.

use std::path::Path;

use serde_json::json;
use wayfarer_recorder::{launch, probe};
use wayfarer_runtime_abi::sites::VDSO_CLOCK_GETTIME;
use wayfarer_sites::{ModuleSites, cache, locate, vdso};

use crate::options::DoctorOptions;
use crate::say;

/// One thing that was looked at.
struct Finding {
    /// Stable key for `--json`.
    key: &'static str,
    title: &'static str,
    good: bool,
    /// Without it, recording or replay do not work as they should.
    needed: bool,
    what: String,
    /// What its lack means; shown only when it lacks.
    means: &'static str,
}

pub fn run(options: &DoctorOptions) -> i32 {
    let findings = [
        kernel(),
        proc_files(),
        dispatch(),
        libc(),
        vdso_entries(),
        addresses(),
        descriptors(),
        tracing(),
        cache_directory(),
    ];
    if options.json {
        let all_good = findings
            .iter()
            .all(|finding| finding.good || !finding.needed);
        let list: Vec<_> = findings
            .iter()
            .map(|finding| {
                json!({"key": finding.key, "good": finding.good, "needed": finding.needed, "what": finding.what,
                       "means": (!finding.good).then_some(finding.means)})
            })
            .collect();
        say::fact(&json!({"good": all_good, "findings": list}).to_string());
    } else {
        for finding in &findings {
            say::fact(&text(finding));
        }
    }
    i32::from(
        findings
            .iter()
            .any(|finding| !finding.good && finding.needed),
    )
}

fn text(finding: &Finding) -> String {
    let mark = match (finding.good, finding.needed) {
        (true, _) => "good",
        (false, true) => "MISSING",
        (false, false) => "missing",
    };
    let means = if finding.good {
        String::new()
    } else {
        format!("\n        {:<26} {}", "", finding.means)
    };
    format!("{mark:<7} {:<26} {}{means}", finding.title, finding.what)
}

fn probed(result: std::io::Result<()>) -> (bool, String) {
    match result {
        Ok(()) => (true, "yes".to_owned()),
        Err(error) => (false, format!("no: {error}")),
    }
}

fn kernel() -> Finding {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release
        .split(|character: char| !character.is_ascii_digit())
        .map(|text| text.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    Finding {
        key: "kernel",
        title: "kernel",
        good: version >= (5, 11),
        needed: true,
        what: format!("Linux {}", release.trim()),
        means: "older than 5.11: it has no Syscall User Dispatch, and Wayfarer was never tried there",
    }
}

fn proc_files() -> Finding {
    let good = Path::new("/proc/self/maps").exists() && Path::new("/proc/self/fd").exists();
    Finding {
        key: "proc",
        title: "/proc",
        good,
        needed: true,
        what: if good { "mounted" } else { "not mounted" }.to_owned(),
        means: "the runtime is loaded through /proc/self/fd: nothing can be recorded; mount /proc",
    }
}

fn dispatch() -> Finding {
    let (good, what) = probed(probe::dispatch());
    Finding {
        key: "dispatch",
        title: "Syscall User Dispatch",
        good,
        needed: true,
        what,
        means: "calls outside libc are not seen: programs that make their own (Go, JITs, some allocators) may diverge in replay",
    }
}

fn libc() -> Finding {
    let modules = locate::system_modules(None);
    let found: Vec<(String, ModuleSites)> = modules
        .iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some((name, wayfarer_sites::sites_of_file(path).ok()?))
        })
        .collect();
    let good = found
        .iter()
        .any(|(name, module)| name.starts_with("libc") && !module.sites.is_empty());
    let texts: Vec<String> = found
        .iter()
        .map(|(name, module)| format!("{name} {} of {} sites", module.sites.len(), module.found))
        .collect();
    Finding {
        key: "libc",
        title: "patchable libc",
        good,
        needed: false,
        what: if texts.is_empty() {
            "none found".to_owned()
        } else {
            texts.join(", ")
        },
        means: "every call goes through dispatch: correct, but 15 times slower per call",
    }
}

fn vdso_entries() -> Finding {
    let module = vdso::sites_of_this_process();
    let clock = module.as_ref().is_some_and(|module| {
        module
            .sites
            .iter()
            .any(|site| site.number == VDSO_CLOCK_GETTIME)
    });
    Finding {
        key: "vdso",
        title: "patchable vDSO",
        good: clock,
        needed: false,
        what: match &module {
            Some(module) => format!(
                "{} of {} functions movable, the others replaced",
                module.sites.len(),
                module.found
            ),
            None => "there is none".to_owned(),
        },
        means: "every clock read of a recorded program costs a system call",
    }
}

fn addresses() -> Finding {
    let (good, what) = probed(probe::fixed_addresses());
    Finding {
        key: "addresses",
        title: "fixed addresses",
        good,
        needed: true,
        what,
        means: "address randomisation cannot be switched off (a container's seccomp profile?): replay would differ; allow personality(2)",
    }
}

fn descriptors() -> Finding {
    let (good, what) = match launch::needed_descriptor_limit() {
        Ok(None) => (true, "enough".to_owned()),
        Ok(Some(limit)) => (
            true,
            format!("too low, will be raised to {limit} in recorded programs"),
        ),
        Err(error) => (false, error.to_string()),
    };
    Finding {
        key: "descriptors",
        title: "limit on descriptors",
        good,
        needed: true,
        what,
        means: "nothing can be recorded",
    }
}

fn tracing() -> Finding {
    let (good, mut what) = probed(probe::tracing());
    if let Ok(scope) = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope") {
        what = format!("{what} (yama scope {})", scope.trim());
    }
    Finding {
        key: "ptrace",
        title: "ptrace",
        good,
        needed: false,
        what,
        means: "recording and replay work; debugging live programs will not",
    }
}

fn cache_directory() -> Finding {
    let probe = cache::directory().map(|directory| (directory.join(".probe"), directory));
    let (good, what) = match probe {
        None => (false, "neither XDG_CACHE_HOME nor HOME is set".to_owned()),
        Some((file, directory)) => match cache::write_atomically(&file, b"") {
            Ok(()) => {
                let _ = std::fs::remove_file(file);
                (true, directory.display().to_string())
            }
            Err(error) => (false, format!("{}: {error}", directory.display())),
        },
    };
    Finding {
        key: "cache",
        title: "cache directory",
        good,
        needed: false,
        what,
        means: "each start analyses libc anew (some 20 ms) and keeps the runtime in memory",
    }
}
