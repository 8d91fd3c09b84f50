//! Phenomenon: UnixStream pairs and UnixListener, non-blocking mode, read timeouts.
//! Nondeterministic: how often nothing was there, pids.
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;
use std::time::Duration;

fn main() -> std::io::Result<()> {
    let (mut left, mut right) = UnixStream::pair()?;
    right.set_nonblocking(true)?;
    let writer = thread::spawn(move || {
        for step in 0..5u8 {
            thread::sleep(Duration::from_micros(200));
            left.write_all(&[step]).expect("the reader lives");
        }
    });
    let (mut empty, mut bytes) = (0, Vec::new());
    loop {
        let mut byte = [0];
        match right.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => bytes.push(byte[0]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                empty += 1;
                thread::sleep(Duration::from_micros(30));
            }
            Err(error) => return Err(error),
        }
    }
    writer.join().expect("no panic");
    println!("{bytes:?}, empty {empty} times");

    let path = std::env::temp_dir().join(format!("wayfarer-debuggee-{}", std::process::id()));
    let listener = UnixListener::bind(&path)?;
    let client_path = path.clone();
    let client = thread::spawn(move || UnixStream::connect(client_path)?.write_all(b"through a path"));
    let (mut connection, _) = listener.accept()?;
    connection.set_read_timeout(Some(Duration::from_millis(500)))?;
    let mut text = String::new();
    connection.read_to_string(&mut text)?;
    client.join().expect("no panic")?;
    println!("{text} {}", path.display());
    std::fs::remove_file(path)
}
