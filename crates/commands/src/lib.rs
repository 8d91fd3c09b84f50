//! The verbs of the prompt: one file each, with its help; front ends only show what they return.
