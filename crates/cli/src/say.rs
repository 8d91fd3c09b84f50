//! Our own words, on stderr.

use std::io::{IsTerminal, Write};

/// One message, each line of it with our name in front.
pub fn line(message: &str) {
    let mut stderr = std::io::stderr().lock();
    for line in message.lines() {
        // When stderr is closed, nothing can be told any more.
        let _ = writeln!(stderr, "wayfarer: {line}");
    }
}

/// Whether a person is likely to look at stderr.
pub fn to_a_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Facts that were asked for, on stdout.
pub fn fact(text: &str) {
    let mut stdout = std::io::stdout().lock();
    // A closed pipe after us (`| head`) is the reader's choice.
    let _ = writeln!(stdout, "{text}");
    let _ = stdout.flush();
}
