# SPDX-License-Identifier: Apache-2.0
# What CaptureTests.swift does in a private link, one function a test.
import contextlib, socket, struct

NEAR = ["ip", "netns", "exec", "near"]
FAR = ["ip", "netns", "exec", "far"]
FILE = "/tmp/packets.pcapng"


def packet_sockets():
    """The number of packet sockets that take packets: packet_seq_show in net/packet/af_packet.c."""
    rows = [line.split() for line in sh("cat /proc/net/packet").splitlines()]
    return sum(row[5] == "1" for row in rows)


@contextlib.contextmanager
def capturing(arguments, stdout=subprocess.DEVNULL):
    """Captures while the body runs; .errors and .status tell the end."""
    errors = open("/tmp/errors", "w+")
    others = packet_sockets()
    process = subprocess.Popen(NEAR + [PROGRAM, "capture"] + arguments, stdout=stdout, stderr=errors, text=True)
    until(lambda: packet_sockets() > others or process.poll() is not None, "the capture")
    try:
        yield process
        time.sleep(0.1)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(HANG)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        errors.seek(0)
        process.errors = errors.read()


def tshark(file, *arguments):
    """What tshark prints of a file, which it must read without a complaint."""
    done = subprocess.run(["tshark", "-n", "-r", file, *arguments], capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines() if "root" not in line]
    expect(done.returncode == 0 and not complaints, "tshark: %s" % complaints)
    return done.stdout.splitlines()


def sound(file):
    # Not its order of time: the kernel stamps a packet before it has a place in the ring, so two processors may swap.
    done = subprocess.run(["capinfos", "-M", file], capture_output=True, text=True)
    expect(done.returncode == 0 and "cut short" not in done.stderr, done.stdout + done.stderr)


def linesOf(file, *arguments):
    done = subprocess.run([PROGRAM, "capture", "-r", file, *arguments], capture_output=True, text=True)
    expect(done.returncode == 0, done.stderr)
    return done.stdout.splitlines()


def transfer(size, port=7000):
    """Sends `size` bytes from near to far over TCP."""
    receiver = subprocess.Popen(FAR + ["python3", "-c", """if True:
        import socket
        s = socket.create_server(("10.9.0.2", %d)); print(flush=True); c = s.accept()[0]; n = 0
        while data := c.recv(1 << 20): n += len(data)
        print(n)""" % port], stdout=subprocess.PIPE, text=True)
    receiver.stdout.readline()
    subprocess.run(NEAR + ["python3", "-c", "import socket; s = socket.create_connection(('10.9.0.2', %d)); "
                           "s.sendall(bytes(%d)); s.close()" % (port, size)], check=True)
    expect(int(receiver.communicate()[0]) == size, "not all has arrived")


def holdsWhatTcpdumpHolds():
    tcpdump = ["tcpdump", "--immediate-mode", "-U", "-i", "near0", "-w", "/tmp/other.pcap", "icmp"]
    other = subprocess.Popen(NEAR + tcpdump, stderr=subprocess.PIPE)
    other.stderr.readline()
    time.sleep(0.3)
    with capturing(["-i", "near0", "-w", FILE, "--filter", "icmp"]) as capture:
        sh("ping -n -q -c 50 -i 0.01 10.9.0.2")
    time.sleep(0.2)
    other.send_signal(signal.SIGINT)
    other.wait()
    expect(capture.returncode == 0 and "100 packets captured" in capture.errors, capture.errors)
    sound(FILE)
    fields = ["-T", "fields", "-e", "frame.len", "-e", "icmp.type", "-e", "icmp.seq", "-e", "data.data"]
    ours, theirs = tshark(FILE, *fields), tshark("/tmp/other.pcap", *fields)
    expect(ours == theirs, "not tcpdump's packets: %d, %d, %s" % (len(ours), len(theirs), list(zip(ours, theirs))[:2]))
    # Both have the kernel's time of the packet.
    stamps = [[float(each) for each in tshark(file, "-T", "fields", "-e", "frame.time_epoch")]
              for file in (FILE, "/tmp/other.pcap")]
    expect(all(abs(ours - theirs) < 0.001 for ours, theirs in zip(*stamps)), "other times than tcpdump's")
    directions = tshark(FILE, "-T", "fields", "-e", "frame.packet_flags_direction", "-e", "icmp.type")
    expect(set(directions) == {"0x00000002\t8", "0x00000001\t0"}, "directions %s" % set(directions))
    expect(len(linesOf(FILE)) == 100, "capture -r shows another number")


def splitsSuperPackets():
    # A busy machine answers late, and TCP would probe for a loss by sending the last segment again.
    sh("echo 0 > /proc/sys/net/ipv4/tcp_early_retrans")
    with capturing(["-i", "near0", "-w", FILE, "--filter", "tcp port 7000"]):
        transfer(2000000)
    sound(FILE)
    lengths = [int(each) for each in tshark(FILE, "-T", "fields", "-e", "frame.len")]
    expect(max(lengths) <= 1514, "a frame of %d bytes" % max(lengths))
    # tshark finds each byte once: none missing, none repeated.
    payload = tshark(FILE, "-Y", "tcp.dstport == 7000", "-T", "fields", "-e", "tcp.len")
    expect(sum(map(int, payload)) == 2000000, "%d bytes of payload" % sum(map(int, payload)))
    wrong = tshark(FILE, "-Y", "tcp.analysis.retransmission || tcp.analysis.lost_segment || tcp.analysis.out_of_order")
    expect(not wrong, "tshark: %s" % wrong[:3])
    ends = tshark(FILE, "-Y", "tcp.dstport == 7000 && tcp.flags.fin == 1")
    expect(len(ends) == 1, "%d segments end the connection" % len(ends))


def keepsSuperPacketsWhereAskedTo():
    with capturing(["-i", "near0", "-w", FILE, "--super-packets", "--filter", "tcp port 7000"]):
        transfer(2000000)
    lengths = [int(each) for each in tshark(FILE, "-T", "fields", "-e", "frame.len")]
    expect(max(lengths) > 1514, "no super-packet among %d" % len(lengths))


def keepsWhatMatchesAndAsMuchAsAsked():
    with capturing(["-i", "near0", "-w", FILE, "-s", "60", "--filter", "icmp[icmptype] == icmp-echo"]) as capture:
        sh("ping -n -q -c 5 -i 0.01 -s 500 10.9.0.2; ping -6 -n -q -c 2 -i 0.01 fd09::2")
    expect("5 packets captured" in capture.errors, capture.errors)
    expect(tshark(FILE, "-T", "fields", "-e", "frame.len", "-e", "frame.cap_len") == ["542\t60"] * 5, "lengths")
    info = subprocess.run(["capinfos", FILE], capture_output=True, text=True).stdout
    expect("Filter string = icmp[icmptype] == icmp-echo" in info and "Capture length = 60" in info, info)


def holdsAllInterfacesOfANetwork():
    with capturing(["-w", FILE, "--filter", "icmp"]):
        sh("ping -n -q -c 2 -i 0.01 10.9.0.2; ping -n -q -c 2 -i 0.01 127.0.0.1")
    sound(FILE)
    names = tshark(FILE, "-T", "fields", "-e", "frame.interface_name")
    # Loopback's packets leave and arrive, and are kept once.
    expect(sorted(names) == ["lo"] * 4 + ["near0"] * 4, "interfaces %s" % names)
    done = subprocess.run([PROGRAM, "capture", "--netns", "near", "-c", "1", "--for", "5s", "-n"],
                          capture_output=True, text=True)
    expect(done.returncode == 0, done.stderr)


def showsAConnectionOverLoopbackOnce():
    with capturing(["-i", "lo", "-w", FILE]):
        connection = ("import socket; s = socket.create_server(('127.0.0.1', 7000)); "
                      "c = socket.create_connection(('127.0.0.1', 7000)); d = s.accept()[0]; "
                      "c.sendall(b'x' * 3000); d.recv(3000); d.sendall(b'y'); c.recv(1)")
        subprocess.run(NEAR + ["python3", "-c", connection], check=True)
    sound(FILE)
    expect(sum(map(int, tshark(FILE, "-T", "fields", "-e", "tcp.len"))) == 3001, "not each byte once")
    wrong = tshark(FILE, "-Y", "tcp.analysis.flags")
    expect(not wrong, "tshark: %s" % wrong[:3])


def filtersPacketsWithoutEthernetHeaders():
    tunnel = subprocess.Popen(NEAR + ["python3", "-c", """if True:
        import fcntl, os, struct, subprocess, time
        tunnel = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(tunnel, 0x400454ca, struct.pack("16sH", b"tun7", 0x1001))
        subprocess.run("ip address add 10.7.0.1/24 dev tun7 && ip link set tun7 up", shell=True, check=True)
        print(flush=True)
        while True: os.read(tunnel, 2048)"""], stdout=subprocess.PIPE, text=True)
    tunnel.stdout.readline()
    try:
        for arguments in (["-i", "tun7"], []):
            with capturing(arguments + ["-w", FILE, "--filter", "icmp and dst 10.7.0.2"]):
                sh("ping -n -q -c 3 -i 0.01 -W 0.1 10.7.0.2; ping -n -q -c 2 -i 0.01 10.9.0.2", False)
            sound(FILE)
            seen = tshark(FILE, "-T", "fields", "-e", "frame.interface_name", "-e", "icmp.type", "-e", "ip.dst")
            expect(seen == ["tun7\t8\t10.7.0.2"] * 3, "%s: %s" % (arguments, seen))
        with capturing(["-i", "tun7", "-w", FILE, "--filter", "ether broadcast"]):
            sh("ping -n -q -c 1 -W 0.1 10.7.0.2", False)
        expect(not tshark(FILE), "an expression about Ethernet matches")
    finally:
        tunnel.kill()
        tunnel.wait()


def tellsNamesThatWereAnswered():
    server = subprocess.Popen(FAR + ["python3", "-c", """if True:
        import socket
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("10.9.0.2", 53)); print(flush=True)
        q, peer = s.recvfrom(512)
        s.sendto(q[:2] + bytes.fromhex("81800001000100000000") + q[12:]
                 + bytes.fromhex("c00c00010001000000090004") + socket.inet_aton("10.9.0.2"), peer)"""],
        stdout=subprocess.PIPE, text=True)
    server.stdout.readline()
    query = "bytes.fromhex('abcd01000001000000000000') + b'\\x03www\\x04test\\x00\\x00\\x01\\x00\\x01'"
    with capturing(["-i", "near0", "-w", FILE]):
        subprocess.run(NEAR + ["python3", "-c", "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
                               "s.sendto(%s, ('10.9.0.2', 53)); s.recv(512)" % query], check=True)
        sh("ping -n -q -c 1 10.9.0.2")
    server.wait(HANG)
    sound(FILE)
    shown = [line for line in linesOf(FILE, "-t") if "echo" in line]
    expect(len(shown) == 2 and "> www.test: icmp echo request" in shown[0], "%s" % shown)
    expect("dns query 43981 A www.test" in "\n".join(linesOf(FILE)), "no query")
    expect("dns answer 43981 A www.test 10.9.0.2" in "\n".join(linesOf(FILE)), "no answer")
    expect("www.test: icmp" not in "\n".join(linesOf(FILE, "-n")), "-n shows names")
    info = subprocess.run(["capinfos", FILE], capture_output=True, text=True).stdout
    expect("Number of resolved IPv4 addresses in file: 1" in info, info)


def isReadableAfterAKill():
    with capturing(["-i", "near0", "-w", FILE, "--filter", "icmp"]) as capture:
        sh("ping -n -q -c 20 -i 0.01 10.9.0.2")
        time.sleep(0.3)
        capture.kill()
    sound(FILE)
    expect(len(tshark(FILE)) == 40 and len(linesOf(FILE)) == 40, "not all packets are there")
    # Half a block at the end, as a machine that stops leaves it.
    with open(FILE, "r+b") as file:
        file.truncate(os.path.getsize(FILE) - 7)
    done = subprocess.run([PROGRAM, "capture", "-r", FILE], capture_output=True, text=True)
    expect(done.returncode == 0 and len(done.stdout.splitlines()) == 39, done.stderr)
    expect("ends within a packet" in done.stderr, done.stderr)


def endsWhenTheDiskIsFull():
    # The file system is the capture's own: each ip netns exec has its own mounts.
    script = ("mkdir -p /tmp/full && mount -t tmpfs -o size=64k none /tmp/full && "
              "$0 capture -i near0 -w /tmp/full/file; status=$?; cp /tmp/full/file /tmp/copy; exit $status")
    process = subprocess.Popen(NEAR + ["sh", "-c", script, PROGRAM], stderr=subprocess.PIPE, text=True)
    until(lambda: len(sh("cat /proc/net/packet").splitlines()) > 1, "the capture")
    time.sleep(0.2)
    sh("ping -n -q -f -c 400 -s 500 10.9.0.2")
    errors = process.communicate(timeout=HANG)[1]
    expect(process.returncode == 74 and "No space left on device; it can be read up to there" in errors, errors)
    sound("/tmp/copy")
    expect(90 < len(tshark("/tmp/copy")) < 125, "%d packets" % len(tshark("/tmp/copy")))


def endsWhenItsReaderGoes():
    reader, writer = os.pipe()
    with capturing(["-i", "near0", "-w", "-"], stdout=writer) as capture:
        os.close(writer)
        expect(os.read(reader, 4) == bytes.fromhex("0a0d0d0a"), "no pcapng")
        os.close(reader)
        sh("ping -n -q -c 3 -i 0.1 10.9.0.2")
        capture.wait(HANG)
    expect(capture.returncode == 0, "status %d: %s" % (capture.returncode, capture.errors))


def endsWhenTheReaderOfAFIFOGoes():
    os.mkfifo("/tmp/fifo")
    reader = subprocess.Popen(["head", "-c", "100", "/tmp/fifo"], stdout=subprocess.DEVNULL)
    with capturing(["-i", "near0", "-w", "/tmp/fifo"]) as capture:
        sh("ping -n -q -c 5 -i 0.1 10.9.0.2")
        reader.wait(HANG)
        capture.wait(HANG)
    expect(capture.returncode == 0, "status %d: %s" % (capture.returncode, capture.errors))


def endsWhileItsReaderDoesNotRead():
    reader, writer = os.pipe()
    with capturing(["-i", "near0", "-w", "-"], stdout=writer) as capture:
        # More than a pipe holds.
        sh("ping -n -q -f -c 300 -s 1400 10.9.0.2")
        capture.terminate()
        # It waits for its reader for a moment only.
        until(lambda: capture.poll() is not None, "the end of the capture", 15)
    expect(capture.returncode == 74 and "does not read; it lacks the last packets" in capture.errors, capture.errors)


def endsWhilePacketsKeepComing():
    flood = subprocess.Popen(NEAR + ["python3", "-c", """if True:
        import socket
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(("10.9.0.2", 9)); data = bytes(1400)
        while True:
            try: s.send(data)
            except OSError: pass"""])
    try:
        until(lambda: int(sh("cat /sys/class/net/near0/statistics/tx_packets")) > 1000, "a flood")
        # A reader that is slower than the packets, so that there are always more. On a busy machine few come.
        for pause in (0.02, 0.1, 0.5):
            errors = endsInAFlood(pause)
            if "more dropped by the kernel" in errors:
                return
        doubts.append("the slowest reader was too fast: " + errors)
    finally:
        flood.kill()
        flood.wait()


def endsInAFlood(pause):
    """Captures for a reader that pauses after each 64 KiB, and ends it; what it says at its end."""
    reader = subprocess.Popen(["python3", "-c", """if True:
        import sys, time
        while sys.stdin.buffer.read1(1 << 16): time.sleep(float(sys.argv[1]))""", str(pause)], stdin=subprocess.PIPE)
    try:
        with capturing(["-i", "near0", "-w", "-"], stdout=reader.stdin) as capture:
            reader.stdin.close()
            time.sleep(2)
            capture.send_signal(signal.SIGINT)
            capture.wait(HANG)
        return capture.errors
    finally:
        reader.kill()
        reader.wait()


def takesNoFileOfOthersInASharedDirectory():
    os.mkdir("/tmp/shared")
    os.chmod("/tmp/shared", 0o1777)
    open("/tmp/precious", "w").write("precious")
    os.symlink("/tmp/precious", "/tmp/shared/link")
    open("/tmp/shared/theirs", "w").write("theirs")
    os.chown("/tmp/shared/theirs", 65534, 65534)
    for name, words in (("link", "symbolic links"), ("theirs", "a file of user 65534 in a shared directory")):
        done = subprocess.run(NEAR + [PROGRAM, "capture", "-i", "near0", "-w", "/tmp/shared/" + name, "--for", "50ms"],
                              capture_output=True, text=True)
        expect(done.returncode in (74, 77) and words in done.stderr, "%d: %s" % (done.returncode, done.stderr))
    expect(open("/tmp/precious").read() == "precious", "the target of a link is overwritten")
    expect(open("/tmp/shared/theirs").read() == "theirs", "the file of another user is overwritten")
    for _ in range(2):
        sh(PROGRAM + " capture -i near0 -w /tmp/shared/ours --for 50ms")
    # Elsewhere a link is the user's own business.
    os.mkdir("/tmp/own")
    os.symlink("/tmp/elsewhere", "/tmp/own/link")
    sh(PROGRAM + " capture -i near0 -w /tmp/own/link --for 50ms")
    expect(os.path.getsize("/tmp/elsewhere") > 50, "nothing is written through a link")


def endsWithItsInterface():
    sh("ip link add gone0 type veth peer name gone1 && ip link set gone0 up && ip link set gone1 up")
    with capturing(["-i", "gone0", "-w", FILE]) as capture:
        sh("ip link del gone0")
        capture.wait(HANG)
    expect(capture.returncode == 66 and "gone0 is gone or down" in capture.errors, capture.errors)
    sound(FILE)


def endsAtItsLimits():
    with capturing(["-i", "near0", "-w", FILE, "-c", "7"]) as capture:
        sh("ping -n -q -c 10 -i 0.01 10.9.0.2")
        capture.wait(HANG)
    expect(capture.returncode == 0 and "7 packets captured" in capture.errors, capture.errors)
    expect(len(tshark(FILE)) == 7, "not seven")
    begin = time.monotonic()
    sh(PROGRAM + " capture -i near0 -w /dev/null --for 300ms")
    expect(time.monotonic() - begin > 0.3, "another time")


def beginsNewFiles():
    with capturing(["-i", "near0", "-w", "/tmp/part.pcapng", "--rotate-size", "10kB", "--rotate-keep", "2",
                    "--filter", "icmp"]):
        for each in range(6):
            sh("ping -n -q -c 10 -i 0.01 -s 600 10.9.0.2")
            time.sleep(0.1)
    files = sorted(each for each in os.listdir("/tmp") if each.startswith("part"))
    expect(len(files) == 2 and files[-1] >= "part.00004.pcapng", "%s" % files)
    for each in files:
        sound("/tmp/" + each)
    expect(all(len(tshark("/tmp/" + each)) > 0 for each in files[:1]), "an empty file")
    for each in files:
        # The last one may have begun with the end: no interface is in it, then.
        packets = len(tshark("/tmp/" + each))
        expect(counts("/tmp/" + each) == ([packets] if packets else []), "%s counts %s" % (each, counts("/tmp/" + each)))


def counts(file):
    """The packets that the interface statistics blocks of a file say are in it."""
    data, counts = open(file, "rb").read(), []
    while data:
        kind, size = struct.unpack("=II", data[:8])
        options = data[20:size - 4] if kind == 5 else b""
        while options:
            code, length = struct.unpack("=HH", options[:4])
            if code == 8:
                counts.append(struct.unpack("=Q", options[4:12])[0])
            options = options[4 + (length + 3) // 4 * 4:]
        data = data[size:]
    return counts


def readsDamagedFiles():
    with capturing(["-i", "near0", "-w", FILE, "--filter", "icmp"]):
        sh("ping -n -q -c 5 -i 0.01 10.9.0.2")
    whole = open(FILE, "rb").read()
    expect(linesOf(FILE, "-c", "3") == linesOf(FILE)[:3], "-c 3 shows another number")
    damaged = [(whole[:size], (0, 65) if size < 24 else (0,)) for size in range(4, len(whole), 37)]
    damaged += [(whole[:place] + b"\xff\xff" + whole[place + 2:], (0, 65)) for place in range(0, len(whole), 41)]
    damaged += [(b"", (65,)), (b"hi", (65,)), (bytes(100), (65,)), (whole + b"\0" * 5000, (65,)), (whole * 2, (0,))]
    for content, allowed in damaged:
        done = subprocess.run([PROGRAM, "capture", "-r", "-"], input=content, capture_output=True)
        told = done.stderr.decode()
        expect(done.returncode in allowed, "%d: %s\n%s" % (done.returncode, told, content.hex()))
        expect(done.returncode == 0 or "linkcond: - " in told, told)


def isForItsOwnerAlone():
    open(FILE, "w").close()
    os.chmod(FILE, 0o644)
    sh(PROGRAM + " capture -i near0 -w " + FILE + " --for 100ms")
    expect(os.stat(FILE).st_mode & 0o777 == 0o600, "mode %o" % os.stat(FILE).st_mode)


def countsWhatTheKernelDropped():
    with capturing(["-i", "near0", "-w", FILE, "--filter", "tcp port 7000"]) as capture:
        # It reads nothing for a while, and the ring holds 32 MiB.
        capture.send_signal(signal.SIGSTOP)
        transfer(200000000)
        capture.send_signal(signal.SIGCONT)
        time.sleep(1)
    expect(re.search("[0-9]+ packets captured, [0-9]+ more dropped by the kernel", capture.errors), capture.errors)
    # Two processors that send at once may take their places in the ring in another order than their times.
    info = subprocess.run(["tshark", "-r", FILE, "-q", "-z", "io,stat,0"], capture_output=True, text=True)
    expect(info.returncode == 0, info.stderr)


def printsWhatItCaptures():
    with capturing(["-i", "near0", "--print", "-w", FILE, "--filter", "icmp"], stdout=open("/tmp/lines", "w")):
        sh("ping -n -q -c 3 -i 0.01 10.9.0.2")
    lines = open("/tmp/lines").read().splitlines()
    expect(len(lines) == 6, "%s" % lines)
    first = r"\d\d:\d\d:\d\d\.\d{6}  near0 >  10\.9\.0\.1 > 10\.9\.0\.2: icmp echo request, length 56"
    expect(re.fullmatch(first, lines[0]), lines[0])
    # The file shows the same.
    expect(linesOf(FILE) == lines, "capture -r shows %s" % linesOf(FILE))
    quiet = linesOf(FILE, "-t", "-x")
    expect(quiet[0].startswith("near0 >") and quiet[1].startswith("    0x0000:  4500 0054"), "%s" % quiet[:2])
