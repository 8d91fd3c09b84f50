//! The live half of the agent: holds every process and thread of a host and serves the debugger.
