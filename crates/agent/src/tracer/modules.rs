//! The ELF files that a process has mapped.

use super::Tracer;
use super::process::ProcessId;
use crate::failure;
use crate::image::{Image, images};
use std::os::unix::fs::MetadataExt;
use wayfarer_protocol as wire;
use wayfarer_ptrace::Tid;
use wayfarer_ptrace::process_files::{self, Mapping};

const AT_BASE: u64 = 7;
const AT_PHDR: u64 = 3;
const DELETED: &str = " (deleted)";

impl Tracer {
    pub(super) fn modules_of(&self, id: ProcessId) -> wire::ModulesReply {
        let found = self
            .processes
            .get(&id)
            .and_then(|process| Some((process.pid, self.spaces.get(&process.space)?)));
        let Some((pid, space)) = found else {
            return wire::ModulesReply {
                failure: Some(failure::no_process(id.0)),
                ..wire::ModulesReply::default()
            };
        };
        let mappings = process_files::maps(pid);
        let auxiliary = process_files::auxiliary(pid);
        let value = |key| {
            auxiliary
                .iter()
                .find_map(|(k, value)| (*k == key).then_some(*value))
        };
        let links = self.link_maps(id);
        let modules = images(&mappings, &space.memory)
            .into_iter()
            .map(|image| {
                let holds = |address: u64| image.low <= address && address < image.high;
                let link = links
                    .iter()
                    .find(|link| link.dynamic == image.dynamic && link.dynamic != 0);
                let executable = value(AT_PHDR).is_some_and(holds);
                wire::Module {
                    open_path: open_path(pid, &image, executable, &mappings),
                    deleted: image.path.ends_with(DELETED),
                    path: image.path.trim_end_matches(DELETED).to_string(),
                    build_id: image.build_id.clone(),
                    bias: image.bias,
                    low: image.low,
                    high: image.high,
                    executable,
                    interpreter: value(AT_BASE).is_some_and(|base| base != 0 && holds(base)),
                    link_map: link.map_or(0, |link| link.address),
                    tls_module: 0,
                }
            })
            .collect();
        wire::ModulesReply {
            modules,
            auxiliary: auxiliary
                .into_iter()
                .map(|(key, value)| wire::AuxiliaryEntry { key, value })
                .collect(),
            failure: None,
        }
    }

    pub(super) fn maps_of(&self, id: ProcessId) -> wire::MapsReply {
        let Some(process) = self.processes.get(&id) else {
            return wire::MapsReply {
                mappings: Vec::new(),
                failure: Some(failure::no_process(id.0)),
            };
        };
        let mappings = process_files::maps(process.pid)
            .into_iter()
            .map(|mapping| wire::Mapping {
                low: mapping.low,
                high: mapping.high,
                offset: mapping.offset,
                readable: mapping.readable,
                writable: mapping.writable,
                executable: mapping.executable,
                shared: mapping.shared,
                path: mapping.path,
            })
            .collect();
        wire::MapsReply {
            mappings,
            failure: None,
        }
    }
}

/// A path that opens the very file that is mapped.
fn open_path(pid: Tid, image: &Image, executable: bool, mappings: &[Mapping]) -> String {
    if !image.path.starts_with('/') {
        return String::new();
    }
    let inode = mappings
        .iter()
        .find(|mapping| mapping.low == image.first_mapping.0)
        .map_or(0, |mapping| mapping.file.1);
    let same = |path: &str| std::fs::metadata(path).is_ok_and(|file| file.ino() == inode);
    let inside = format!("/proc/{pid}/root{}", image.path);
    if same(&image.path) {
        image.path.clone()
    } else if same(&inside) {
        inside
    } else if executable {
        format!("/proc/{pid}/exe")
    } else {
        let (low, high) = image.first_mapping;
        format!("/proc/{pid}/map_files/{low:x}-{high:x}")
    }
}
