//! The central part: sessions, processes and sets, breakpoints, stepping, stacks, values; plain views for front ends.
