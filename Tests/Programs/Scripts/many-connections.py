# SPDX-License-Identifier: Apache-2.0
# Leaves processes that hold connections to each other: many-connections.py THOUSANDS
import os
import socket
import sys
import time

server = socket.create_server(("127.0.0.1", 8000), backlog=4096)
ready, done = os.pipe()


def leave(make):
    if os.fork() == 0:
        held = [make() for _ in range(1000)]
        os.write(done, b".")
        time.sleep(99)
        del held


pairs = int(sys.argv[1])
for _ in range(pairs):
    leave(lambda: server.accept()[0])
    leave(lambda: socket.create_connection(("127.0.0.1", 8000)))
count = 0
while count < 2 * pairs:
    count += len(os.read(ready, 99))
