# SPDX-License-Identifier: Apache-2.0
"""Many TCP connections.

  connections.py serve                  the far end
  connections.py rate ADDRESS client|server COUNT SECONDS
                                        opens so many a second, which that side closes first; prints how many failed, and
                                        how long half of them took
  connections.py hold ADDRESS COUNT     opens so many at once; prints how many answered
"""

import resource
import selectors
import socket
import statistics
import sys
import threading
import time

CLIENT_CLOSES, SERVER_CLOSES, ECHOES = PORTS = range(8310, 8313)
LIMIT = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
THREADS = 8
PATIENCE = 10


def serve() -> None:
    selector = selectors.DefaultSelector()
    for port in PORTS:
        server = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=4096)
        server.setblocking(False)
        selector.register(server, selectors.EVENT_READ, port)
    print("ready", flush=True)
    while True:
        for key, _ in selector.select():
            try:
                if key.data is None:
                    piece = key.fileobj.recv(100)
                    if piece:
                        key.fileobj.send(piece)
                        continue
                    selector.unregister(key.fileobj)
                    key.fileobj.close()
                elif key.data == SERVER_CLOSES:
                    key.fileobj.accept()[0].close()
                else:
                    peer, _ = key.fileobj.accept()
                    peer.setblocking(False)
                    selector.register(peer, selectors.EVENT_READ)
            except BlockingIOError:
                pass
            except OSError:
                if key.data is None:
                    selector.unregister(key.fileobj)
                    key.fileobj.close()


def rate(address: str, first: str, count: int, seconds: float) -> None:
    port = CLIENT_CLOSES if first == "client" else SERVER_CLOSES
    times, failures, begin = [], [], time.monotonic()

    def one() -> None:
        start = time.monotonic()
        try:
            with socket.create_connection((address, port), PATIENCE) as peer:
                if port == SERVER_CLOSES:
                    peer.recv(1)
            times.append(time.monotonic() - start)
        except OSError as error:
            failures.append(error)

    def work(thread: int) -> None:
        for number in range(thread, int(count * seconds), THREADS):
            time.sleep(max(begin + number / count - time.monotonic(), 0))
            one()

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = len(times) / (time.monotonic() - begin)
    print(f"{made:.0f} a second, {len(failures)} failed, {statistics.median(times) * 1000:.2f} ms")


def hold(address: str, count: int) -> None:
    peers, answers = [], 0
    for number in range(count):
        peer = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        peer.setblocking(False)
        peer.connect_ex((address, ECHOES))
        peers.append(peer)
        time.sleep(0.0005)
    end = time.monotonic() + PATIENCE
    for peer in peers:
        peer.settimeout(max(end - time.monotonic(), 0.01))
        try:
            peer.send(b"?")
            answers += peer.recv(1) == b"?"
        except OSError:
            pass
    print(f"{answers} of {count}")


resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
what, arguments = sys.argv[1], sys.argv[2:]
if what == "serve":
    serve()
elif what == "rate":
    rate(arguments[0], arguments[1], int(arguments[2]), float(arguments[3]))
else:
    hold(arguments[0], int(arguments[1]))
