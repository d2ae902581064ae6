# SPDX-License-Identifier: Apache-2.0
# What the program's Black Hole lets through and what not; see RunUserspaceTests.swift.
import os, socket, subprocess, time
listener = socket.create_server(("127.0.0.1", 0))
client = socket.socket(); client.bind(("127.0.0.1", 0)); client.connect(listener.getsockname())
server, _ = listener.accept()
asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); asked.bind(("127.0.0.1", 5353))
asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); asking.connect(asked.getsockname())
asking.send(b"first"); data, sender = asked.recvfrom(99)
subprocess.run([os.environ["LINKCOND"], "switch", "Black Hole"], check=True, stderr=subprocess.DEVNULL)
client.send(b"request"); print(server.recv(99).decode())
asking.send(b"datagram"); print(asked.recv(99).decode())
server.send(b"answer"); asked.sendto(b"answer", sender)
for each in (client, asking):
    each.settimeout(0.7)
    try: print("heard", each.recv(99))
    except TimeoutError: print("silence")
