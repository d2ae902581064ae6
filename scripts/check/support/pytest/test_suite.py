# SPDX-License-Identifier: Apache-2.0
"""200 tests that are judged, ten of which leave a connection open, each in another way: scripts/check/pytest runs them."""

import asyncio
import http.client
import http.server
import os
import socket
import subprocess
import sys
import threading

import pytest

pytestmark = pytest.mark.linkcond(expect=["leaves no connection open", "at most 3 connections"])

# What is left open stays open, until the worker ends.
KEPT = []

CHILD = "import socket, sys, time; s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); print('', flush=True); time.sleep(600)"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *words):
        pass


@pytest.fixture(scope="session")
def server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address
    server.shutdown()


class Pool:
    """Opens its connection when it is first used, and keeps it."""

    def __init__(self, server):
        self._connection = http.client.HTTPConnection(*server)

    def get(self):
        self._connection.request("GET", "/")
        return self._connection.getresponse().read()

    def close(self):
        self._connection.close()


@pytest.fixture(scope="session")
def pool(server):
    pool = Pool(server)
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def early(server):
    with socket.create_connection(server) as connection:
        yield connection


@pytest.fixture
def client(server):
    pool = Pool(server)
    yield pool
    pool.close()


@pytest.fixture
def careless(server):
    KEPT.append(socket.create_connection(server))
    yield


def child(server, *prefix):
    command = [*prefix, sys.executable, "-c", CHILD, str(server[1])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    process.stdout.readline()
    return process


# What 190 tests do: they leave nothing open, or what is not theirs.


def uses_its_fixture(server, request):
    assert request.getfixturevalue("client").get() == b"ok"


def uses_the_pool(server, request):
    assert request.getfixturevalue("pool").get() == b"ok"


def uses_an_early_connection(server, request):
    assert request.getfixturevalue("early").fileno() >= 0


def closes(server, request):
    socket.create_connection(server).close()


def ends_its_child(server, request):
    process = child(server)
    process.kill()
    process.wait()


def does_nothing(server, request):
    pass


RIGHT = [uses_its_fixture, uses_the_pool, uses_an_early_connection, closes, ends_its_child, does_nothing]

# What ten tests do.


def keeps_a_socket(server, request):
    KEPT.append(socket.create_connection(server))


def keeps_an_answer(server, request):
    pool = Pool(server)
    pool.get()
    KEPT.append(pool)


def leaves_a_child(server, request):
    KEPT.append(child(server))


def leaves_a_daemon(server, request):
    child(server, "setsid", "-f").wait()


def leaves_a_forked_child(server, request):
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        connection = socket.create_connection(server)
        os.write(writer, b".")
        # pytest-xdist waits ten seconds for the end of a worker whose pipes are open in a child.
        os.closerange(0, connection.fileno())
        os.closerange(connection.fileno() + 1, 1024)
        threading.Event().wait(600)
        os._exit(connection.fileno())
    os.read(reader, 1)
    KEPT.append(process)


def leaves_a_thread(server, request):
    connected = threading.Event()

    def run():
        with socket.create_connection(server):
            connected.set()
            threading.Event().wait(600)

    threading.Thread(target=run, daemon=True).start()
    connected.wait()


def leaves_a_stream(server, request):
    loop = asyncio.new_event_loop()
    KEPT.append((loop, loop.run_until_complete(asyncio.open_connection(*server))))


def keeps_what_it_shut_down(server, request):
    KEPT.append(socket.create_connection(server))
    KEPT[-1].shutdown(socket.SHUT_RD)


def has_a_careless_fixture(server, request):
    request.getfixturevalue("careless")


def leaves_one_beside_the_pool(server, request):
    uses_the_pool(server, request)
    KEPT.append(socket.create_connection(server))


WRONG = [
    keeps_a_socket,
    keeps_an_answer,
    leaves_a_child,
    leaves_a_daemon,
    leaves_a_forked_child,
    leaves_a_thread,
    leaves_a_stream,
    keeps_what_it_shut_down,
    has_a_careless_fixture,
    leaves_one_beside_the_pool,
]

TESTS = [WRONG[number // 20] if number % 20 == 7 else RIGHT[number % len(RIGHT)] for number in range(200)]


@pytest.mark.parametrize("number", range(200), ids=lambda number: f"{number}-{TESTS[number].__name__}")
def test(number, server, request):
    TESTS[number](server, request)
