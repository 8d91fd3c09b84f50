//! Recipes that tests switch off, to see that they are needed.

use wayfarer_runtime_abi::atomic::{AtomicU32, Ordering};

/// A child with a new stack starts without our frame on it.
pub const CHILD_FRAME: u32 = 1;
/// A vfork is made from our frames like any fork.
pub const VFORK: u32 = 2;
/// The SIGSYS handler runs on whatever stack the program has.
pub const ALTERNATE_STACK: u32 = 4;

static OFF: AtomicU32 = AtomicU32::new(0);

/// Switches recipes off, for good.
pub fn switch_off(recipes: u32) {
    OFF.store(recipes, Ordering::Relaxed);
}

pub(crate) fn is_off(recipe: u32) -> bool {
    OFF.load(Ordering::Relaxed) & recipe != 0
}
