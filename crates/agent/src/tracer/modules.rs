//! The ELF files that a process has mapped.

use super::Tracer;
use super::replay::is_runtime;
use crate::failure;
use crate::image::{Image, images};
use std::os::unix::fs::MetadataExt;
use wayfarer_backend::{Answer, Module, ModulesReply, ProcessId};
use wayfarer_ptrace::Tid;
use wayfarer_ptrace::process_files::{self, Mapping};

const AT_BASE: u64 = 7;
const AT_PHDR: u64 = 3;
const DELETED: &str = " (deleted)";

impl Tracer {
    pub(super) fn modules_of(&self, id: ProcessId) -> Answer<ModulesReply> {
        let found = self
            .processes
            .get(&id)
            .and_then(|process| Some((process.pid, self.spaces.get(&process.space)?)));
        let Some((pid, space)) = found else {
            return Err(failure::no_process(id));
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
                Module {
                    open_path: open_path(pid, &image, executable, &mappings),
                    deleted: image.path.ends_with(DELETED),
                    path: image.path.trim_end_matches(DELETED).to_string(),
                    build_id: (!image.build_id.is_empty()).then(|| image.build_id.clone()),
                    bias: image.bias,
                    low: image.low,
                    high: image.high,
                    executable,
                    interpreter: value(AT_BASE).is_some_and(|base| base != 0 && holds(base)),
                    link_map: link.map(|link| link.address),
                    runtime: is_runtime(&image.path),
                }
            })
            .collect();
        Ok(modules)
    }
}

/// A path that opens the very file that is mapped.
fn open_path(pid: Tid, image: &Image, executable: bool, mappings: &[Mapping]) -> Option<String> {
    if !image.path.starts_with('/') {
        return None;
    }
    let inode = mappings
        .iter()
        .find(|mapping| mapping.low == image.first_mapping.0)
        .map_or(0, |mapping| mapping.file.1);
    let same = |path: &str| std::fs::metadata(path).is_ok_and(|file| file.ino() == inode);
    let inside = format!("/proc/{pid}/root{}", image.path);
    Some(if same(&image.path) {
        image.path.clone()
    } else if same(&inside) {
        inside
    } else if executable {
        format!("/proc/{pid}/exe")
    } else {
        let (low, high) = image.first_mapping;
        format!("/proc/{pid}/map_files/{low:x}-{high:x}")
    })
}
