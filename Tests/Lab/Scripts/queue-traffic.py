# SPDX-License-Identifier: Apache-2.0
# Numbered datagrams through a discipline of the kernel below tbf: queue-traffic.py RATE SECONDS SEED DISCIPLINE FLOW...
# with RATE in Mbit/s, DISCIPLINE in tc's words, and each FLOW as LOAD,BYTES,ECN,PATTERN: poisson, or bursts of half a second.
# Prints "late NANOSECONDS", how late it has sent at worst; "sent FLOW NUMBER TIME BYTES ECN" for each datagram, with the
# time at which it came to the queue; "got FLOW NUMBER TIME ECN" for each that has arrived.
import ctypes, os, random, socket, struct, subprocess, sys, time

rate, seconds, chance = float(sys.argv[1]) * 1e6, float(sys.argv[2]), random.Random(int(sys.argv[3]))
ENDS, ADDRESS, TIMESTAMPING, STAMP = ("queue-a", "queue-b"), "10.9.0.2", 37, 35
# Stamps of the kernel where a packet enters the queue, numbered, without the packet.
FLAGS = 1 << 4 | 1 << 7 | 1 << 8 | 1 << 11

def run(line, check=True):
    subprocess.run(line.split(), check=check, stderr=None if check else subprocess.DEVNULL)

def enter(name):
    descriptor = os.open("/run/netns/" + name, os.O_RDONLY)
    assert ctypes.CDLL(None).setns(descriptor, 0) == 0
    os.close(descriptor)

def endpoint():
    end = socket.socket(type=socket.SOCK_DGRAM)
    for option in 32, 33:  # SO_SNDBUFFORCE, SO_RCVBUFFORCE: nothing is read before the end
        end.setsockopt(socket.SOL_SOCKET, option, 200 << 20)
    return end

for end in ENDS:
    run("ip netns del " + end, check=False)
    run("ip netns add " + end)
run("ip link add name va0 netns queue-a type veth peer name vb0 netns queue-b")
for end, device, host in (ENDS[0], "va0", 1), (ENDS[1], "vb0", 2):
    run(f"ip -n {end} address add 10.9.0.{host}/24 dev {device}")
    run(f"ip -n {end} link set {device} up")
tc = "ip netns exec queue-a tc qdisc add dev va0 "
run(tc + f"root handle 1: tbf rate {int(rate)} burst 1514 mtu 1514 limit 10000000")
run(tc + "parent 1:1 handle 10: " + sys.argv[4])

enter(ENDS[1])
receiver = endpoint()
receiver.setsockopt(socket.SOL_SOCKET, STAMP, 1)
receiver.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
receiver.bind((ADDRESS, 9000))
enter(ENDS[0])
flows = []
for words in sys.argv[5:]:
    load, size, ecn, pattern = words.split(",")
    end = endpoint()
    end.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, int(ecn))
    # fq_codel's queue, since hashes may be equal.
    end.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, 0x100001 + len(flows))
    end.connect((ADDRESS, 9000))
    end.send(b"-")  # finds the neighbour
    flows.append([end, int(size), int(ecn), int(size) * 8 / rate / float(load), pattern])
time.sleep(0.7)
while True:
    try: receiver.recv(9, socket.MSG_DONTWAIT)
    except BlockingIOError: break
for flow in flows:
    flow[0].setsockopt(socket.SOL_SOCKET, TIMESTAMPING, FLAGS)

start = time.time_ns() + 5_000_000
due, numbers, late = [chance.random() * flow[3] for flow in flows], [0] * len(flows), 0
while True:
    which = min(range(len(flows)), key=due.__getitem__)
    end, size, _, gap, pattern = flows[which]
    if due[which] > seconds: break
    wait = start + int(due[which] * 1e9) - time.time_ns()
    if wait > 0: time.sleep(wait / 1e9)
    late = max(late, -wait)
    end.send(struct.pack("=II", which, numbers[which]) + bytes(size - 42 - 8))
    numbers[which] += 1
    due[which] += gap if pattern == "bursts" else chance.expovariate(1 / gap)
    if pattern == "bursts" and int(due[which] * 2) % 2:
        due[which] = (int(due[which] * 2) + 1) / 2 + chance.random() * gap
time.sleep(2.5)

print("late", late)
def stamp(data):
    seconds, nanoseconds = struct.unpack_from("qq", data)
    return seconds * 1_000_000_000 + nanoseconds - start
for which, (end, size, ecn, _, _) in enumerate(flows):
    for _ in range(numbers[which]):
        _, notes, _, _ = end.recvmsg(0, 512, socket.MSG_ERRQUEUE | socket.MSG_DONTWAIT)
        at = next(stamp(data) for level, _, data in notes if level == socket.SOL_SOCKET)
        number = next(struct.unpack_from("IBBBBII", data)[6] for level, _, data in notes if level == socket.IPPROTO_IP)
        print("sent", which, number, at, size, ecn)
while True:
    try: data, notes, _, _ = receiver.recvmsg(8, 512, socket.MSG_DONTWAIT)
    except BlockingIOError: break
    at = next(stamp(data) for level, _, data in notes if level == socket.SOL_SOCKET)
    ecn = next(data[0] & 3 for level, _, data in notes if level == socket.IPPROTO_IP)
    print("got", *struct.unpack("=II", data), at, ecn)
for end in ENDS:
    run("ip netns del " + end)
