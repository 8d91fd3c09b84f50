"""client.py PORT NAME REQUESTS: one connection to a memcached; the answers to its own keys are known.

Keys that all clients share are counted up by each: how the counts interleave differs from run to run.
"""

import hashlib
import socket
import sys


def main():
    port, name, requests = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    answers = connection.makefile("rb")

    def ask(text):
        connection.sendall(text.encode() + b"\r\n")
        line = answers.readline().decode().strip()
        if not line.startswith("VALUE"):
            return line
        value = answers.read(int(line.split()[3]) + 2).decode().removesuffix("\r\n")
        answers.readline()
        return value

    seen = hashlib.sha256()
    for shared in range(8):
        ask(f"add shared{shared} 0 0 1\r\n0")
    for number in range(requests):
        key = f"{name}-{number % 50}"
        value = f"value {number} of {name} " + "x" * (number % 200)
        assert ask(f"set {key} 0 0 {len(value)}\r\n{value}") == "STORED"
        assert ask(f"get {key}") == value
        seen.update(ask(f"incr shared{number % 8} 1").encode())
    assert ask(f"get {name}-none") == "END"
    print(f"{name}: {requests} requests, counts {seen.hexdigest()[:16]}")


main()
