# SPDX-License-Identifier: Apache-2.0
"""Python's clients of other protocols than HTTP/1, of scripts/check/clients: message_clients.py CLIENT ORDER

Each sends an order, and gets an answer to it."""

import sys


def of_websockets(order):
    from websockets.sync.client import connect

    with connect("ws://127.0.0.1:8765/orders") as socket:
        socket.send(order)
        socket.recv()


def of_grpcio(order):
    import grpc

    with grpc.insecure_channel("127.0.0.1:50051") as channel:
        channel.unary_unary("/shop.Shop/Page")(b"", timeout=30)
        channel.unary_unary("/shop.Shop/Order")(order, timeout=30)


def of_pyzmq(order):
    import zmq

    with zmq.Context() as context, context.socket(zmq.REQ) as socket:
        socket.linger = 0
        socket.connect("tcp://127.0.0.1:5555")
        socket.send(order)
        if not socket.poll(30_000):
            raise TimeoutError("no answer")
        socket.recv()


def of_paho(order):
    from paho.mqtt import publish

    publish.single("orders", order, qos=1, hostname="127.0.0.1")


def of_pymemcache(order):
    from pymemcache.client.base import Client

    client = Client(("127.0.0.1", 11211), timeout=30)
    client.set("order", order, noreply=False)
    client.get("order")
    client.close()


def of_asyncpg(order):
    import asyncio

    import asyncpg

    async def all_of_it():
        connection = await asyncpg.connect(host="127.0.0.1", user="shop", database="postgres", ssl=False)
        await connection.fetchval("SELECT page FROM pages")
        await connection.execute("INSERT INTO orders VALUES ($1)", order.decode())
        await connection.close()

    asyncio.run(all_of_it())


client, place = sys.argv[1:]
with open(place, "rb") as file:
    order = file.read()
try:
    globals()[f"of_{client}"](order)
except Exception as error:
    print(f"{type(error).__module__}.{type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(1)
