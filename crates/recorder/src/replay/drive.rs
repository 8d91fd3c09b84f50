//! Drives a replay that nobody debugs: waits for children and for time to pass, and looks when the course asks for it.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use wayfarer_replay::monitor::End;

use super::course::{Course, Look};
use crate::children::{Watch, reap};

/// How long killed processes may take to be gone.
const CLEARING: Duration = Duration::from_secs(5);
/// How often they are killed again.
const CLEARING_PAUSE: Duration = Duration::from_millis(20);

/// Looks on until the replay is over; an error is the signal that the user sent.
pub fn until_end(course: &mut Course, watch: &Watch) -> Result<End, Signal> {
    let mut pause = course.first_pause();
    loop {
        match watch.next(pause) {
            Some(Signal::SIGCHLD) | None => {}
            Some(signal) => return Err(signal),
        }
        let anybody_left = collect(course);
        match course.look(anybody_left) {
            Look::Again(within) => pause = within,
            Look::Over(end) => return Ok(end),
        }
    }
}

/// Tells the course who has ended; whether anybody is left.
fn collect(course: &mut Course) -> bool {
    let (ended, left) = reap();
    for end in ended {
        course.ended(end.pid.as_raw(), end.wait_status);
    }
    left
}

/// Ends whatever still runs, and waits until it is gone.
pub fn clear(course: &mut Course, watch: &Watch) {
    course.stop();
    let began = Instant::now();
    while collect(course) && began.elapsed() < CLEARING {
        course.kill();
        watch.next(CLEARING_PAUSE);
    }
}
