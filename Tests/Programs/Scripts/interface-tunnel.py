# SPDX-License-Identifier: Apache-2.0
# What InterfaceTunnelTests.swift does in a private link, one function a test.


def tunnel():
    """Joins the networks by two tun devices, whose packets another process passes on."""
    def end(name):
        device = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(device, 0x400454CA, struct.pack("16sH", name, 0x1001))
        return device
    ends = [inside("near", lambda: end(b"near1")), inside("far", lambda: end(b"far1"))]
    if os.fork() == 0:
        # So that it is none of linkcond's processes, and ends with the world.
        while True:
            for end in select.select(ends, [], [])[0]:
                try:
                    os.write(ends[1 - ends.index(end)], os.read(end, 65536))
                except OSError:
                    pass
    for name, network, last in ("near1", "near", 1), ("far1", "far", 2):
        subprocess.run(["ip", "-n", network, "address", "add", "10.9.1.%d/24" % last, "dev", name], check=True)
        subprocess.run(["ip", "-n", network, "-6", "address", "add", "fd09:1::%d/64" % last, "dev", name, "nodad"],
                       check=True)
        subprocess.run(["ip", "-n", network, "link", "set", name, "up"], check=True)
    until(lambda: times("fd09:1::2", 1), "the tunnel")


def conditionsATunnelBothWays():
    tunnel()
    filters = lambda: sh("tc qdisc show dev near1; ip -d link")
    original = filters()
    linkcond("apply --engine userspace -i near1 --uplink 'delay=20 ms' --downlink 'delay=40 ms'")
    for address in "10.9.1.2", "fd09:1::2":
        isSlow(60, "both ways", address, below=200)
    status = linkcond("status")
    for lane in "uplink", "downlink":
        # Another packet may be the kernel's own.
        figures = re.search(lane + r" .*? delay +(\d+) +(\d+) +0 +0", status)
        expect(figures and 6 <= int(figures[1]) == int(figures[2]) < 60, status)
    linkcond("switch -i near1 --uplink 'delay=30 ms'")
    isSlow(30, "the uplink alone", "10.9.1.2", below=60)
    linkcond("reset")
    expect(filters() == original, filters())


def carriesWholeTransfersThroughATunnel():
    tunnel()
    linkcond("apply --engine userspace -i near1 --uplink 'delay=1 ms,loss=0.1 %' --downlink 'delay=1 ms'")
    server = """
import socket, sys
s = socket.create_server(("fd09:1::2", 7000), family=socket.AF_INET6)
c, _ = s.accept(); got = b""
while True:
    d = c.recv(1 << 20)
    if not d: break
    got += d
c.sendall(got); c.close()"""
    client = """
import socket, threading
s = socket.create_connection(("fd09:1::2", 7000)); data = bytes(range(256)) * 8000; got = []
s.sendall(data); s.shutdown(socket.SHUT_WR)
while True:
    d = s.recv(1 << 20)
    if not d: break
    got.append(d)
print(b"".join(got) == data)"""
    serving = subprocess.Popen(["ip", "netns", "exec", "far", "python3", "-c", server])
    until(lambda: "7000" in subprocess.run("ip netns exec far ss -Hltn".split(), stdout=subprocess.PIPE,
                                           text=True).stdout, "the server")
    output = subprocess.run(["ip", "netns", "exec", "near", "python3", "-c", client], stdout=subprocess.PIPE,
                            text=True, timeout=HANG).stdout
    expect(output == "True\n", output)
    serving.wait()
    linkcond("reset")


def faultsAnswerOnBothSidesOfATunnel():
    import errno, json
    tunnel()
    profile = {"name": "Refusing", "faults": [{"match": {"port": 7001}, "do": {"refuse": "reset"}},
                                              {"match": {"port": 7002}, "do": {"refuse": "net"}}]}
    open("/tmp/refusing.json", "w").write(json.dumps(profile))
    servers = [subprocess.Popen(["ip", "netns", "exec", network, "python3", "-m", "http.server", "--bind", "::", port],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
               for network in ("near", "far") for port in ("7001", "7002")]
    attempt = lambda network, host, port: subprocess.run(
        ["ip", "netns", "exec", network, "python3", "-c",
         "import socket, sys\ntry: socket.create_connection((sys.argv[1], sys.argv[2]), 60); print('connected')\n"
         "except OSError as error: print(error.errno)", host, port], stdout=subprocess.PIPE, text=True).stdout.strip()
    ends = ("near", "10.9.1.2"), ("near", "fd09:1::2"), ("far", "10.9.1.1"), ("far", "fd09:1::1")
    for network, host in ends:
        for port in "7001", "7002":
            until(lambda: attempt(network, host, port) == "connected", "a server")
    linkcond("apply --engine userspace -i near1 /tmp/refusing.json")
    for network, host in ends:
        found = [attempt(network, host, port) for port in ("7001", "7002")]
        expect(found == [str(errno.ECONNREFUSED), str(errno.ENETUNREACH)], "%s to %s: %s" % (network, host, found))
    status = linkcond("status")
    # One packet each: what a fault has made does not come back to it. The kernel may ask again after a soft error.
    expect(re.search(r"(?m)^ +1 +refuse \(reset\): port 7001 +4$", status), status)
    expect(re.search(r"(?m)^ +2 +refuse \(net\): port 7002 +[4-9]$", status), status)
    for server in servers:
        server.kill()
        server.wait()
    linkcond("reset")


def packets(path):
    """The bytes of the packets in a capture (pcapng), without the blocks around them, which may have any numbers."""
    data, offset = read(path), 0
    while offset < len(data):
        kind, length = struct.unpack_from("<II", data, offset)
        if kind == 6:
            captured, = struct.unpack_from("<I", data, offset + 20)
            yield data[offset + 28:offset + 28 + captured]
        offset += length


def recordsATunnelsPackets():
    tunnel()
    linkcond("run --engine userspace -i near1 --uplink 'delay=5 ms' --downlink 'delay=5 ms' --protocol icmp "
             "--capture /tmp/tunnel.pcapng -- ping -n -q -c 3 -i 0.1 10.9.1.2")
    lines = linkcond("capture -r /tmp/tunnel.pcapng -n -t").splitlines()
    echoes = [line for line in lines if "10.9.1." in line and "icmp echo" in line and " after " in line]
    expect(len(echoes) == 6, lines)
    expect(not any(b"\x81\x00\x00\x00" in packet for packet in packets("/tmp/tunnel.pcapng")), "the pump's tag is there")
    os.unlink("/tmp/tunnel.pcapng")


def conditionsWhatLeavesABridgesPort():
    # Outside of the near network, whose mounts end with each command.
    subprocess.run(["ip", "netns", "add", "guest"], check=True)
    sh("ip link add bridge0 type bridge; ip link add port0 type veth peer name guest0; ip link set port0 master bridge0;"
       "ip link set guest0 netns guest; ip address add 10.9.2.1/24 dev bridge0; ip link set bridge0 up;"
       "ip link set port0 up; ip -n guest address add 10.9.2.2/24 dev guest0; ip -n guest link set guest0 up")
    until(lambda: times("10.9.2.2", 1), "the bridge")
    found = linkcond("apply --engine userspace 'Slow Net' -i port0", False)
    expect("a port of a bridge" in found and "only the uplink" in found, found)
    linkcond("apply --engine userspace --uplink 'delay=50 ms' -i port0")
    isSlow(50, "what leaves the port", "10.9.2.2", below=200)
    found = linkcond("switch LTE -i port0", False)
    expect("a port of a bridge" in found, found)
    linkcond("reset")
    found = times("10.9.2.2")
    expect(min(found) < 50, found)
