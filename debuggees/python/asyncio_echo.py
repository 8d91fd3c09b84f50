"""Phenomenon: an asyncio echo server and several clients in one event loop.
Nondeterministic: ports, the order in which clients finish, loop times."""
import asyncio
import random


async def serve(reader, writer):
    while data := await reader.read(50):
        writer.write(data)
        await writer.drain()
    writer.close()


async def ask(number, port, finished):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for step in range(10):
        text = f"client {number} step {step} {random.random()}".encode()
        writer.write(text)
        await reader.readexactly(len(text))
        await asyncio.sleep(random.random() / 1000)
    writer.close()
    await writer.wait_closed()
    finished.append(number)


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    finished = []
    await asyncio.gather(*(ask(number, port, finished) for number in range(8)))
    server.close()
    print(port, finished, asyncio.get_running_loop().time())


asyncio.run(main())
