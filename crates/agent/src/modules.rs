//! Are the files that the recorded programs were made of still the same?

use std::path::{Path, PathBuf};

use wayfarer_replay::Module;
use wayfarer_runtime_abi::PRELOAD_PATH;

/// A file without which the replay would not be one.
#[derive(Debug, thiserror::Error)]
#[error("changed or missing binary: {}: recorded build id {recorded}, now {now}; replay needs the same file: put it back, or record again", path.display())]
pub struct ChangedModule {
    pub path: PathBuf,
    pub recorded: String,
    pub now: String,
}

/// Checks the recorded modules against the files of this machine.
pub fn verify(modules: &[Module]) -> Result<(), ChangedModule> {
    modules
        .iter()
        .filter(|module| is_file(module))
        .try_for_each(verify_one)
}

/// The vDSO has no file, and the runtime library is our own.
fn is_file(module: &Module) -> bool {
    module.path.0.starts_with(b"/")
        && module.path.0 != PRELOAD_PATH.as_bytes()
        && !is_runtime(&module.path.0)
}

fn is_runtime(path: &[u8]) -> bool {
    String::from_utf8_lossy(path).contains("/libwayfarer_runtime")
}

fn verify_one(module: &Module) -> Result<(), ChangedModule> {
    let path = Path::new(module.path.as_os_str());
    let changed = |now: String| ChangedModule {
        path: path.into(),
        recorded: hexadecimal(&module.build_id),
        now,
    };
    match wayfarer_sites::build_id_of(path) {
        Ok(now) if now.as_deref().unwrap_or_default() == module.build_id => Ok(()),
        Ok(now) => Err(changed(hexadecimal(now.as_deref().unwrap_or_default()))),
        Err(wayfarer_sites::SitesError::Unreadable { source, .. }) => {
            Err(changed(format!("unreadable ({source})")))
        }
        Err(_) => Err(changed("no x86-64 program".to_owned())),
    }
}

fn hexadecimal(build_id: &[u8]) -> String {
    if build_id.is_empty() {
        return "none".to_owned();
    }
    build_id.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wayfarer_trace::Text;

    fn module(path: &str, build_id: &[u8]) -> Module {
        Module {
            path: Text::from(path),
            base: 0,
            build_id: build_id.to_vec(),
        }
    }

    #[test]
    fn the_same_file_passes_and_another_does_not() {
        let path = wayfarer_sites::locate::system_modules(None).remove(0);
        let path = path.to_str().unwrap();
        let build_id = wayfarer_sites::build_id_of(Path::new(path))
            .unwrap()
            .unwrap();
        assert!(verify(&[module(path, &build_id)]).is_ok());
        let error = verify(&[module(path, &[1, 2])]).unwrap_err().to_string();
        assert!(
            error.contains("recorded build id 0102, now ") && error.contains(path),
            "{error}"
        );
        let error = verify(&[module("/no/such/library.so", &build_id)])
            .unwrap_err()
            .to_string();
        assert!(error.contains("unreadable"), "{error}");
    }

    #[test]
    fn what_has_no_file_is_not_looked_for() {
        assert!(
            verify(&[
                module("linux-vdso.so.1", &[]),
                module(PRELOAD_PATH, &[3]),
                module("", &[])
            ])
            .is_ok()
        );
    }
}
