//! Small programs over registers and memory that an agent evaluates at a breakpoint.
