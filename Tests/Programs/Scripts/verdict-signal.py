# SPDX-License-Identifier: Apache-2.0
# Sends signals to `run` while it reads a capture that takes it seconds: verdict-signal.py PROGRAM NUMBER...
import subprocess, sys, time

program, signals = sys.argv[1], [int(each) for each in sys.argv[2:]]

# The command adds to its own capture a section with five million packets (draft-ietf-opsawg-pcapng).
ADD = r'''
import os, struct, time
time.sleep(0.5)
head = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
interface = struct.pack("<IIHHII", 1, 20, 1, 0, 0, 20)
frame = bytes(12) + b"\x08\x00" + b"\x45" + bytes(45)
packet = struct.pack("<IIIIIII", 6, 32 + len(frame), 0, 0, 0, len(frame), len(frame)) + frame
packet += struct.pack("<I", 32 + len(frame))
with open("packets.pcapng", "ab") as file:
    file.write(head + interface * 4)
    for _ in range(500): file.write(packet * 10000)
'''
# Before a second signal, no verdict can be printed: the command leaves a pipe that is full.
FILL = r'''
os.set_blocking(2, False)
for size in 512, 1:
    try:
        while os.write(2, bytes(size)): pass
    except BlockingIOError:
        pass
os.set_blocking(2, True)
'''

process = subprocess.Popen(
    [program, "run", "--offline", "3G", "--capture", "packets.pcapng", "--expect", "at most 9 connections", "--",
     sys.executable, "-c", ADD + (FILL if len(signals) > 1 else "")], stderr=subprocess.PIPE, text=True)

def children():
    try:
        return open("/proc/%d/task/%d/children" % (process.pid, process.pid)).read().split()
    except OSError:
        return []

deadline = time.monotonic() + 240
while not children() and time.monotonic() < deadline: time.sleep(0.001)
while children() and time.monotonic() < deadline: time.sleep(0.001)
for number in signals:
    time.sleep(0.05 if number == signals[0] else 1)
    if process.poll() is not None:
        sys.exit("it ended before signal %d: %s" % (number, process.communicate()[1][-500:]))
    process.send_signal(number)
# What is read from the pipe makes room in it.
process.wait(timeout=240)
errors = process.communicate()[1]
print(process.returncode)
sys.stderr.write(errors)
