//! A program that uses the crate carries the note that `record --threads auto` looks for.

use wayfarer_sync::Mutex;

#[test]
fn the_note_is_in_the_program() {
    assert_eq!(*Mutex::new(1).lock().unwrap(), 1);
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    // Sizes of name and description, type, name with padding, description.
    let mut note = Vec::new();
    for word in [9u32, 4, 1] {
        note.extend(word.to_le_bytes());
    }
    note.extend(b"Wayfarer\0\0\0\0");
    note.extend(1u32.to_le_bytes());
    assert!(program.windows(note.len()).any(|bytes| bytes == note));
}
