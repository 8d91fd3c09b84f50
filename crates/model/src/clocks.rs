//! Names of the clocks.

/// Names by clock id. 12 to 15 are Wayfarer's own ids for reads that are not `clock_gettime`; the
/// kernel does not use them.
const NAMES: [&str; 16] = [
    "CLOCK_REALTIME",
    "CLOCK_MONOTONIC",
    "CLOCK_PROCESS_CPUTIME_ID",
    "CLOCK_THREAD_CPUTIME_ID",
    "CLOCK_MONOTONIC_RAW",
    "CLOCK_REALTIME_COARSE",
    "CLOCK_MONOTONIC_COARSE",
    "CLOCK_BOOTTIME",
    "CLOCK_REALTIME_ALARM",
    "CLOCK_BOOTTIME_ALARM",
    "CLOCK_SGI_CYCLE",
    "CLOCK_TAI",
    "gettimeofday",
    "time",
    "getcpu",
    "time-stamp counter",
];

/// The name of clock `id`.
pub fn name(id: u64) -> Option<&'static str> {
    NAMES.get(usize::try_from(id).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn known_and_unknown() {
        assert_eq!(name(1), Some("CLOCK_MONOTONIC"));
        assert_eq!(name(14), Some("getcpu"));
        assert_eq!(name(15), Some("time-stamp counter"));
        assert_eq!(name(16), None);
        assert_eq!(name(u64::MAX), None);
    }
}
