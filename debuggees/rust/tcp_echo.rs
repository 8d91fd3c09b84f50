//! Phenomenon: a TCP echo server with a thread per client.
//! Nondeterministic: ports, order of the clients, how reads cut the stream.
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    println!("listening on {address}");
    let clients: Vec<_> = (0..4)
        .map(|number| {
            thread::spawn(move || -> std::io::Result<String> {
                let mut stream = TcpStream::connect(address)?;
                stream.set_nodelay(true)?;
                let text = format!("client {number} says hello; ").repeat(200);
                stream.write_all(text.as_bytes())?;
                stream.shutdown(Shutdown::Write)?;
                let mut back = String::new();
                stream.read_to_string(&mut back)?;
                Ok(format!("client {number} from {}: {}", stream.local_addr()?, back == text))
            })
        })
        .collect();
    let servers: Vec<_> = (0..4)
        .map(|_| -> std::io::Result<_> {
            let (mut stream, peer) = listener.accept()?;
            Ok(thread::spawn(move || {
                let mut pieces = Vec::new();
                let mut bytes = [0; 1500];
                while let Ok(got @ 1..) = stream.read(&mut bytes) {
                    pieces.push(got);
                    stream.write_all(&bytes[..got]).expect("the client reads");
                }
                format!("{peer}: {pieces:?}")
            }))
        })
        .collect::<Result<_, _>>()?;
    for server in servers {
        println!("{}", server.join().expect("no panic"));
    }
    for client in clients {
        println!("{}", client.join().expect("no panic")?);
    }
    Ok(())
}
