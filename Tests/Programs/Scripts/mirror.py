# SPDX-License-Identifier: Apache-2.0
# What MirrorTests.swift does in a private link, one function a test. The mirrors are in "near".
import contextlib, json, socket

NEAR = ["ip", "netns", "exec", "near"]
FAR = ["ip", "netns", "exec", "far"]
subprocess.run("ip -n far link set lo up", shell=True, check=True)


def mirror(arguments, name="m0", where=NEAR):
    done = subprocess.run(where + [PROGRAM, "capture", "--mirror", name] + arguments, capture_output=True, text=True)
    expect(done.returncode == 0, "capture --mirror %s ended with %d: %s" % (arguments, done.returncode, done.stderr))
    expect("tcpdump -i %s" % name in done.stderr and "capture --stop %s" % name in done.stderr, done.stderr)
    expect(done.stdout == "", done.stdout)


def stop(name="m0"):
    linkcond("capture --stop " + name)
    nothing()


def listed(where=NEAR):
    done = subprocess.run(where + [PROGRAM, "capture", "--list", "--json"], capture_output=True, text=True)
    expect(done.returncode == 0, done.stderr)
    return json.loads(done.stdout)


def counts(name="m0"):
    found = [each for each in listed() if each["name"] == name]
    return found[0]["packets"], found[0]["dropped"]


def nothing(words="the end", limit=15):
    """Waits until no mirror is left: no device, no process, nothing else that has changed. A look at the mirrors deletes the
    file at which one that has ended listened."""
    until(lambda: dump() == before and not living() and listed() == listed(FAR) == [], words, limit)
    expect(not os.listdir("/run/linkcond"), "%s is left" % os.listdir("/run/linkcond"))


def living():
    """The processes of mirrors. A process that has ended and is not reaped is none."""
    return [each for each in named("lc-mirror") if stat(each)[0] not in ("Z", "X", "gone")]


@contextlib.contextmanager
def watching(device, where=NEAR, expression="icmp or tcp or udp", longest=70000):
    """tcpdump while the body runs; yields a list that has the records (time, length, bytes) afterwards."""
    file = "/tmp/watched-%s" % device
    process = subprocess.Popen(where + ["tcpdump", "-U", "--immediate-mode", "-B", "65536", "-s", str(longest),
                                        "-i", device, "-w", file, expression], stderr=subprocess.PIPE)
    process.stderr.readline()
    time.sleep(0.3)
    records = []
    yield records
    # It writes each packet as it comes, and may be late on a busy machine.
    size, since = -1, time.monotonic()
    while time.monotonic() - since < 0.4:
        if os.path.getsize(file) != size:
            size, since = os.path.getsize(file), time.monotonic()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    words = process.communicate(timeout=HANG)[1].decode()
    expect("0 packets dropped by kernel" in words, "tcpdump on %s: %s" % (device, words))
    data, place = open(file, "rb").read(), 24
    expect(data[:4] == b"\xd4\xc3\xb2\xa1", "no pcap file")
    while place + 16 <= len(data):
        seconds, micros, kept, length = struct.unpack_from("<IIII", data, place)
        records.append((seconds + micros / 1e6, length, data[place + 16:place + 16 + kept]))
        place += 16 + kept


def frames(records):
    return [(length, data) for _, length, data in records]


def transfer(size):
    """Sends `size` bytes from near to far over TCP."""
    receiver = subprocess.Popen(FAR + ["python3", "-c", """if True:
        import socket
        s = socket.create_server(("10.9.0.2", 7000)); print(flush=True); c = s.accept()[0]; n = 0
        while data := c.recv(1 << 20): n += len(data)
        print(n)"""], stdout=subprocess.PIPE, text=True)
    receiver.stdout.readline()
    subprocess.run(NEAR + ["python3", "-c", "import socket; s = socket.create_connection(('10.9.0.2', 7000)); "
                           "s.sendall(bytes(%d)); s.close()" % size], check=True)
    expect(int(receiver.communicate()[0]) == size, "not all has arrived")


def datagrams(count, size=100):
    subprocess.run(NEAR + ["python3", "-c", "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                           "for n in range(%d): s.sendto(n.to_bytes(%d, 'big'), ('10.9.0.2', 7001))" % (count, size)])


def some():
    sh("ping -n -q -c 40 -i 0.005 -s 700 10.9.0.2; ping -6 -n -q -c 10 -i 0.01 fd09::2")


def same(ours, theirs, least):
    """Expects the same packets, in the same order for each sender: both sides may send at the same time."""
    expect(len(theirs) >= least, "only %d packets" % len(theirs))
    expect(len(ours) == len(theirs), "not the packets of the source: %d, %d" % (len(ours), len(theirs)))
    for sender in {data[6:12] for _, data in theirs}:
        pairs = zip(*([frame for frame in side if frame[1][6:12] == sender] for side in (ours, theirs)))
        wrong = [pair for pair in pairs if pair[0] != pair[1]]
        expect(not wrong, "not the packets of the source: %s" % [data[:80] for pair in wrong[:1] for _, data in pair])


def showsWhatTcpdumpShowsInTheNetwork():
    mirror(["--netns", "far"])
    with watching("far0", FAR, "icmp or icmp6") as theirs, watching("m0", NEAR, "icmp or icmp6") as ours:
        some()
    same(frames(ours), frames(theirs), 100)
    # Loopback is an interface of that network, too; each packet is shown once.
    with watching("m0") as ours:
        subprocess.run(FAR + ["ping", "-nqc", "3", "-i", "0.01", "127.0.0.1"], stdout=subprocess.DEVNULL)
    expect(len(ours) == 6, "%d packets of loopback" % len(ours))
    stop()


def showsWhatTcpdumpShowsOnTheInterface():
    mirror(["-i", "near0"])
    with watching("near0", NEAR, "icmp or icmp6") as theirs, watching("m0", NEAR, "icmp or icmp6") as ours:
        some()
    same(frames(ours), frames(theirs), 100)
    stop()
    mirror(["-i", "far0", "--netns", "far"])
    with watching("m0") as ours:
        subprocess.run(FAR + ["ping", "-nqc", "3", "-i", "0.01", "127.0.0.1"], stdout=subprocess.DEVNULL)
        subprocess.run(FAR + ["ping", "-nqc", "3", "-i", "0.01", "10.9.0.1"], stdout=subprocess.DEVNULL)
    expect(len(ours) == 6, "%d packets" % len(ours))
    stop()


def tshark(file, *arguments):
    done = subprocess.run(["tshark", "-n", "-r", file, *arguments], capture_output=True, text=True)
    expect(done.returncode == 0, done.stderr)
    return done.stdout.splitlines()


def parts(records):
    """For each sender, its TCP packets over IPv4: sequence number, length of the payload, flags."""
    found = {}
    for _, length, data in records:
        tcp = 14 + 4 * (data[14] & 15)
        number, head, flags = struct.unpack_from(">I4xBB", data, tcp + 4)
        found.setdefault(data[6:12], []).append((number, length - tcp - 4 * (head >> 4), flags))
    return found


def splits(ours, theirs):
    """Whether ours are theirs in the same order, each split or not: none is missing, or there twice."""
    rest = iter(ours)
    for number, length, flags in theirs:
        place = 0
        while True:
            part = next(rest, None)
            if part is None or part[0] != (number + place) % 2 ** 32 or part[1] > length - place:
                return False
            place += part[1]
            if place == length:
                break
        if length == 0 and part[2] != flags:
            return False
    return next(rest, None) is None


def showsThePacketsOfTheWire():
    mirror(["-i", "near0"])
    # A busy machine's TCP may send some twice: what is on the interface tells.
    with watching("near0", NEAR, "tcp port 7000", 200) as theirs, watching("m0", NEAR, "tcp port 7000", 1600) as ours:
        transfer(2000000)
    expect(max(length for _, length, _ in ours) <= 1514, "a frame of %d bytes" % max(length for _, length, _ in ours))
    mine, others = parts(ours), parts(theirs)
    expect(len(others) == 2 and sum(size for each in others.values() for _, size, _ in each) >= 2000000, "too few")
    for sender, packets in others.items():
        shown = mine.get(sender, [])
        expect(splits(shown, packets), "%d packets of %d bytes for %d of %d bytes, %s" % (
            len(shown), sum(size for _, size, _ in shown), len(packets), sum(size for _, size, _ in packets), counts()))
    wrong = tshark("/tmp/watched-m0", "-o", "tcp.check_checksum:TRUE", "-Y", "tcp.checksum.status != 1")
    expect(not wrong, "tshark: %s" % wrong[:3])
    # One that was lost, shown twice or out of order would be seen.
    for sender, packets in others.items():
        for change in (lambda all: all.pop(len(all) // 2), lambda all: all.insert(len(all) // 2, all[len(all) // 2]),
                       lambda all: all.append(all.pop(0)), lambda all: all.pop()):
            changed = list(mine[sender])
            change(changed)
            expect(not splits(changed, packets), "a wrong packet is not seen")
    stop()


def keepsSuperPacketsWhereAskedTo():
    mirror(["-i", "near0", "--super-packets"])
    with watching("near0", NEAR, "tcp port 7000") as theirs, watching("m0", NEAR, "tcp port 7000") as ours:
        transfer(2000000)
    expect(max(length for _, length, _ in ours) > 1514, "no super-packet")
    same(frames(ours), frames(theirs), 20)
    stop()


def showsPacketsWithoutEthernetHeaders():
    # Packets of a TUN device begin with the IP header.
    script = """if True:
        import fcntl, os, struct, subprocess, sys
        tun = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(tun, 0x400454ca, struct.pack("16sH22x", b"bare0", 0x1001))
        subprocess.run("ip address add 10.77.0.1/24 dev bare0; ip link set bare0 up", shell=True)
        print(flush=True)
        datagram = bytes.fromhex("1b581b5900080000")
        while sys.stdin.readline():
            os.write(tun, bytes.fromhex("4500001c00000000401165b50a4d00020a4d0001") + datagram)
            os.write(tun, bytes.fromhex("60000000000811ff") + bytes(15) + b"1" + bytes(15) + b"1" + datagram)"""
    other = subprocess.Popen(FAR + ["python3", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    other.stdout.readline()
    for number, arguments in enumerate((["-i", "bare0", "--netns", "far"], ["--netns", "far"])):
        mirror(arguments)
        with watching("m0", NEAR, "udp") as ours:
            other.stdin.write("\n")
            other.stdin.flush()
        types = [data[:14].hex() for _, _, data in ours]
        expect(types == ["00" * 12 + "0800", "00" * 12 + "86dd"], "%s" % types)
        expect(ours[0][2][14:].hex().startswith("4500001c"), "another packet")
        stop()
    other.communicate()


def showsPacketsAtTheirTimes():
    mirror(["-i", "near0"])

    def fault():
        with watching("near0", NEAR, "icmp") as theirs, watching("m0", NEAR, "icmp") as ours:
            sh("ping -n -q -c 100 -i 0.01 10.9.0.2")
        late = sorted(mine[0] - other[0] for mine, other in zip(ours, theirs))
        expect(len(late) == 200 and late[0] >= 0, "%d packets" % len(late))
        print("later than on the interface, in microseconds: median %d, 95 %% %d" % (late[100] * 1e6, late[190] * 1e6))
        return None if late[100] < 0.002 else "%g s late at the median" % late[100]

    settle(fault)
    stop()


def deliversNothingToTheNetworkItIsIn():
    """What is mirrored must not arrive: a broadcast there would reach the services here."""
    subprocess.run("ip -n far link add x0 type veth peer name x1 && ip -n far address add 10.88.0.1/24 dev x0 && "
                   "ip -n far link set x0 up && ip -n far link set x1 up", shell=True, check=True)
    sh("sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0 net.ipv4.conf.all.accept_local=1")
    service = subprocess.Popen(NEAR + ["python3", "-c", """if True:
        import os, signal, socket
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("", 5555)); s.setblocking(False)
        def tell(*_):
            try: print("received", s.recvfrom(100), flush=True)
            except BlockingIOError: print("nothing", flush=True)
            os._exit(0)
        signal.signal(signal.SIGTERM, tell); print(flush=True)
        while True: signal.pause()"""], stdout=subprocess.PIPE, text=True)
    service.stdout.readline()
    mirror(["-i", "x0", "--netns", "far"])
    # As a host would be that uses all its interfaces.
    sh("ip address add 10.88.0.9/24 dev m0")
    with watching("m0", NEAR, "udp port 5555") as ours:
        subprocess.run(FAR + ["python3", "-c", """if True:
            import socket
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"x0")
            for each in ("255.255.255.255", "10.88.0.255", "10.88.0.9"): s.sendto(b"hello", (each, 5555))"""], check=True)
    expect(len(ours) >= 2, "the mirror shows %d packets" % len(ours))
    service.terminate()
    heard = service.communicate()[0].strip()
    expect(heard == "nothing", "a service of this network %s" % heard)
    link = json.loads(sh("ip -j -s link show m0"))[0]
    expect(link["stats64"]["rx"]["packets"] == 0, "packets arrived: %s" % link["stats64"])
    sh("sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.all.accept_local=0")
    linkcond("capture --stop m0")


def sendsNothingOn():
    SENT = "ether proto 0x88b5 or net 10.50.0.0/24 or arp net 10.50.0.0/24"
    mirror(["-i", "near0"])
    sh("ip address add 10.50.0.1/24 dev m0; ip neighbour add 10.50.0.2 lladdr 02:00:00:00:00:01 dev m0")
    with watching("near0", NEAR, SENT) as near, watching("far0", FAR, SENT) as far:
        # Through the network's stack, and past it.
        sh("ping -n -q -c 3 -i 0.01 -W 0.2 10.50.0.2", False)
        subprocess.run(NEAR + ["python3", "-c", """if True:
            import socket
            s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0); s.bind(("m0", 0))
            for n in range(2000): s.send(b"\\xff" * 12 + bytes.fromhex("88b5") + bytes(1000))"""], check=True)
    expect(not near and not far, "%d packets on" % (len(near) + len(far)))
    # Nor is it held up by packets that are not read.
    with watching("m0", NEAR, "icmp") as ours:
        sh("ping -n -q -c 5 -i 0.01 10.9.0.2")
    expect(len(ours) == 10, "%d packets afterwards" % len(ours))
    stop()


def isSilent():
    mirror(["-i", "lo"])
    with watching("m0", NEAR, "") as ours:
        time.sleep(2)
    expect(not ours, "it shows %d packets of its own" % len(ours))
    link = json.loads(sh("ip -j -d address show m0"))[0]
    expect(not link["addr_info"], "addresses %s" % link["addr_info"])
    expect("NOARP" in link["flags"] and "MULTICAST" not in link["flags"], "%s" % link["flags"])
    expect("shows lo" in link["ifalias"], link["ifalias"])
    expect("m0" not in sh("ip route; ip -6 route show table all"), "routes")
    # Other programs expect frames of its length at most.
    stop()
    mirror(["-i", "near0"])
    expect(json.loads(sh("ip -j link show m0"))[0]["mtu"] == 1500, "another MTU")
    stop()


def endsWithItsNamedNetwork():
    subprocess.run(["ip", "netns", "add", "other"], check=True)
    subprocess.run(["ip", "netns", "add", "second"], check=True)
    mirror(["--netns", "other"])
    subprocess.run(["ip", "netns", "del", "second"], check=True)
    time.sleep(0.2)
    expect(len(listed()) == 1, "it ended with another network")
    subprocess.run(["ip", "netns", "del", "other"], check=True)
    nothing("its network's end", 15)


def endsWithItsProcess():
    process = subprocess.Popen(["unshare", "-n", "sleep", "1000"])
    until(lambda: name(process.pid) == "sleep", "the process")
    mirror(["--pid", str(process.pid)])
    subprocess.run(["nsenter", "-t", str(process.pid), "-n", "ip", "link", "set", "lo", "up"], check=True)
    with watching("m0") as ours:
        subprocess.run(["nsenter", "-t", str(process.pid), "-n", "ping", "-qc1", "127.0.0.1"], stdout=subprocess.DEVNULL)
    expect(len(ours) == 2, "%d packets" % len(ours))
    process.kill()
    process.wait()
    nothing("its process's end", 15)


def endsWithItsInterface():
    sh("ip link add gone0 type veth peer name gone1 && ip link set gone0 up && ip link set gone1 up")
    mirror(["-i", "gone0"])
    sh("ip link del gone0")
    nothing("its interface's end", 15)
    # One that is down, and one that leaves for another network.
    sh("ip link add gone0 type veth peer name gone1")
    mirror(["-i", "gone0"])
    mirror(["-i", "gone1"], "m1")
    sh("ip link set gone1 netns far && ip link del gone0")
    nothing("the end of interfaces that were down", 15)


def outlivesAnInterfaceThatGoesDown():
    mirror(["-i", "near0"])
    sh("ip link set near0 down")
    time.sleep(0.5)
    sh("ip link set near0 up && ip -6 address replace fd09::1/64 dev near0 nodad")
    until(lambda: times("10.9.0.2", 1), "the link")
    with watching("m0", NEAR, "icmp") as ours:
        sh("ping -n -q -c 3 -i 0.01 10.9.0.2")
    expect(len(ours) == 6, "%d packets" % len(ours))
    linkcond("capture --stop m0")


def leavesAFileForTheNextLookWhenItIsKilled():
    mirror(["-i", "near0"])
    os.kill(living()[0], signal.SIGKILL)
    until(lambda: not living() and dump() == before, "its end")
    mirror(["-i", "near0"])
    expect(len(os.listdir("/run/linkcond")) == 1, "%s" % os.listdir("/run/linkcond"))
    # Its device is known by its number.
    sh("ip link set m0 name m1 || { ip link set m0 down && ip link set m0 name m1 && ip link set m1 up; }")
    expect([each["name"] for each in listed() if "packets" in each] == ["m1"], "%s" % listed())
    stop("m1")


def endsWithItsDevice():
    mirror(["-i", "near0"])
    sh("ip link del m0")
    nothing("its device's end", 15)


def countsWhatItDoesNotShow():
    mirror(["-i", "near0"])
    interface = "/sys/class/net/near0/statistics/"
    carried = lambda: sum(int(sh("cat %stx_packets %srx_packets" % (interface, interface)).split()[each]) for each in (0, 1))
    first, (packets, dropped) = carried(), counts()
    process = living()[0]
    os.kill(process, signal.SIGSTOP)
    datagrams(100000)
    os.kill(process, signal.SIGCONT)
    until(lambda: sum(counts()) - packets - dropped == carried() - first, "the sum to be what the interface carried")
    expect(counts()[1] > 10000 and counts()[0] > 10000, "%s" % (counts(),))
    print("of %d packets, %d were dropped while it was stopped" % (sum(counts()), counts()[1]))
    stop()


def listsMirrorsOfThisNetworkAlone():
    expect("no mirrors" in linkcond("capture --list"), "another list")
    mirror(["-i", "near0"])
    mirror(["--netns", "far"], "m1")
    mirror(["-i", "lo"], "m0", FAR)
    lines = linkcond("capture --list").splitlines()
    expect(lines[0].split() == ["NAME", "SOURCE", "PACKETS", "DROPPED", "SINCE", "PROCESS"], lines[0])
    expect([line.split()[0] for line in lines[1:]] == ["m0", "m1"], "%s" % lines)
    expect("the network namespace far" in lines[2], lines[2])
    both = listed()
    expect(sorted(each["process"] for each in both) == sorted(set(living()) - {listed(FAR)[0]["process"]}), "%s" % both)
    expect(both[0]["source"] == "near0" and abs(both[0]["began"] - time.time()) < 3600, "%s" % both[0])
    # It has no rights that it does not need.
    status = read("/proc/%d/status" % both[0]["process"]).decode()
    expect("CapEff:\t0000000000000000" in status and "Seccomp:\t2" in status and "NoNewPrivs:\t1" in status, status)
    expect(int(re.search(r"Uid:\t(\d+)", status)[1]) != 0, status)
    # Any user may look, but not end it.
    other = NEAR + ["setpriv", "--reuid", "65534", "--clear-groups", PROGRAM, "capture"]
    done = subprocess.run(other + ["--list", "--json"], capture_output=True, text=True)
    expect([each.get("source") for each in json.loads(done.stdout)] == [each["source"] for each in both], done.stdout)
    done = subprocess.run(other + ["--stop", "m0"], capture_output=True, text=True)
    expect(done.returncode == 77 and "sudo linkcond capture --stop m0" in done.stderr, done.stderr)
    # Each name is its network's.
    expect("there is an interface \"m0\"" in linkcond("capture --mirror m0 -i lo", False), "a second m0")
    linkcond("capture --stop m0")
    expect([each["name"] for each in listed()] == ["m1"] and len(listed(FAR)) == 1, "another has ended")
    subprocess.run(FAR + [PROGRAM, "capture", "--stop", "m0"], check=True, stderr=subprocess.DEVNULL)
    stop("m1")


def endsOneThatDoesNotAnswer():
    mirror(["-i", "near0"])
    os.kill(living()[0], signal.SIGSTOP)
    found = listed()
    expect(found[0]["name"] == "m0" and "source" not in found[0] and found[0]["process"] == living()[0], "%s" % found)
    expect("does not answer" in linkcond("capture --list"), "another list")
    stop()


def leavesOthersDevicesAlone():
    # A persistent TAP device, which could be taken over.
    sh("ip tuntap add mode tap name theirs")
    kept = sh("ip -d link show theirs")
    for attempt in ("--mirror theirs -i near0", "--mirror near0 -i lo"):
        expect("already" in linkcond("capture " + attempt, False), "taken")
    expect(sh("ip -d link show theirs") == kept, "changed")
    expect("no mirror" in linkcond("capture --stop theirs", False) and sh("ip -d link show theirs") == kept, "ended")
    # One that says it were a mirror has no socket.
    sh("ip link set theirs alias 'shows near0, by linkcond'")
    expect([(each["name"], "packets" in each) for each in listed()] == [("theirs", False)], "%s" % listed())
    expect("another user's" in linkcond("capture --stop theirs", False) and "theirs" in sh("ip link"), "ended")
    sh("ip link del theirs")
    nothing()


def isReachedByItsUserAlone():
    """No name in the network, and a file that other users cannot connect to."""
    mirror(["-i", "near0"])
    names = subprocess.run(NEAR + ["cat", "/proc/net/unix"], capture_output=True, text=True).stdout
    expect("@" not in names and "mirror" in names, names)
    place = "/run/linkcond/" + os.listdir("/run/linkcond")[0]
    expect(os.stat(place).st_mode & 0o777 == 0o600 and os.stat("/run/linkcond").st_mode & 0o777 == 0o700, place)
    done = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", "/usr/bin/python3", "-c",
                           "import socket; socket.socket(socket.AF_UNIX).connect('%s')" % place], capture_output=True, text=True)
    expect("PermissionError" in done.stderr, done.stderr)
    stop()


def keepsNobodyWaitingForASilentClient():
    mirror(["-i", "near0"])
    place = "/run/linkcond/" + os.listdir("/run/linkcond")[0]
    silent = []
    for _ in range(40):
        silent.append(socket.socket(socket.AF_UNIX))
        silent[-1].connect(place)
    used = lambda: sum(map(int, read("/proc/%d/stat" % living()[0]).split()[13:15]))
    with watching("m0", NEAR, "icmp or icmp6") as ours:
        begin = time.monotonic()
        some()
        expect(counts()[0] >= 100, "%s" % (counts(),))
        expect(time.monotonic() - begin < 10, "a client waited for others")
    expect(len(ours) >= 100, "packets waited")
    # It has hung up on each, and does not spin.
    for each in silent:
        each.settimeout(HANG)
        expect(each.recv(1) == b"", "an answer")
    first = used()
    time.sleep(1)
    expect(used() - first < 20, "it used %d ticks of a second" % (used() - first))
    stop()


def staysCalmWhereNetworksMirrorEachOther():
    mirror(["--netns", "far"])
    mirror(["--netns", "near"], "m1", FAR)
    sh("ping -n -q -c 5 -i 0.01 10.9.0.2")
    time.sleep(0.5)
    first = counts()
    time.sleep(0.5)
    expect(counts()[0] - first[0] < 10 and first[0] < 100, "%s, then %s" % (first, counts()))
    subprocess.run(FAR + [PROGRAM, "capture", "--stop", "m1"], check=True, stderr=subprocess.DEVNULL)
    stop()


def showsASandboxOnce():
    """A packet passes linkcond's own devices, which are no part of what is shown."""
    command = subprocess.Popen(NEAR + [PROGRAM, "run", "LTE", "--offline", "--", "sh", "-c",
                                       "echo $$ > /tmp/inside; while [ -e /tmp/inside ]; do sleep 0.05; done; "
                                       "ping -n -q -c 5 -i 0.05 127.0.0.1; sleep 1"], stdout=subprocess.DEVNULL)
    until(lambda: read("/tmp/inside").strip(), "the sandbox")
    # Without a PID namespace, the number is the same outside.
    mirror(["--pid", read("/tmp/inside").decode().strip()])
    with watching("m0", NEAR, "icmp") as ours:
        os.unlink("/tmp/inside")
        expect(command.wait(HANG) == 0, "the command failed")
    expect(len(ours) == 10, "%d packets" % len(ours))
    nothing("the sandbox's end", 15)


def letsThePipeOfItsStarterEnd():
    """A script that reads the command's output must see its end, and the mirror survives the terminal."""
    done = subprocess.run(NEAR + ["sh", "-c", PROGRAM + " capture --mirror m0 -i near0 2>&1 | cat"], capture_output=True,
                          text=True, timeout=HANG, start_new_session=True)
    expect("m0 shows near0" in done.stdout, done.stdout)
    process = living()[0]
    expect(os.getsid(process) == process and os.readlink("/proc/%d/cwd" % process) == "/", "another session")
    stop()


def leavesNothingAtAnyMoment(trials):
    """Kills the command, the mirror's process, or both, while it starts, works, or ends."""
    def start_one():
        return start(NEAR + [PROGRAM, "capture", "--mirror", "m0", "-i", "near0"])

    def devices():
        return [each["ifname"] for each in json.loads(sh("ip -j link")) if each["ifname"] == "m0"]

    begin = time.monotonic()
    end(start_one())
    span = time.monotonic() - begin
    stop()
    found = {"nothing": 0, "a mirror": 0}
    for trial in range(trials):
        phase = ("start", "work", "end")[trial % 3]
        if phase != "start":
            end(start_one())
        process = start_one() if phase == "start" else start(NEAR + [PROGRAM, "capture", "--stop", "m0"]) \
            if phase == "end" else start(NEAR + ["ping", "-n", "-q", "-f", "-c", "1000", "10.9.0.2"])
        time.sleep(random.uniform(0, span * 1.2))
        alive = [each for each in others() if name(each) in ("linkcond", "lc-mirror")]
        victims = alive if trial % 2 == 0 else random.sample(alive, min(len(alive), 1))
        words = "trial %d: %s, %s" % (trial, phase, [name(each) for each in victims])
        for victim in victims:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
        end(process)
        # What is there works and is listed; nothing else is there. One that ends with its starter does not answer, but has a
        # device for a moment.
        until(lambda: [each["name"] for each in listed() if "packets" in each] == devices() and len(devices()) == len(living()),
              words)
        found["a mirror" if devices() else "nothing"] += 1
        if devices():
            linkcond("capture --stop m0")
        nothing(words)
    print("after %d kills: %s" % (trials, found))
