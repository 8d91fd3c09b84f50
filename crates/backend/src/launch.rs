//! Starting a program.

use crate::Process;

/// A program to be started. It is left stopped at the first instruction of its dynamic linker, or of itself if it is
/// static.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchRequest {
    /// The program (searched for in the PATH of `environment` if it has no slash) and its arguments.
    pub arguments: Vec<Vec<u8>>,
    /// The complete environment, `NAME=value`.
    pub environment: Vec<Vec<u8>>,
    /// Where it starts; none: where the back end is.
    pub directory: Option<String>,
    /// Address-space randomisation is off unless this asks for it.
    pub randomize: bool,
}

/// The first process.
pub type LaunchReply = Process;
