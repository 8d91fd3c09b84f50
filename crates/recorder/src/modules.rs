//! Are the files that the recorded programs were made of still the same?

use std::path::{Path, PathBuf};

use wayfarer_replay::Module;
use wayfarer_runtime_abi::PRELOAD_PATH;
use wayfarer_sites::vdso;

use crate::runtime_library;

/// The name that the loader gives to the vDSO.
const VDSO: &str = "linux-vdso.so.1";

/// Something without which the replay would not be one.
#[derive(Debug, thiserror::Error)]
pub enum ModuleError {
    #[error("changed or missing binary: {}: recorded build id {recorded}, now {now}; replay needs the same file: put it back, or record again", path.display())]
    Changed {
        path: PathBuf,
        recorded: String,
        now: String,
    },
    #[error(
        "the trace was recorded by another build of wayfarer (its runtime has build id {recorded}, this one {now}); replay it with that one"
    )]
    OtherRuntime { recorded: String, now: String },
    #[error(
        "the trace was recorded on another kernel (its vDSO has build id {recorded}, this one {now}); replay it there, or record again here"
    )]
    OtherKernel { recorded: String, now: String },
}

/// Checks the recorded modules against this machine.
pub fn verify(modules: &[Module]) -> Result<(), ModuleError> {
    modules.iter().try_for_each(verify_one)
}

fn verify_one(module: &Module) -> Result<(), ModuleError> {
    let recorded = hexadecimal(&module.build_id);
    let differs = |now: Option<Vec<u8>>| {
        let now = now.unwrap_or_default();
        (now != module.build_id).then(|| hexadecimal(&now))
    };
    if module.path.0 == PRELOAD_PATH.as_bytes() {
        let other = differs(wayfarer_sites::build_id_in(runtime_library::BYTES));
        return other.map_or(Ok(()), |now| {
            Err(ModuleError::OtherRuntime { recorded, now })
        });
    }
    if module.path.0 == VDSO.as_bytes() {
        let other = differs(vdso::build_id_of_this_process());
        return other.map_or(Ok(()), |now| {
            Err(ModuleError::OtherKernel { recorded, now })
        });
    }
    if !module.path.0.starts_with(b"/") {
        return Ok(());
    }
    let path = Path::new(module.path.as_os_str());
    let now = match wayfarer_sites::build_id_of(path) {
        Ok(now) => differs(now),
        Err(wayfarer_sites::SitesError::Unreadable { source, .. }) => {
            Some(format!("unreadable ({source})"))
        }
        Err(_) => Some("no x86-64 program".to_owned()),
    };
    now.map_or(Ok(()), |now| {
        Err(ModuleError::Changed {
            path: path.into(),
            recorded,
            now,
        })
    })
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
    fn another_runtime_and_another_kernel_are_told() {
        let error = verify(&[module(PRELOAD_PATH, &[3])]).unwrap_err();
        assert!(matches!(error, ModuleError::OtherRuntime { .. }));
        let error = verify(&[module(VDSO, &[3])]).unwrap_err();
        assert!(matches!(error, ModuleError::OtherKernel { .. }));
        assert!(verify(&[module("", &[3])]).is_ok());
    }
}
