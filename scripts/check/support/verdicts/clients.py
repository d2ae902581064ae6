# SPDX-License-Identifier: Apache-2.0
"""The clients of scripts/check/verdicts: clients.py TESTS NAME keep|violate SEED

TESTS is the program of the tests' own clients, with their server. It is read without its last line, which runs one."""

import ast
import os
import random
import socket
import ssl
import subprocess
import sys
import threading
import time

tests, name, does, seed = sys.argv[1:]
sys.argv = [tests, name, does]
with open(tests) as file:
    program = ast.parse(file.read())
program.body.pop()
exec(compile(program, tests, "exec"))
draw = random.Random(int(seed))


def mapped():
    for _ in range(3 if keeps else 8):
        socket.create_connection(("::ffff:127.0.0.1", PORT), 5).close()


def named():
    for _ in range(3 if keeps else 8):
        socket.create_connection(("shop.test", PORT), 5).close()


def in_turn():
    for _ in range(3 if keeps else 6):
        s = connect()
        ask(s)
        s.close()
        time.sleep(0.15)


def together():
    held = []
    for _ in range(5):
        held.append(connect())
        ask(held[-1])
        if keeps and len(held) > 1:
            held.pop(0).close()
            time.sleep(0.15)


def tls():
    with_tls(None)


def tls_with_keys():
    with_tls(os.environ.get("SSLKEYLOGFILE"))


def with_tls(keys):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.environ["CERTIFICATE"])
    listener = socket.create_server(("127.0.0.1", 8443))

    def serve():
        while True:
            try:
                with context.wrap_socket(listener.accept()[0], server_side=True) as one:
                    while one.recv(65536):
                        one.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            except OSError:
                pass

    threading.Thread(target=serve, daemon=True).start()
    context2 = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context2.check_hostname, context2.verify_mode = False, ssl.CERT_NONE
    if keys:
        context2.keylog_filename = keys
    s = context2.wrap_socket(connect(port=8443))
    for _ in range(2 if keeps else 6):
        ask(s)
    s.close()


def gives_up():
    """The answer to a request of before comes when the network is back: to a client that has given up."""
    s = connect()
    ask(s)
    s.sendall(b"GET /slow HTTP/1.1\r\nHost: a.test\r\n\r\n")
    time.sleep(0.3)
    profile("Black Hole")
    time.sleep(1.6)
    s.close()
    time.sleep(0.3)
    profile('{"name": "back", "uplink": {"delay": "20 ms"}}')
    mark("back")
    if keeps:
        ask(connect())
    # The server sends its answer again after at most 0.2, 0.4, 0.8 and 1.6 s.
    time.sleep(2)


def fail_with(waits, port=9):
    for wait in waits:
        try:
            connect(port=port)
        except OSError:
            pass
        time.sleep(wait)


def textbook():
    fail_with([0.05 * 2**n if keeps else 0.3 for n in range(7)])


def textbook_after_success():
    ask(connect())
    server.shutdown()
    server.server_close()
    # The server is gone: each attempt is refused.
    time.sleep(0.3)
    fail_with([0.05 * 2**n if keeps else 0.3 for n in range(7)], PORT)


def full_jitter():
    fail_with([draw.uniform(0, 0.1 * 2**n) if keeps else draw.uniform(0.2, 0.3) for n in range(7)])


def equal_jitter():
    fail_with([draw.uniform(0.5, 1) * 0.08 * 2**n if keeps else draw.uniform(0.25, 0.3) for n in range(7)])


def decorrelated():
    wait, waits = 0.05, []
    for _ in range(8):
        wait = min(1.5, draw.uniform(0.05, wait * 3)) if keeps else 0.3
        waits.append(wait)
    fail_with(waits)


def shrinking():
    fail_with([0.05 * 2**n if keeps else 1.6 / 2**n for n in range(6)])


def polls():
    for n in range(6):
        s = connect()
        ask(s)
        s.close()
        time.sleep(0.2 if keeps else 0.05 * 2**n)


def graphql():
    for body in b'{"query": "{ a }"}', b'{"query": "{ b }"}' if keeps else b'{"query": "{ a }"}':
        s = connect()
        ask(s, "/lose-graphql", "POST", body, "Content-Type: application/json\r\n")
        s.close()


def idempotent():
    for _ in range(2):
        s = connect()
        ask(s, "/lose", "PUT" if keeps else "POST", b"order")
        s.close()


Handler.do_PUT = Handler.do_GET


def half_answers():
    """A server that sends half of each answer and resets the connection, once it has the whole request."""
    listener = socket.create_server(("127.0.0.1", 8097))

    def answer(one):
        request = b""
        while b"\r\n\r\n" not in request:
            request += one.recv(65536)
        one.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 500)
        time.sleep(0.5)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        one.close()

    def serve():
        while True:
            threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()


def read_to_the_end(s):
    try:
        while s.recv(65536):
            pass
    except OSError:
        pass
    s.close()


def half_twice():
    half_answers()
    for _ in range(1 if keeps else 2):
        s = connect(port=8097)
        ask(s, "/order", "POST", b"order")
        read_to_the_end(s)


def half_used():
    """One reads the head and closes; the other waits for the rest, which does not come, and asks again."""
    half_answers()
    for _ in range(2):
        s = connect(port=8097)
        ask(s, "/order", "POST", b"order")
        if keeps:
            s.close()
        else:
            read_to_the_end(s)


def half_retries():
    half_answers()
    for n in range(7):
        s = connect(port=8097)
        ask(s)
        read_to_the_end(s)
        time.sleep(0.1 * 2**n if keeps else 0)


def own_work():
    """Four processes of its own keep the processors busy, so that each of the client's packets waits."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    for _ in range(3 if keeps else 12):
        s = connect(timeout=30)
        ask(s)
        s.close()
    for one in busy:
        one.kill()


def orphan():
    """A child that no process waits for holds a connection."""
    body = f"import os,socket,time\ns=socket.create_connection(('127.0.0.1',{PORT}))\nif os.fork(): os._exit(0)\n"
    body += "os.setsid(); open('ready','w').close(); time.sleep(0 if %r else 30)" % keeps
    subprocess.run([sys.executable, "-c", body])
    while not os.path.exists("ready"):
        time.sleep(0.02)
    time.sleep(0.5)


def volume():
    s = connect()
    for _ in range(2 if keeps else 40):
        ask(s, "/size=1000")


def silence():
    if keeps:
        ask(connect())
    else:
        # It is accepted, and never answered.
        connect().settimeout(1)
        time.sleep(1.2)


def strangers():
    """A stranger's packet comes to an open port, and the client answers it; only what it opens itself counts."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(5)
    s.sendto(b"hello", ("192.0.2.7", 7001))
    for _ in range(2):
        data, sender = s.recvfrom(65536)
        if len(data) > 1000:
            s.sendto(data, sender)
    if not keeps:
        socket.create_connection(("192.0.2.7", 7001), 5).close()
    time.sleep(0.2)


def unearned(way):
    """A client that tries for a verdict which it has not earned, or one that only asks."""
    script = os.path.join(os.path.dirname(tests), "unearned-verdicts.py")
    # It has a server of its own.
    os.execv(sys.executable, [sys.executable, script, "ask" if keeps else way])


def commands():
    unearned("commands")


def cuts():
    unearned("cuts")


def switches():
    """The verdict is on conditions that the client may set, and names them."""
    unearned("switches")


def status():
    ask(connect())
    if not keeps:
        os._exit(3)


def meets():
    """The fault comes after 5 kB."""
    s = connect(1)
    try:
        ask(s, "/size=20000" if keeps else "/size=100")
        while s.recv(65536):
            pass
    except OSError:
        pass


def never_marked():
    s = connect()
    ask(s)
    mark("left")
    if keeps:
        s.close()
    time.sleep(0.3)


globals()[name]()
