# SPDX-License-Identifier: Apache-2.0
# What a client finds over the uplink of a sandbox, against what it finds without one; after private-world.py and
# private-link.py. The sandbox is in the near network, the servers in the far one.
import contextlib, json

os.environ.pop("TMPDIR", None)
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
CALLERS = {"root": [], "user": NOBODY}

# Ports: 8000 answers and waits for the end, 8001 closes at once, 8002 answers and resets, 8003 counts what it gets and says
# how that ended, 8004 sends back datagrams, 8005 says what a datagram's header was, 8006 counts datagrams, 8007 sends much, 8008 says how a connection to 8003 has ended or
# which datagrams 8009 has got.
SERVER = r"""
import json, socket, struct, threading, time
def listen(kind, port, room=0):
    server = socket.socket(socket.AF_INET6, kind)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if room: server.setsockopt(socket.SOL_SOCKET, 33, room)
    server.bind(("::", port))
    return server
def each(port, body):
    server = listen(socket.SOCK_STREAM, port)
    server.listen(1000)
    while True:
        peer, address = server.accept()
        threading.Thread(target=guard, args=(body, peer), daemon=True).start()
def guard(body, peer):
    with peer:
        try: body(peer)
        except OSError: pass
def answer(peer):
    peer.sendall(b"answer" if peer.recv(100) else b"nothing")
    while peer.recv(1000): pass
def resets(peer):
    peer.recv(100)
    peer.sendall(b"a" * 100000)
    time.sleep(0.3)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
ends = {}
def count(peer):
    name, total = peer.recv(8), 0
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
    peer.send(b"k")
    try:
        while True:
            piece = peer.recv(1 << 16)
            if not piece: break
            total += len(piece)
        ends[name] = ["end", total]
        peer.sendall(b"%d" % total)
    except OSError as error:
        ends[name] = [type(error).__name__]
def much(peer):
    peer.sendall(b"b" * 3000000)
def tell():
    server = listen(socket.SOCK_DGRAM, 8008)
    while True:
        name, address = server.recvfrom(100)
        server.sendto(json.dumps(ends.get(name)).encode(), address)
def echo():
    server = listen(socket.SOCK_DGRAM, 8004, 8 << 20)
    while True:
        content, address = server.recvfrom(70000)
        server.sendto(content, address)
def header():
    server = listen(socket.SOCK_DGRAM, 8005)
    for level, option in ((0, 12), (0, 13), (41, 51), (41, 66)):
        server.setsockopt(level, option, 1)
    while True:
        content, control, flags, address = server.recvmsg(100, 200)
        # Of a mapped address, the type of service is of IPv4's level.
        facts = sorted([level, kind, struct.unpack("i", data[:4].ljust(4, b"\0"))[0]] for level, kind, data in control)
        server.sendto(json.dumps(facts).encode(), address)
def counted():
    server, total = listen(socket.SOCK_DGRAM, 8006, 8 << 20), {}
    while True:
        content, address = server.recvfrom(2000)
        if content == b"?": server.sendto(b"%d" % total.pop(address, 0), address)
        else: total[address] = total.get(address, 0) + 1
def named():
    server = listen(socket.SOCK_DGRAM, 8009)
    while True:
        name = server.recv(100)
        ends[name] = ["datagrams", ends.get(name, [0, 0])[1] + 1]
for task in (echo, header, counted, tell, named, lambda: each(8000, answer), lambda: each(8001, lambda peer: None),
             lambda: each(8002, resets), lambda: each(8003, count), lambda: each(8007, much)):
    threading.Thread(target=task, daemon=True).start()
print("ready", flush=True)
time.sleep(10000)
"""

CLIENT = r"""
import errno, json, os, resource, socket, struct, subprocess, sys, time
NAMES = {4: "10.9.0.2", 6: "fd09::2"}
def word(error):
    return errno.errorcode.get(error.errno, type(error).__name__) if error.errno else type(error).__name__
def attempt(body):
    try: return body()
    except OSError as error: return word(error)
def connect(address, port=8000, limit=5):
    return socket.create_connection((address, port), limit)
def datagrams(address, port):
    peer = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    peer.settimeout(5)
    peer.connect((address, port))
    return peer
def read(peer):
    total = 0
    while True:
        piece = peer.recv(1 << 16)
        if not piece: return total
        total += len(piece)
def ask(address, port, question, times=20):
    '''Asks until there is an answer: datagrams may be lost.'''
    peer = datagrams(address, port)
    peer.settimeout(1)
    for _ in range(times):
        try:
            peer.send(question)
            return peer.recv(70000)
        except OSError as error: last = error
    raise last

def manyShortConnections(version):
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
    found = 0
    for number in range(2000):
        with connect(NAMES[version]) as peer:
            peer.send(b"?")
            found += peer.recv(100) == b"answer"
    return found

def reusedPorts(version):
    '''A hundred ports for three hundred connections, which the client closes first.'''
    with open("/proc/sys/net/ipv4/ip_local_port_range", "w") as file: file.write("50000 50099")
    for number in range(300):
        with connect(NAMES[version]) as peer:
            peer.send(b"?")
            assert peer.recv(100) == b"answer"
        time.sleep(0.02)
    return "all"

def manyMore(version):
    peers = []
    for _ in range(150):
        try: peers.append(connect(NAMES[version], limit=0.2))
        except OSError: pass
    return len(peers)

def manyAtOnce(version):
    peers = [connect(NAMES[version], limit=20) for _ in range(900)]
    for peer in peers: peer.send(b"?")
    return sum(peer.recv(100) == b"answer" for peer in peers)

def refusals(version):
    '''Closed ports, and destinations that a router or this machine has no way to.'''
    found = {}
    hosts = {4: ["10.9.1.1", "10.9.2.1", "10.9.3.1", "10.9.4.1", "10.9.5.1", "10.9.0.77"],
             6: ["fd09:1::1", "fd09:2::1", "fd09:3::1", "fd09:4::1", "fd09:5::1", "fd09::77"]}
    for host in [NAMES[version]] + hosts[version]:
        def tcp(): connect(host, 9, 4); return "connected"
        def udp():
            peer = datagrams(host, 9)
            peer.settimeout(4)
            peer.send(b"?")
            return peer.recv(10)
        found[host] = [attempt(tcp)]
        # Where this machine itself has no way, a send fails outside; inside, it is answered as by a router.
        if host not in (hosts[version][4], hosts[version][3]): found[host].append(attempt(udp))
    return found

def sizes(version):
    longest = 65507 if version == 4 else 65487
    found = []
    for size in (1, 1452, 1453, 1472, 1473, 8000, longest):
        content = os.urandom(size)
        found.append(attempt(lambda: ask(NAMES[version], 8004, content) == content))
    return found

def headers(version):
    '''The type of service and the hops, and the same of an answer.'''
    peer = datagrams(NAMES[version], 8005)
    if version == 4:
        peer.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 0xBA)
        peer.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 33)
    else:
        peer.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, 0xBA)
        peer.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, 33)
    peer.send(b"?")
    return json.loads(peer.recv(1000))

def bursts(version):
    '''The first of its client has to wait for a socket.'''
    peer = datagrams(NAMES[version], 8006)
    for _ in range(300): peer.send(b"z" * 1000)
    time.sleep(0.5)
    peer.send(b"?")
    return int(peer.recv(100))

def ends(version):
    '''How connections end, at both ends.'''
    host, found = NAMES[version], {}
    def halfClosed():
        with connect(host, 8003) as peer:
            peer.send(b"half....")
            peer.recv(1)
            peer.sendall(b"c" * 100000)
            peer.shutdown(socket.SHUT_WR)
            return peer.recv(100).decode()
    def closedByServer():
        with connect(host, 8001) as peer:
            begun = peer.recv(10)
            time.sleep(0.3)
            peer.send(b"1")
            time.sleep(0.3)
            return [len(begun), attempt(lambda: peer.send(b"2"))]
    def resetByServer():
        with connect(host, 8002) as peer:
            peer.send(b"?")
            time.sleep(1)
            total = 0
            try:
                while True:
                    piece = peer.recv(1 << 16)
                    if not piece: return [total, "end"]
                    total += len(piece)
            except OSError as error: return [total, word(error)]
    def resetByClient():
        name = os.urandom(4).hex().encode()
        with connect(host, 8003) as peer:
            peer.send(name)
            peer.recv(1)
            peer.sendall(b"d" * 1000)
            time.sleep(0.3)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for _ in range(50):
            seen = json.loads(ask(host, 8008, name))
            if seen: return seen
            time.sleep(0.1)
    def urgent():
        '''Both ends read urgent data with the rest: no byte of it may end a connection.'''
        name = os.urandom(4).hex().encode()
        with connect(host, 8003) as peer:
            peer.send(name)
            peer.recv(1)
            peer.send(b"h" * 100)
            peer.send(b"!", socket.MSG_OOB)
            time.sleep(0.2)
            peer.send(b"i" * 100)
            time.sleep(0.2)
            peer.shutdown(socket.SHUT_WR)
            return peer.recv(100).decode()
    def download():
        with connect(host, 8007) as peer: return read(peer)
    for body in (halfClosed, closedByServer, resetByServer, resetByClient, urgent, download):
        found[body.__name__] = attempt(body)
    return found

def smallPath(version):
    '''A way of 1280 bytes: a datagram that may not be cut.'''
    peer = datagrams({4: "10.9.6.1", 6: "fd09:6::1"}[version], 9000)
    level, option, mtu = (0, 10, 14) if version == 4 else (41, 23, 24)
    peer.setsockopt(level, option, 2)
    for _ in range(20):
        if attempt(lambda: peer.send(b"e" * 1400)) == "EMSGSIZE":
            return peer.getsockopt(level, mtu)
        time.sleep(0.1)
    return peer.getsockopt(level, mtu)

def pings(version):
    found = []
    for host, size in ((NAMES[version], 56), (NAMES[version], 1452), (NAMES[version], 4000),
                       ({4: "10.9.1.1", 6: "fd09:1::1"}[version], 56), ({4: "10.9.0.77", 6: "fd09::77"}[version], 56)):
        done = subprocess.run(["ping", "-n", "-c", "1", "-W", "4", "-s", str(size), host], stdout=subprocess.PIPE, text=True)
        words = [each for each in ("wrong data", "bytes from", "Host Unreachable", "Net Unreachable", "Address unreachable", "No route")
                 if each.lower() in done.stdout.lower()]
        found.append([done.returncode, words])
    return found

def hops(version):
    '''The first router answers.'''
    peer = datagrams({4: "10.9.7.1", 6: "fd09:7::1"}[version], 33434)
    level, option, queue = (0, 2, 11) if version == 4 else (41, 16, 25)
    peer.setsockopt(level, queue, 1)
    peer.setsockopt(level, option, 1)
    peer.send(b"?")
    for _ in range(100):
        try:
            content, control, flags, address = peer.recvmsg(100, 500, socket.MSG_ERRQUEUE)
        except OSError:
            time.sleep(0.05)
            continue
        facts = next(data for level, kind, data in control if kind == queue)
        number, origin, kind, code = struct.unpack("IBBB", facts[:7])
        offender = facts[16 + 4:16 + 8] if version == 4 else facts[16 + 8:16 + 24]
        return [errno.errorcode[number], kind, code, socket.inet_ntop(socket.AF_INET if version == 4 else socket.AF_INET6, offender)]

def finds(version):
    done = subprocess.run(["getent", "ahostsv%d" % version, "a.example"], stdout=subprocess.PIPE, text=True)
    return [done.returncode, sorted(set(line.split()[0] for line in done.stdout.splitlines()))]

def uploads(name, count):
    '''Ends with the data on its way.'''
    peer = connect(NAMES[4], 8003, 60)
    # SO_SNDBUFFORCE, which takes root.
    peer.setsockopt(socket.SOL_SOCKET, 32 if os.geteuid() == 0 else socket.SO_SNDBUF, 8 << 20)
    peer.sendall(name.encode())
    peer.recv(1)
    peer.sendall(b"f" * count)
    os._exit(0)

def sends(name, count):
    for _ in range(count): datagrams(NAMES[4], 8003 + 6).send(name.encode())
    os._exit(0)

if sys.argv[1] in ("uploads", "sends"): globals()[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
print(json.dumps(globals()[sys.argv[1]](int(sys.argv[2]))))
"""

# Answers for a.example only, and says SERVFAIL on the second address; nothing answers on the third.
NAMES = r"""
import socket, threading, time
def serve(address, fails):
    server = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((address, 53))
    while True:
        query, client = server.recvfrom(2000)
        end = query.index(b"\0", 12) + 5
        isA = query[end - 4:end - 2] == b"\0\1"
        record = b"\xc0\x0c\0\1\0\1\0\0\0\7\0\4\x0a\x09\0\2" if isA else b"\xc0\x0c\0\x1c\0\1\0\0\0\7\0\x10" + socket.inet_pton(socket.AF_INET6, "fd09::2")
        if fails: server.sendto(query[:2] + b"\x81\x82\0\1\0\0\0\0\0\0" + query[12:end], client)
        else: server.sendto(query[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + query[12:end] + record, client)
for address, fails in (("10.9.0.2", False), ("fd09::2", False), ("10.9.0.3", True)):
    threading.Thread(target=serve, args=(address, fails), daemon=True).start()
print("ready", flush=True)
time.sleep(10000)
"""

def serve(network, program):
    server = subprocess.Popen(["ip", "netns", "exec", network, "/usr/bin/python3", "-c", program], stdout=subprocess.PIPE)
    atexit.register(server.kill)
    server.stdout.readline()

sh("ip route add default via 10.9.0.2; ip -6 route add default via fd09::2")
sh("ip route add 10.9.6.0/24 via 10.9.0.2 mtu lock 1280; ip -6 route add fd09:6::/64 via fd09::2 mtu 1280")
sh("ip route add unreachable 10.9.5.0/24; ip -6 route add unreachable fd09:5::/64")
subprocess.run(["ip", "netns", "exec", "far", "sh", "-ec", """
    sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv4.icmp_ratelimit=0 net.ipv4.icmp_msgs_per_sec=100000 net.ipv6.icmp.ratelimit=0
    ip address add 10.9.0.3/24 dev far0
    for net in '10.9.1.0/24 fd09:1::/64 unreachable' '10.9.2.0/24 fd09:2::/64 prohibit' '10.9.3.0/24 fd09:3::/64 blackhole'; do
        set -- $net; ip route add $3 $1; ip -6 route add $3 $2; done
    """], check=True)
subprocess.run("mount -t tmpfs none /dev/net && mknod -m 666 /dev/net/tun c 10 200 && chmod 755 /dev/net", shell=True, check=True)
serve("far", SERVER)
serve("far", NAMES)

SANDBOX = [PROGRAM, "run", "--timeout", "%ds" % HANG]

def found(caller, prefix, function, version):
    '''What the client finds that is started by these words.'''
    words = ["/usr/bin/python3", "-c", CLIENT, function, str(version)]
    done = subprocess.run(["ip", "netns", "exec", "near"] + CALLERS[caller] + prefix + words, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        fail("%s %s ended with %d: %s%s" % (prefix[:2], function, done.returncode, done.stdout, done.stderr))
    return json.loads(done.stdout)

def both(caller, function, version, options=()):
    '''What the client finds without a sandbox, and in one.'''
    return [found(caller, prefix, function, version) for prefix in ([], SANDBOX + list(options) + ["--"])]

def tellsThatItIsFull(caller):
    '''A limit of files that is too low for so many connections at once.'''
    words = ["prlimit", "--nofile=200:200"] + SANDBOX + ["--", "/usr/bin/python3", "-c", CLIENT, "manyMore", "4"]
    done = subprocess.run(["ip", "netns", "exec", "near"] + CALLERS[caller] + words, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 0 and 50 < json.loads(done.stdout) < 150, done.stdout + done.stderr)
    expect(done.stderr.count("could not open all connections") == 1, done.stderr)

def reportsItsCongestionControl():
    for options, name in ("--server-congestion reno", "reno"), ("--offline", None):
        linkcond("run %s LTE --report report -- true" % options)
        with open("report/report.json") as file: report = json.load(file)
        expect(report.get("serverCongestion") == name, report)
        sh("rm -r report")

def usesPortsAgain(version):
    expect(found("root", SANDBOX + ["--"], "reusedPorts", version) == "all", "a port was not used again")

def end(name):
    '''What the server says of how a connection has ended; None while it goes on.'''
    return json.loads(sh("""python3 -c 'import socket
peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
peer.connect(("10.9.0.2", 8008))
peer.settimeout(60)
peer.send(b"%s")
print(peer.recv(1000).decode())'""" % name))

def leaves(caller, function, count, options):
    '''A command that ends with data on its way. Returns what the server has got, and what linkcond said.'''
    name = os.urandom(4).hex()
    words = [PROGRAM, "run"] + options + ["--", "/usr/bin/python3", "-c", CLIENT, function, name, str(count)]
    done = subprocess.run(["ip", "netns", "exec", "near"] + CALLERS[caller] + words, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 0, done.stderr)
    if function == "uploads" or "--no-drain" not in options:
        until(lambda: end(name), "the end of the connection")
    return end(name), done.stderr

def arrives(caller, function, count, *options):
    found, words = leaves(caller, function, count, list(options))
    expect(found == (["end", count] if function == "uploads" else ["datagrams", count]), "%s: %s" % (found, words))

def isCutOff(caller):
    '''An upload that is not whole does not look so.'''
    found, words = leaves(caller, "uploads", 20000, ["--no-drain", "Slow Net"])
    expect(found == ["ConnectionResetError"], "%s: %s" % (found, words))
    # A run that has exceeded its time waits for nothing.
    name = os.urandom(4).hex()
    words = [PROGRAM, "run", "--timeout", "4s", "Slow Net", "--", "/usr/bin/python3", "-c",
             CLIENT.replace("os._exit(0)", "time.sleep(1000)"), "uploads", name, "20000"]
    done = subprocess.run(["ip", "netns", "exec", "near"] + CALLERS[caller] + words, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 124 and "did not all arrive" not in done.stderr, done.stderr)
    until(lambda: end(name), "the end of the connection")
    expect(end(name) == ["ConnectionResetError"], end(name))
    found, words = leaves(caller, "uploads", 200000, ["Slow Net"])
    expect(found == ["ConnectionResetError"] and "did not all arrive" in words, "%s: %s" % (found, words))

def losesItsGateway(caller, isFrozen):
    '''A command sees silence, and a server a reset, from a frozen gateway at the end; nothing is left.'''
    name = os.urandom(4).hex()
    client = CLIENT.replace("print(json.dumps(globals()", "0 and print(json.dumps(globals()") + """
peer = connect(NAMES[4], 8003)
peer.send(b"%s")
peer.recv(1)
peer.sendall(b"g" * 1000)
print("ready", flush=True)
sys.stdin.readline()
def again(): connect(NAMES[4], 8000, 2); return "connected"
print(json.dumps([attempt(again), attempt(lambda: datagrams(NAMES[4], 8004).send(b"?"))]))
""" % name
    options = [] if isFrozen else ["--no-drain"]
    words = [PROGRAM, "run"] + options + ["--", "/usr/bin/python3", "-c", client, "none", "0"]
    run = subprocess.Popen(["ip", "netns", "exec", "near"] + CALLERS[caller] + words, stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    run.stdout.readline()
    os.kill(only("lc-gateway"), signal.SIGSTOP if isFrozen else signal.SIGKILL)
    if not isFrozen: until(lambda: end(name), "the end of the connection")
    output, words = run.communicate("go\n")
    until(lambda: end(name), "the end of the connection")
    expect(end(name) == ["ConnectionResetError"], end(name))
    expect(json.loads(output) == ["TimeoutError", 1], output)
    note = "did not all arrive" if isFrozen else "lc-gateway, which carries the uplink, ended before the command did"
    expect(note in words, words)
    until(lambda: not named("lc-sockets"), "the end of the uplink")

@contextlib.contextmanager
def frozen(process):
    """The process in a control group that is frozen: neither it nor its parent gets a signal."""
    os.makedirs("/tmp/groups", exist_ok=True)
    subprocess.run("mount -t cgroup2 none /tmp/groups && mkdir /tmp/groups/linkcond-frozen", shell=True, check=True)
    home = "/tmp/groups" + re.search(r"^0::(.*)$", read("/proc/%d/cgroup" % process).decode(), re.M)[1]
    def put(value, file):
        with open(file, "w") as target: target.write(str(value))
    put(process, "/tmp/groups/linkcond-frozen/cgroup.procs")
    put(1, "/tmp/groups/linkcond-frozen/cgroup.freeze")
    try:
        yield
    finally:
        put(0, "/tmp/groups/linkcond-frozen/cgroup.freeze")
        with contextlib.suppress(OSError): put(process, home + "/cgroup.procs")
        until(lambda: not read("/tmp/groups/linkcond-frozen/cgroup.procs").strip(), "the group to be empty")
        subprocess.run("rmdir /tmp/groups/linkcond-frozen && umount /tmp/groups", shell=True, check=True)

def judgesNothingAfterItsGateway(caller, end):
    """Attempts that no server has seen are neither too many nor few enough, and an answer that cannot come is not late."""
    client = """
import socket, sys
def attempt():
    try:
        with socket.create_connection(("10.9.0.2", 8000), 1) as peer:
            peer.sendall(b"?")
            peer.recv(1)
    except OSError: pass
attempt()
print("ready", flush=True)
sys.stdin.readline()
for _ in range(3): attempt()
"""
    expected = ["at most 2 connection attempts", "at most 9 connection attempts", "first byte within 9 s"]
    words = [PROGRAM, "run", "--no-drain"] + [word for each in expected for word in ("--expect", each)]
    run = subprocess.Popen(["ip", "netns", "exec", "near"] + CALLERS[caller] + words + ["--", "/usr/bin/python3", "-c", client],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/tmp")
    if run.stdout.readline() != "ready\n": sys.exit(run.communicate()[1])
    if end == "frozen":
        with frozen(only("lc-gateway")): output, words = run.communicate("go\n")
        expect("lc-gateway, which carries the uplink, did not answer for a time" in words, words)
    else:
        os.kill(only("lc-gateway"), signal.SIGSTOP if end == "stopped" else signal.SIGKILL)
        output, words = run.communicate("go\n")
    # The one that opens sockets ends with the gateway, and may be seen first.
    reason = r"; but lc-(gateway|sockets), which .*, %s " % ("ended" if end == "killed" else "was stopped")
    for each in expected:
        line = next((line for line in words.splitlines() if each + ":" in line), "")
        expect("inconclusive  " + each in line and re.search(reason, line), words)
    until(lambda: not named("lc-sockets"), "the end of the uplink")

def isTheSame(caller, function, version, groups="0 2147483647"):
    sh("sysctl -qw net.ipv4.ping_group_range='%s'" % groups)
    outside, inside = both(caller, function, version)
    expect(inside == outside, "inside it is %s, outside %s" % (inside, outside))
    print(json.dumps(outside))

def followsNameServers(caller):
    '''This machine has another name server while a command runs.'''
    def use(lines):
        with open("/tmp/resolv.conf", "w") as file: file.write(lines)
        os.chmod("/tmp/resolv.conf", 0o644)
    use("nameserver 10.9.3.1\noptions timeout:1 attempts:1\n")
    subprocess.run(["mount", "--bind", "/tmp/resolv.conf", os.path.realpath("/etc/resolv.conf")], check=True)
    client = """
import socket, sys, time
def resolves():
    try: return bool(socket.getaddrinfo("a.example", 80))
    except OSError: return False
print(resolves(), flush=True)
sys.stdin.readline()
while not resolves(): time.sleep(0.1)
print([line for line in open("/etc/resolv.conf").read().split("\\n") if "search" in line])
"""
    run = subprocess.Popen(["ip", "netns", "exec", "near"] + CALLERS[caller] + SANDBOX + ["--", "/usr/bin/python3", "-c", client],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(run.stdout.readline() == "False\n", "a server that is silent has answered")
    use("search example\nnameserver 10.9.0.2\nnameserver fd09::2\n")
    output, words = run.communicate("go\n")
    expect(run.returncode == 0 and output == "['search example']\n", "%s: %s" % (output, words))

def refusesPings(caller, version):
    '''Which this machine's user may not send: the gateway says so.'''
    sh("sysctl -qw net.ipv4.ping_group_range='1 0'")
    host = {4: "10.9.0.2", 6: "fd09::2"}[version]
    def inside(*words):
        done = subprocess.run(["ip", "netns", "exec", "near"] + CALLERS[caller] + SANDBOX + ["--"] + list(words),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout
    told = inside("ping", "-n", "-c", "1", "-W", "4", host)
    expect("filtered" in told.lower() or "prohibited" in told.lower(), told)
    told = inside(PROGRAM, "monitor", "--once", "icmp://" + host)
    expect("path.adminProhibited" in told and "blackHole" not in told, told)
    # Any answer of the host will do, by whatever protocol.
    told = inside(PROGRAM, "monitor", "--once", host)
    expect("reachable" in told and "unreachable" not in told, told)

def asksNames(caller, lines, *expected):
    '''By each server of /etc/resolv.conf, from inside a sandbox.'''
    with open("/tmp/resolv.conf", "w") as file: file.write(lines)
    os.chmod("/tmp/resolv.conf", 0o644)
    subprocess.run(["mount", "--bind", "/tmp/resolv.conf", os.path.realpath("/etc/resolv.conf")], check=True)
    done = subprocess.run(["ip", "netns", "exec", "near"] + CALLERS[caller] + [PROGRAM, "doctor"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    told = [line for line in done.stdout.split("\n") if " names " in line]
    expect(len(told) == (1 if expected else 0), done.stdout)
    for words in expected: expect(words in told[0] + "\n", told[0])

def resolves(caller, version, lines):
    '''By the lines of /etc/resolv.conf, each of which the C library may use.'''
    with open("/tmp/resolv.conf", "w") as file: file.write(lines)
    os.chmod("/tmp/resolv.conf", 0o644)
    target = os.path.realpath("/etc/resolv.conf")
    subprocess.run(["mount", "--bind", "/tmp/resolv.conf", target], check=True)
    isTheSame(caller, "finds", version)
