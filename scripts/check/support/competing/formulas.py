# SPDX-License-Identifier: Apache-2.0
"""What a TCP flow of the kernel sends if every nth packet is lost, as a part of what the throughput formulas say.

usage: formulas.py LINKCOND; in a directory for its files

The formulas are those of M. Mathis et al. (1997) for Reno, and of RFC 9438, equation 5, for CUBIC, or Reno's where that
is more. TCPFlowTests has these figures, and holds the modelled flows to them.
"""

import concurrent.futures
import json
import subprocess
import sys

SETTLE, SECONDS = 20, 120
DATA = 1448
ROUND_TRIPS, INTERVALS = (0.02, 0.1, 0.2), (100, 1000)

DOWNLOAD = """
import socket, sys, threading, time
settle, seconds, congestion = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
listener = socket.socket()
listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
listener.bind(("127.0.0.1", 8300))
listener.listen()
count = 0

def serve():
    connection = listener.accept()[0]
    while True:
        connection.sendall(bytes(1 << 16))

def read():
    global count
    connection, room = socket.create_connection(("127.0.0.1", 8300)), bytearray(1 << 18)
    while size := connection.recv_into(room):
        count += size

for body in serve, read:
    threading.Thread(target=body, daemon=True).start()
time.sleep(settle)
begin, before = time.monotonic(), count
time.sleep(seconds)
print((count - before) / (time.monotonic() - begin))
"""


def said(congestion, round_trip, interval):
    """Packets a second."""
    reno = (1.5 * interval) ** 0.5 / round_trip
    cubic = (0.4 * 3.7 / 1.2) ** 0.25 * (round_trip * interval) ** 0.75 / round_trip
    return reno if congestion == "reno" else max(reno, cubic)


def measured(linkcond, congestion, round_trip, interval):
    """Packets a second."""
    path = f"./{congestion}-{round_trip}-{interval}.json"
    lost = {"match": {"packet": f"every {interval}", "larger": "1000 bytes", "lane": "downlink"}, "do": "lose"}
    delay = {"delay": f"{round_trip * 500} ms"}
    with open(path, "w") as file:
        json.dump({"name": "every nth", "downlink": delay, "uplink": delay, "faults": [lost]}, file)
    command = [linkcond, "run", "--offline", "--no-drain", "--engine", "userspace", path, "--"]
    command += [sys.executable, "-Ic", DOWNLOAD, str(SETTLE), str(SECONDS), congestion]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{congestion}, {round_trip} s, every {interval}: {result.stderr}")
    return float(result.stdout) / DATA


def main():
    cases = [(name, time, each) for name in ("reno", "cubic") for time in ROUND_TRIPS for each in INTERVALS]
    print(f"{len(cases)} links at the same time, {SETTLE + SECONDS} s", flush=True)
    with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
        rates = list(pool.map(lambda case: measured(sys.argv[1], *case), cases))
    print("| flow | round trip | lost | packets a second | formula | part |\n|---|---|---|---|---|---|")
    for (congestion, time, each), rate in zip(cases, rates):
        formula = said(congestion, time, each)
        link = f"{time * 1e3:.0f} ms | every {each}th"
        print(f"| {congestion} | {link} | {rate:.1f} | {formula:.1f} | {rate / formula:.3f} |")


main()
