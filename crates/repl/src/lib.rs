//! The prompt: line editing, history, completion.
