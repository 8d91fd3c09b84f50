//! The constants have the values that libc's headers give them.

use wayfarer_calls::{control, error, file, futex, ioctl, memory, process, signal, socket};

macro_rules! same {
    ($($module:ident: $($name:ident)*;)*) => {
        $($(assert_eq!($module::$name as i128, libc::$name as i128, stringify!($name));)*)*
    };
}

#[test]
fn constants_are_those_of_libc() {
    same! {
        control: PR_GET_PDEATHSIG PR_GET_UNALIGN PR_GET_FPEMU PR_SET_NAME PR_GET_NAME
            PR_GET_ENDIAN PR_SET_SECCOMP PR_GET_TSC PR_SET_TSC PR_GET_CHILD_SUBREAPER
            PR_GET_TID_ADDRESS PR_TSC_ENABLE PR_TSC_SIGSEGV SECCOMP_SET_MODE_FILTER
            SECCOMP_MODE_FILTER;
        file: AT_EMPTY_PATH O_ACCMODE O_CLOEXEC SEEK_CUR FALLOC_FL_KEEP_SIZE
            FALLOC_FL_PUNCH_HOLE F_DUPFD F_GETFD F_GETFL F_GETLK F_SETLKW F_OFD_GETLK
            F_OFD_SETLKW F_DUPFD_CLOEXEC FD_CLOEXEC CLOSE_RANGE_CLOEXEC;
        ioctl: TCGETS TCSETS TCSETSF TCGETA TCSETA TIOCSCTTY TIOCGPGRP TIOCSPGRP
            TIOCOUTQ TIOCSTI TIOCGWINSZ TIOCSWINSZ TIOCNOTTY FIONREAD FIONBIO FIONCLEX
            FIOASYNC;
        memory: PROT_NONE PROT_READ PROT_WRITE PROT_EXEC MAP_SHARED MAP_PRIVATE
            MAP_SHARED_VALIDATE MAP_TYPE MAP_FIXED MAP_ANONYMOUS MAP_NORESERVE
            MAP_POPULATE MAP_FIXED_NOREPLACE MREMAP_MAYMOVE MREMAP_FIXED MADV_RANDOM
            MADV_DONTDUMP MADV_POPULATE_WRITE;
        process: CLONE_VM CLONE_PIDFD CLONE_VFORK CLONE_THREAD CLONE_NEWNS
            CLONE_PARENT_SETTID CLONE_CHILD_CLEARTID CLONE_CHILD_SETTID WNOHANG
            RLIMIT_STACK CLOCK_MONOTONIC TIMER_ABSTIME;
        signal: SIG_BLOCK SIG_UNBLOCK SIG_SETMASK SS_DISABLE;
        socket: AF_UNIX AF_INET AF_INET6 SOCK_STREAM SOL_SOCKET SO_TYPE SCM_RIGHTS
            MSG_DONTROUTE MSG_DONTWAIT MSG_WAITALL MSG_NOSIGNAL MSG_MORE
            MSG_CMSG_CLOEXEC;
    }
    for (ours, theirs) in [
        (error::EPERM, libc::EPERM),
        (error::ESRCH, libc::ESRCH),
        (error::EINTR, libc::EINTR),
        (error::EBADF, libc::EBADF),
        (error::EAGAIN, libc::EAGAIN),
        (error::ENOMEM, libc::ENOMEM),
        (error::EFAULT, libc::EFAULT),
        (error::EBUSY, libc::EBUSY),
        (error::EINVAL, libc::EINVAL),
        (error::EFBIG, libc::EFBIG),
        (error::ENOSPC, libc::ENOSPC),
        (error::ENOSYS, libc::ENOSYS),
        (error::EOVERFLOW, libc::EOVERFLOW),
        (error::ETIMEDOUT, libc::ETIMEDOUT),
        (error::EINPROGRESS, libc::EINPROGRESS),
        (error::EDQUOT, libc::EDQUOT),
    ] {
        assert_eq!(ours, -(theirs as isize));
    }
    for (ours, theirs) in [
        (futex::WAIT, libc::FUTEX_WAIT),
        (futex::WAKE, libc::FUTEX_WAKE),
        (futex::WAKE_OP, libc::FUTEX_WAKE_OP),
        (futex::LOCK_PI, libc::FUTEX_LOCK_PI),
        (futex::UNLOCK_PI, libc::FUTEX_UNLOCK_PI),
        (futex::TRYLOCK_PI, libc::FUTEX_TRYLOCK_PI),
        (futex::WAIT_BITSET, libc::FUTEX_WAIT_BITSET),
        (futex::WAKE_BITSET, libc::FUTEX_WAKE_BITSET),
        (futex::WAIT_REQUEUE_PI, libc::FUTEX_WAIT_REQUEUE_PI),
        (futex::LOCK_PI2, libc::FUTEX_LOCK_PI2),
        (futex::PRIVATE, libc::FUTEX_PRIVATE_FLAG),
        (futex::CLOCK_REALTIME, libc::FUTEX_CLOCK_REALTIME),
    ] {
        assert_eq!(ours, theirs as usize);
    }
    assert_eq!(file::AT_FDCWD as i32, libc::AT_FDCWD);
    assert_eq!(process::WALL, libc::__WALL as usize);
}
