//! Who is told what happens.

use crate::Event;

/// The one who asked for a back end, as the back end sees it.
///
/// May be called from any thread, also from within a request. Nothing of it waits.
pub trait Listener: Send + Sync {
    /// Something happened. False: nobody will ever hear of it, and there is no need to go on telling.
    fn happened(&self, event: Event) -> bool;

    /// The back end has gone, with all that it held. Nothing more comes from it.
    fn lost(&self, why: &str);
}
