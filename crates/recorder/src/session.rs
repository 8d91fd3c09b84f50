//! The session file: made here, mapped by every debuggee.
//!
//! Only the tables are mapped in this process; the arena behind them is read and written through the
//! file. The file is sparse and huge; a small part of it is allocated at once, so that a full disk is
//! noticed before the program starts.

use std::fs::{File, OpenOptions};
use std::io;
use std::num::NonZeroUsize;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use nix::fcntl::{FallocateFlags, fallocate};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap, munmap};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use wayfarer_runtime_abi::layout::{
    ARENA_OFFSET, CONNECTIONS_OFFSET, DELAYS_OFFSET, Delay, HEADER_OFFSET, Header, MAGIC,
    MAX_DELAYS, MAX_OBJECTS, MAX_PROCESSES, MAX_THREADS, MAX_TURN_ENDS, OBJECTS_OFFSET, Object,
    PROCESSES_OFFSET, ProcessSlot, SESSION_SIZE, SITES_OFFSET, SITES_SIZE, THREADS_OFFSET,
    TURN_ENDS_OFFSET, ThreadSlot, object_kind,
};
use wayfarer_runtime_abi::{ABI_VERSION, UNIT};

/// Allocated at once at the start of each table, and in units of the arena.
const FIRST_TABLE_BYTES: u64 = 64 * 1024;
const FIRST_UNITS: u64 = 2;
const TABLES: [u64; 5] = [
    HEADER_OFFSET,
    PROCESSES_OFFSET,
    THREADS_OFFSET,
    OBJECTS_OFFSET,
    CONNECTIONS_OFFSET,
];

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("cannot create {}: {source}; choose another place with -o", path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("no room for the session file {}: {source}; free some space or choose another place with -o", path.display())]
    NoRoom { path: PathBuf, source: io::Error },
    #[error("cannot map the session file {}: {source}", path.display())]
    Map { path: PathBuf, source: io::Error },
}

/// A session file and the mapping of its tables.
pub struct Session {
    file: File,
    tables: NonNull<libc::c_void>,
}

impl Session {
    /// A new session file at `path`, for a recording.
    pub fn create(path: &Path) -> Result<Self, SessionError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(|source| SessionError::Create {
                path: path.into(),
                source,
            })?;
        Self::prepare(file, path)
    }

    /// A session in memory, for a replay.
    pub fn in_memory() -> Result<Self, SessionError> {
        let path = Path::new("(in memory)");
        let descriptor =
            memfd_create(c"wayfarer-replay", MFdFlags::MFD_CLOEXEC).map_err(|error| {
                SessionError::Create {
                    path: path.into(),
                    source: error.into(),
                }
            })?;
        Self::prepare(File::from(descriptor), path)
    }

    /// A session in a file of the directory for temporary files that is already deleted.
    pub fn in_temporary_file() -> Result<Self, SessionError> {
        let path = std::env::temp_dir().join(format!("wayfarer-replay-{}", std::process::id()));
        let session = Self::create(&path)?;
        std::fs::remove_file(&path).map_err(|source| SessionError::Create { path, source })?;
        Ok(session)
    }

    fn prepare(file: File, path: &Path) -> Result<Self, SessionError> {
        let no_room = |source: io::Error| SessionError::NoRoom {
            path: path.into(),
            source,
        };
        let size = session_size();
        file.set_len(size).map_err(no_room)?;
        for table in TABLES {
            allocate(&file, table, FIRST_TABLE_BYTES).map_err(no_room)?;
        }
        allocate(&file, ARENA_OFFSET, FIRST_UNITS * UNIT).map_err(no_room)?;
        let tables = map_tables(&file).map_err(|source| SessionError::Map {
            path: path.into(),
            source,
        })?;
        let mut session = Self { file, tables };
        let header = session.header_mut();
        header.abi_version = ABI_VERSION;
        header.host_pid = std::process::id();
        header.arena_units = (size - ARENA_OFFSET) / UNIT;
        header.start_realtime_ns = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |elapsed| elapsed.as_nanos() as u64);
        // Number 0 is nobody in every table; object 1 is the session's own output.
        *header.next_process.get_mut() = 1;
        *header.next_thread.get_mut() = 1;
        *header.next_object.get_mut() = 2;
        header.magic.store(MAGIC, Ordering::Release);
        if let Some(output) = session.object_mut(1) {
            output.kind.set(object_kind::OUTPUT);
        }
        Ok(session)
    }

    pub fn file(&self) -> &File {
        &self.file
    }

    /// Writes the table of sites.
    pub fn write_sites(&self, table: &[u8]) -> io::Result<()> {
        if table.len() as u64 > SITES_SIZE {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        allocate(&self.file, SITES_OFFSET, table.len() as u64)?;
        self.file.write_all_at(table, SITES_OFFSET)
    }

    /// Sets the delays of a solid replay, at most [`MAX_DELAYS`], before the debuggee starts.
    pub fn set_delays(&mut self, delays: &[Delay]) {
        // SAFETY: the table is mapped as long as `self` lives; nobody else has mapped the file yet.
        let table = unsafe { self.at::<[Delay; MAX_DELAYS]>(DELAYS_OFFSET).as_mut() };
        let mut count = 0;
        for (place, delay) in table.iter_mut().zip(delays) {
            *place = *delay;
            count += 1;
        }
        self.header_mut().solid_delays = count;
    }

    /// Solid replay: the last points behind which a thread ran until it had to wait, in order.
    pub fn turn_ends(&self) -> Vec<Delay> {
        let all = self.header().solid_turn_ends.load(Ordering::Acquire);
        // SAFETY: the table is mapped as long as `self` lives; read in one piece, and all bit patterns are
        // valid: whatever a thread writes meanwhile is a hint for a search and no more.
        let table = unsafe {
            self.at::<[Delay; MAX_TURN_ENDS]>(TURN_ENDS_OFFSET)
                .read_volatile()
        };
        (all.saturating_sub(MAX_TURN_ENDS as u32)..all)
            .map(|number| table[number as usize % MAX_TURN_ENDS])
            .collect()
    }

    fn at<T>(&self, offset: u64) -> NonNull<T> {
        debug_assert!(offset + size_of::<T>() as u64 <= ARENA_OFFSET);
        // SAFETY: all callers pass an offset inside the tables, which are mapped in full.
        unsafe { self.tables.byte_add(offset as usize).cast() }
    }

    /// The header. Its plain fields change only before the debuggee starts, except `divergence`,
    /// which may be read once its state is complete.
    pub fn header(&self) -> &Header {
        // SAFETY: the header is mapped as long as `self` lives; all bit patterns are valid.
        unsafe { self.at::<Header>(HEADER_OFFSET).as_ref() }
    }

    /// For filling in before the debuggee starts.
    pub fn header_mut(&mut self) -> &mut Header {
        // SAFETY: as for `header`; nobody else has mapped the file yet.
        unsafe { self.at::<Header>(HEADER_OFFSET).as_mut() }
    }

    pub fn process(&self, id: u32) -> Option<&ProcessSlot> {
        let offset = PROCESSES_OFFSET + u64::from(id) * size_of::<ProcessSlot>() as u64;
        // SAFETY: the table is mapped as long as `self` lives; all bit patterns are valid.
        (id < MAX_PROCESSES).then(|| unsafe { self.at::<ProcessSlot>(offset).as_ref() })
    }

    pub fn process_mut(&mut self, id: u32) -> Option<&mut ProcessSlot> {
        let offset = PROCESSES_OFFSET + u64::from(id) * size_of::<ProcessSlot>() as u64;
        // SAFETY: as for `process`; nobody else has mapped the file yet.
        (id < MAX_PROCESSES).then(|| unsafe { self.at::<ProcessSlot>(offset).as_mut() })
    }

    pub fn thread(&self, id: u32) -> Option<&ThreadSlot> {
        let offset = THREADS_OFFSET + u64::from(id) * size_of::<ThreadSlot>() as u64;
        // SAFETY: the table is mapped as long as `self` lives; all bit patterns are valid.
        (id < MAX_THREADS).then(|| unsafe { self.at::<ThreadSlot>(offset).as_ref() })
    }

    pub fn thread_mut(&mut self, id: u32) -> Option<&mut ThreadSlot> {
        let offset = THREADS_OFFSET + u64::from(id) * size_of::<ThreadSlot>() as u64;
        // SAFETY: as for `thread`; nobody else has mapped the file yet.
        (id < MAX_THREADS).then(|| unsafe { self.at::<ThreadSlot>(offset).as_mut() })
    }

    pub fn object(&self, id: u32) -> Option<&Object> {
        let offset = OBJECTS_OFFSET + u64::from(id) * size_of::<Object>() as u64;
        // SAFETY: the table is mapped as long as `self` lives; all bit patterns are valid.
        (id < MAX_OBJECTS).then(|| unsafe { self.at::<Object>(offset).as_ref() })
    }

    pub fn object_mut(&mut self, id: u32) -> Option<&mut Object> {
        let offset = OBJECTS_OFFSET + u64::from(id) * size_of::<Object>() as u64;
        // SAFETY: as for `object`; nobody else has mapped the file yet.
        (id < MAX_OBJECTS).then(|| unsafe { self.at::<Object>(offset).as_mut() })
    }

    /// Numbers of the processes that exist so far.
    pub fn process_ids(&self) -> std::ops::Range<u32> {
        1..self
            .header()
            .next_process
            .load(Ordering::Acquire)
            .min(MAX_PROCESSES)
    }

    /// Numbers of the threads that exist so far.
    pub fn thread_ids(&self) -> std::ops::Range<u32> {
        1..self
            .header()
            .next_thread
            .load(Ordering::Acquire)
            .min(MAX_THREADS)
    }
}

impl Session {
    /// Lets go of a session file that has no name any more. Giving its blocks back takes a file system
    /// ten milliseconds and more; a child that holds nothing else does it while we are done.
    pub fn discard(self) {
        let descriptor = self.file.as_raw_fd() as u32;
        // SAFETY: the child makes three system calls and touches no memory of ours.
        unsafe {
            if libc::fork() == 0 {
                if descriptor > 0 {
                    libc::syscall(libc::SYS_close_range, 0, descriptor - 1, 0);
                }
                libc::syscall(libc::SYS_close_range, descriptor + 1, u32::MAX, 0);
                libc::_exit(0);
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: mapped in `prepare` with this length; no reference outlives `self`.
        let _ = unsafe { munmap(self.tables, ARENA_OFFSET as usize) };
    }
}

/// Every process maps the whole file: under a limit on address space (`ulimit -v`) it is smaller.
fn session_size() -> u64 {
    /// A part of the address space that a program can spare.
    const SHARE: u64 = 4;
    const LEAST: u64 = ARENA_OFFSET + 2048 * UNIT;
    match getrlimit(Resource::RLIMIT_AS) {
        Ok((soft, _)) if soft != RLIM_INFINITY => {
            let share = soft / SHARE / UNIT * UNIT;
            share.clamp(LEAST, SESSION_SIZE)
        }
        _ => SESSION_SIZE,
    }
}

fn map_tables(file: &File) -> io::Result<NonNull<libc::c_void>> {
    let length = NonZeroUsize::new(ARENA_OFFSET as usize).ok_or(io::ErrorKind::InvalidInput)?;
    let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
    // SAFETY: a new shared mapping at an address of the kernel's choice.
    let tables = unsafe { mmap(None, length, access, MapFlags::MAP_SHARED, file, 0)? };
    // Without this the first touch of a table reads ahead: megabytes of holes, 3 ms each time.
    // SAFETY: advice changes nothing but speed.
    let _ = unsafe { madvise(tables, length.get(), MmapAdvise::MADV_RANDOM) };
    Ok(tables)
}

/// Reserves disk space. File systems that cannot reserve are trusted to grow.
fn allocate(file: &File, offset: u64, length: u64) -> io::Result<()> {
    match fallocate(file, FallocateFlags::empty(), offset as i64, length as i64) {
        Ok(()) | Err(nix::Error::EOPNOTSUPP | nix::Error::ENOSYS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_session_is_sparse_and_carries_its_version() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("session");
        let session = Session::create(&path).unwrap();
        assert_eq!(session.header().abi_version, ABI_VERSION);
        assert_eq!(session.header().magic.load(Ordering::Relaxed), MAGIC);
        assert_eq!(session.object(1).unwrap().kind.get(), object_kind::OUTPUT);
        let metadata = std::fs::metadata(&path).unwrap();
        assert_eq!(metadata.len(), SESSION_SIZE);
        let allocated = std::os::unix::fs::MetadataExt::blocks(&metadata) * 512;
        assert!((256 << 10..16 << 20).contains(&allocated), "{allocated}");
        assert!(matches!(
            Session::create(&path),
            Err(SessionError::Create { .. })
        ));
    }

    #[test]
    fn slots_beyond_the_tables_do_not_exist() {
        let session = Session::in_memory().unwrap();
        assert!(session.process(MAX_PROCESSES).is_none());
        assert!(session.thread(MAX_THREADS).is_none());
        assert!(session.object(MAX_OBJECTS).is_none());
        assert!(session.process(MAX_PROCESSES - 1).is_some());
    }
}
