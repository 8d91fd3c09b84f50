//! Lines from a standard input that is not a terminal: no prompt, no editing, the end of the input ends the session.

use std::io::BufRead;

use wayfarer_commands::Lines;

/// Reads standard input line by line.
pub struct StandardInput;

impl Lines for StandardInput {
    fn next_line(&mut self, _prompt: &str) -> Option<String> {
        read(&mut std::io::stdin().lock())
    }
}

/// One line without its end; bytes that are not text are shown as such, not refused.
fn read(input: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    match input.read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => None,
        Ok(_) => {
            while bytes
                .last()
                .is_some_and(|byte| matches!(byte, b'\n' | b'\r'))
            {
                bytes.pop();
            }
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn lines_of_any_bytes() {
        let mut input: &[u8] = b"break main\r\n\nx\xff";
        assert_eq!(read(&mut input).as_deref(), Some("break main"));
        assert_eq!(read(&mut input).as_deref(), Some(""));
        assert_eq!(read(&mut input).as_deref(), Some("x\u{fffd}"));
        assert_eq!(read(&mut input), None);
    }
}
