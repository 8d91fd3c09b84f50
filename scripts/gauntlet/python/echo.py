"""echo.py ROUND_TRIPS CONNECTIONS [jitter]: an asyncio echo server and its clients in one event loop.

With "jitter" the clients pause now and then, so that their order differs from run to run.
"""

import asyncio
import hashlib
import os
import random
import sys
import time


async def serve(reader, writer):
    while data := await reader.read(4096):
        writer.write(data)
        await writer.drain()
    writer.close()


async def client(port, trips, order, name, jitter):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for trip in range(trips):
        sent = os.urandom(32).hex().encode()
        writer.write(sent)
        await writer.drain()
        if await reader.readexactly(len(sent)) != sent:
            raise SystemExit("the echo is not what was sent")
        order.update(name)
        if jitter and random.random() < 0.01:
            await asyncio.sleep(random.random() / 1000)
    writer.close()
    await writer.wait_closed()


async def main():
    trips, connections = int(sys.argv[1]), int(sys.argv[2])
    jitter = sys.argv[3:] == ["jitter"]
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    order = hashlib.sha256()
    began = time.monotonic()
    await asyncio.wait_for(
        asyncio.gather(
            *(
                client(port, trips // connections, order, b"%d" % number, jitter)
                for number in range(connections)
            )
        ),
        timeout=60,
    )
    elapsed = time.monotonic() - began
    server.close()
    await server.wait_closed()
    print(f"{trips} round trips, {elapsed / trips * 1e6:.1f} us each, order {order.hexdigest()[:16]}")


asyncio.run(main())
