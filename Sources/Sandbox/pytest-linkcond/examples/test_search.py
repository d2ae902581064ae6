# SPDX-License-Identifier: Apache-2.0
"""Tests of a small client: linkcond run -- pytest Sources/Sandbox/pytest-linkcond/examples"""

import http.server
import socket
import threading
import time
import urllib.request

import pytest

pytestmark = pytest.mark.linkcond({"name": "40 ms", "uplink": {"delay": "40 ms"}})


@pytest.fixture(scope="module")
def server():
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"found")

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address
    server.shutdown()
    server.server_close()


def search(server):
    with urllib.request.urlopen("http://%s:%d/" % server, timeout=5) as answer:
        return answer.read()


def connect_time(server):
    def once():
        begin = time.monotonic()
        socket.create_connection(server, timeout=5).close()
        return time.monotonic() - begin

    # The shortest of several: a busy machine makes others longer.
    return min(once() for _ in range(3))


def test_has_the_conditions_of_its_module(server):
    assert 0.039 < connect_time(server) < 0.099


@pytest.mark.linkcond({"name": "100 ms", "uplink": {"delay": "100 ms"}})
class TestFarAway:
    def test_has_the_conditions_of_its_class(self, server):
        assert 0.099 < connect_time(server) < 0.199

    @pytest.mark.linkcond({"name": "200 ms", "uplink": {"delay": "200 ms"}})
    def test_has_its_own_conditions(self, server):
        assert 0.199 < connect_time(server)


def test_finds_the_conditions_of_its_module_again(server):
    assert 0.039 < connect_time(server) < 0.099


@pytest.mark.linkcond(expect=["at most 1 connection attempt", "first byte within 2 s"])
def test_keeps_its_expectations(server):
    assert search(server) == b"found"


@pytest.mark.linkcond(expect=["closes within 1 s of 'left'"])
def test_refers_to_a_mark(server, linkcond):
    with socket.create_connection(server, timeout=5):
        linkcond.mark("left")


def test_switches(server, linkcond):
    linkcond.switch({"name": "90 ms", "uplink": {"delay": "90 ms"}})
    assert 0.089 < connect_time(server)


def test_finds_its_conditions_after_a_switch(server):
    assert 0.039 < connect_time(server) < 0.089
