# SPDX-License-Identifier: Apache-2.0
# Listens at one port of loopback until a byte comes; see RunIsolationTests.swift.
import os, socket
server = socket.create_server(("127.0.0.1", 57343))
print("ready", flush=True)
os.read(0, 1)
