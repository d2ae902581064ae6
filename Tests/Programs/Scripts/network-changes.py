# SPDX-License-Identifier: Apache-2.0
# Scenarios that change the network of a sandbox's uplink; after private-world.py and private-link.py. The sandbox is in the
# near network, the server in the far one.
import json

# Of the tester's, which this world does not have.
os.environ.pop("TMPDIR", None)
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

# Says who asks: over TCP (8000) and UDP (8001), over UDP late (8003). Port 8002 sends a byte every 20 ms, 8004 sends back
# what it gets, and 8005 says over UDP how many connections to 8000 there are.
SERVER = r"""
import socket, threading, time
def listen(kind, port):
    server = socket.socket(socket.AF_INET6, kind)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("::", port))
    return server
def each(port, body):
    server = listen(socket.SOCK_STREAM, port)
    server.listen(50)
    while True:
        peer, address = server.accept()
        threading.Thread(target=serve, args=(body, peer, address), daemon=True).start()
def serve(body, peer, address):
    try:
        body(peer, address)
    except OSError:
        pass
asking = set()
def answer(peer, address):
    asking.add(peer)
    try:
        while peer.recv(100):
            peer.sendall(b"%s %d\n" % (address[0].encode(), address[1]))
    finally:
        asking.discard(peer)
def counts():
    server = listen(socket.SOCK_DGRAM, 8005)
    while True:
        address = server.recvfrom(2000)[1]
        server.sendto(b"%d" % len(asking), address)
def tick(peer, address):
    while True:
        peer.sendall(b".")
        time.sleep(0.02)
def datagrams(port, delay):
    server = listen(socket.SOCK_DGRAM, port)
    while True:
        address = server.recvfrom(2000)[1]
        time.sleep(delay)
        server.sendto(b"%s %d" % (address[0].encode(), address[1]), address)
def echo(peer, address):
    while True:
        piece = peer.recv(1 << 16)
        if not piece: break
        peer.sendall(piece)
    peer.shutdown(socket.SHUT_WR)
def names():
    # An alias, then its address, after which other records follow that point to names.
    server = listen(socket.SOCK_DGRAM, 53)
    while True:
        query, address = server.recvfrom(2000)
        end = query.index(b"\0", 12) + 5
        isA = query[end - 4:end - 2] == b"\0\1"
        alias = b"\xc0\x0c\0\5\0\1\0\0\0\7\0\4\1b\xc0\x0c"
        record = b"\1b\xc0\x0c\0\1\0\1\0\0\0\7\0\4\x0a\x09\0\2"
        server.sendto(query[:2] + b"\x81\x80\0\1" + (b"\0\2" if isA else b"\0\1") + b"\0\0\0\0" + query[12:end] + alias + (record if isA else b""), address)
def lost(peer, address):
    name = peer.recv(8)
    lives[name] = ["open", peer]
    # TCP_USER_TIMEOUT: a second for each answer.
    peer.setsockopt(socket.IPPROTO_TCP, 18, 1000)
    peer.sendall(b"k")
    try:
        while peer.recv(100): pass
        if lives[name][0] == "open": lives[name][0] = "end"
    except OSError as error: lives[name][0] = type(error).__name__
lives = {}
def tellLives():
    '''Says how a connection to 8006 has ended; after a "!", sends something over it before.'''
    server = listen(socket.SOCK_DGRAM, 8007)
    while True:
        name, address = server.recvfrom(100)
        state, peer = lives.get(name[:8], ["none", None])
        try:
            if name[8:] == b"!": peer.send(b"!")
        except BrokenPipeError: pass
        # It may have taken the socket's error from the other thread, which then sees an end.
        except OSError as error: state = lives[name[:8]][0] = type(error).__name__
        server.sendto(state.encode(), address)
for task in (tellLives, lambda: each(8006, lost), names, lambda: each(8000, answer), lambda: each(8004, echo), lambda: each(8002, tick), lambda: datagrams(8001, 0), lambda: datagrams(8003, 4), counts):
    threading.Thread(target=task, daemon=True).start()
print("ready", flush=True)
time.sleep(1000)
"""

# What the client in the sandbox can use.
CLIENT = r"""
import errno, json, os, socket, subprocess, sys, time
V4, V6 = "10.9.0.2", "fd09::2"
TARGETS = [V4, V6]
def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
def mark(name):
    output("/tmp/linkcond", "mark", name)
def network():
    return json.loads(output("/tmp/linkcond", "status", "--json"))["sandbox"].get("network", [])
def connect(address, port=8000):
    return socket.create_connection((address, port), 60)
def ask(peer, limit=60):
    try:
        peer.settimeout(limit)
        peer.send(b"?")
        return peer.recv(100).decode().split()
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
def attempt(address, port=8000):
    try:
        with connect(address, port) as peer:
            return ask(peer) and "ok"
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
def datagrams(address, port=8001):
    peer = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    peer.connect((address, port))
    return peer
def drain(peer):
    '''What has come until now.'''
    count = 0
    peer.setblocking(False)
    try:
        while True:
            piece = peer.recv(1000)
            if not piece: break
            count += len(piece)
    except OSError: pass
    return count
def arrives(peer, time_limit):
    drain(peer)
    peer.settimeout(time_limit)
    try:
        return len(peer.recv(1)) == 1
    except OSError:
        return False
def link():
    return json.loads(output("ip", "-j", "address", "show", "uplink0"))[0]
def addresses():
    return sorted(each["local"] for each in link()["addr_info"] if each["scope"] == "global")
def routes():
    '''Without what an announcement of the router says of itself: its lifetime and its hop limit.'''
    lines = (output("ip", "route") + output("ip", "-6", "route")).splitlines()
    return sorted(" ".join(word for word in line.replace("hoplimit 64 ", "").split() if not word.endswith("sec") and word != "expires") for line in lines)
def attempts():
    return [attempt(each) for each in TARGETS]
facts = {}
"""

class Doubt(Exception):
    '''A verdict that is in doubt, since processes waited for a processor.'''

def inside(caller, scenario, client, options=(), status=0):
    '''Runs a client in a sandbox; gives what it found, and what linkcond said.'''
    with open("/tmp/scenario.json", "w") as file:
        json.dump(scenario, file)
    words = [PROGRAM, "run", "--timeout", "%ds" % HANG, "--scenario", "/tmp/scenario.json"] + list(options)
    words += ["--", "python3", "-c", CLIENT + client + "\nprint(json.dumps(facts))"]
    done = subprocess.run(["ip", "netns", "exec", "near"] + caller + words, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != status:
        if "for a processor" in done.stderr:
            raise Doubt(done.stderr)
        fail("it ended with %d: %s%s" % (done.returncode, done.stdout, done.stderr))
    return json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}, done.stderr

def step(label, **keys):
    return dict({"label": label, "after": {"mark": label}}, **keys)

def same(found, wanted):
    '''Compares the facts that are wanted.'''
    for name, value in wanted.items():
        expect(found.get(name) == value, "%s is %s and not %s: %s" % (name, found.get(name), value, found))

PLAIN = {"name": "Plain", "uplink": {"delay": "2 ms"}}
CALLERS = {"root": [], "user": NOBODY}

sh("ip route add default via 10.9.0.2; ip -6 route add default via fd09::2")
# For the user.
subprocess.run("mount -t tmpfs none /dev/net && mknod -m 666 /dev/net/tun c 10 200 && chmod 755 /dev/net", shell=True, check=True)
server = subprocess.Popen(["ip", "netns", "exec", "far", "/usr/bin/python3", "-c", SERVER], stdout=subprocess.PIPE)
atexit.register(server.kill)
server.stdout.readline()

def losesTheLink(caller):
    scenario = {"name": "Lost", "profile": PLAIN, "steps": [step("lost", link="down"), step("back", link="up")]}
    found, words = inside(CALLERS[caller], scenario, r"""
facts["first"] = attempts() == ["ok"] * len(TARGETS)
held, ticks, udp = connect(V4), connect(V4, 8002), datagrams(V4)
facts["held"] = [len(ask(held)), len(ask(udp)), arrives(ticks, 60)]
before = (addresses(), routes())
mark("lost")
facts["down"] = sorted(set(attempts() + [ask(udp)]))
state = link()
facts["flags"] = [flag in state["flags"] for flag in ("UP", "LOWER_UP", "NO-CARRIER")] + [state["operstate"]]
facts["kept"] = addresses() == before[0]
facts["dead"] = all("linkdown" in line for line in routes() if "uplink0" in line)
facts["silent"] = not arrives(ticks, 1)
facts["status"] = network()
mark("back")
facts["up"] = [attempts() == ["ok"] * len(TARGETS), len(ask(held)), len(ask(datagrams(V4))), arrives(ticks, 60)]
facts["restored"] = (addresses(), routes()) == before
facts["after"] = network()
""")
    same(found, {"first": True, "held": [2, 2, True], "down": ["ENETUNREACH"], "kept": True, "dead": True,
                 "flags": [True, False, True, "DOWN"], "silent": True, "status": ["link down"],
                 "up": [True, 2, 2, True], "restored": True, "after": []})
    # No packet can show that none passed: the step has met the client all the same.
    expect("never met" not in words, words)

def getsNewAddresses(caller):
    scenario = {"name": "Moved", "profile": PLAIN, "repeat": 2, "steps": [step("moved", address="new")]}
    found, words = inside(CALLERS[caller], scenario, r"""
held, ticks = connect(V4), connect(V4, 8002)
first, seen = addresses(), []
before = [line for line in routes() if line.startswith("default")]
for number in range(2):
    mark("moved")
    seen.append(addresses())
    facts["reached%d" % number] = all(each == "ok" for each in attempts()) and all(len(ask(datagrams(each))) == 2 for each in TARGETS)
    with connect(V4) as peer:
        facts["source%d" % number] = peer.getsockname()[0] in seen[-1]
facts["new"] = len(set(first + seen[0] + seen[1])) == 3 * len(TARGETS)
facts["routes"] = [line for line in routes() if line.startswith("default")] == before
facts["silent"] = not arrives(ticks, 1)
held.settimeout(1)
try:
    held.send(b"?")
    facts["answer"] = held.recv(100).decode()
except TimeoutError:
    facts["answer"] = None
facts["status"] = network() == ["address " + ", ".join(sorted(seen[1], key=lambda text: ":" in text))]
""")
    same(found, {"reached0": True, "source0": True, "reached1": True, "source1": True, "new": True, "routes": True,
                 "silent": True, "answer": None, "status": True})

def handsOver(caller):
    '''The second hand-over begins before the first has ended, and ends it.'''
    cellular = dict(PLAIN, name="Cellular", uplink={"delay": "60 ms"})
    steps = [step("first", **{"hand over": {"profile": cellular, "overlap": "20 s"}}),
             step("second", **{"hand over": {"overlap": "50 s"}}), step("only", profile=dict(PLAIN, ipv6="only")),
             step("moved", address="new"), step("back", profile=PLAIN), step("third", **{"hand over": {"profile": PLAIN}})]
    found, words = inside(CALLERS[caller], {"name": "Handed over", "profile": PLAIN, "steps": steps}, r"""
def sources():
    peers = [connect(each) for each in TARGETS]
    return [peer.getsockname()[0] for peer in peers]
def alive(peer):
    return len(ask(peer)) == 2
def delay():
    began = time.monotonic()
    ask(udp)
    return time.monotonic() - began
begun = routes()
held, ticks, udp = connect(V4), connect(V4, 8002), datagrams(V4)
old, facts["delay"] = set(addresses()), min(delay() for _ in range(5)) < 0.05
mark("first")
both = set(addresses())
# At once: the overlap goes by while others have the processors.
facts["alive"] = [alive(held), arrives(ticks, 60), delay() >= 0.05]
first = both - old
facts["both"] = old < both and len(both) == 2 * len(old)
facts["status"] = sorted(network()) != [] and all(each in network()[0] for each in both)
facts["new"] = set(sources()) == first
facts["reached"] = attempts() == ["ok"] * len(TARGETS)
end = time.monotonic() + 200
while set(addresses()) != first and time.monotonic() < end:
    time.sleep(0.05)
facts["gone"] = set(addresses()) == first
facts["silent"] = not arrives(ticks, 1)
facts["routes"] = [line for line in routes() if line.startswith("default")] == [line for line in begun if line.startswith("default")]
facts["after"] = attempts() == ["ok"] * len(TARGETS) and set(sources()) == first
mark("second")
second = set(addresses()) - first
facts["again"] = first < set(addresses()) and set(sources()) == second
# The overlap ends with the change of the network.
mark("only")
facts["only"] = all(":" in each for each in addresses()) and attempt("64:ff9b::a09:2")
mark("moved")
facts["moved"] = attempt("64:ff9b::a09:2")
mark("back")
facts["back"] = attempts() == ["ok"] * len(TARGETS) and [each for each in addresses() if "." in each] == [each for each in second if "." in each]
second |= set(addresses())
mark("third")
facts["third"] = not set(addresses()) & (old | first | second) and set(sources()) == set(addresses())
""")
    same(found, {"delay": True, "both": True, "status": True, "new": True, "reached": True, "alive": [True, True, True],
                 "gone": True, "silent": True, "routes": True, "after": True, "again": True, "only": "ok", "moved": "ok",
                 "back": True, "third": True})

def comesBackWithANewAddress():
    '''Data for the old address is on the way when the link comes back.'''
    steps = [step("lost", link="down"), step("back", link="up", address="new")]
    slow = {"name": "Slow", "downlink": {"delay": "300 ms"}}
    options = ["--log", "/tmp/packets.tsv", "--report", "/tmp/report"]
    found, words = inside([], {"name": "Back", "profile": slow, "steps": steps}, r"""
ticks = connect(V4, 8002)
facts["ticks"] = arrives(ticks, 60)
mark("lost")
time.sleep(0.5)
mark("back")
facts["silent"] = not arrives(ticks, 1)
facts["reached"] = attempt(V4)
""", options)
    same(found, {"ticks": True, "silent": True, "reached": "ok"})
    log = read("/tmp/packets.tsv").decode()
    for reason in ("linkDown", "oldAddress"):
        expect("dropped\t%s" % reason in log, "no packet was dropped for %s: %s" % (reason, log))
    periods = json.loads(read("/tmp/report/report.json"))["timeline"]["conditions"]
    changes = [each.get("changes") for each in periods]
    expect(changes[:2] == [None, ["link down"]] and changes[2][1] == "link up" and "address 10.0.2.101" in changes[2][0],
           "the report has %s" % changes)

def judges(client, expectation, status):
    '''What comes for the old address is no answer.'''
    scenario = {"name": "Moved", "profile": PLAIN, "steps": [step("moved", address="new")], "expect": [expectation]}
    doubted = []
    while len(doubted) < 6:
        try:
            inside([], scenario, r"""
ticks = connect(V4, 8002)
arrives(ticks, 60)
mark("moved")
""" + client, status=status)
            return
        except Doubt as doubt:
            doubted.append(str(doubt))
    doubts.extend(doubted)

def staysAway(): judges("time.sleep(2)", "recovers within 1 s of 'moved'", 1)
def reconnects(): judges("ticks.close(); attempt(V4)", "recovers within 3 s of 'moved'", 0)
def closes(): judges("ticks.close(); attempt(V4); time.sleep(0.5)", "leaves no connection open", 0)

def setsTheMTU(caller):
    '''What does not fit is refused or cut by the client's own kernel; what leaves is no larger than that.'''
    small = {"name": "Small", "mtu": 1280}
    scenario = {"name": "Tunnel", "profile": small, "steps": [step("out", profile=PLAIN), step("in", profile=small)]}
    found, words = inside(CALLERS[caller], scenario, r"""
def whole(size):
    # IP_MTU_DISCOVER, IP_PMTUDISC_DO: Python has no names for them.
    peer = datagrams(V4)
    peer.setsockopt(socket.IPPROTO_IP, 10, 2)
    try:
        return peer.send(bytes(size))
    except OSError as error:
        return errno.errorcode[error.errno]
def probe():
    with connect(V4) as peer:
        segment = peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)
        peer.send(bytes(5000))
        peer.settimeout(60)
        answered = len(peer.recv(100)) > 0
    cut = datagrams(V4)
    cut.setsockopt(socket.IPPROTO_IP, 10, 0)
    cut.send(bytes(1400))
    cut.settimeout(60)
    return [link()["mtu"], whole(1252), whole(1253), segment <= 1240, answered, len(cut.recv(100)) > 0, attempt(V6)]
facts["small"] = probe()
facts["status"] = network()
mark("out")
facts["usual"] = probe()
mark("in")
facts["again"] = probe()
""", ["--log", "/tmp/packets-%s.tsv" % caller])
    narrow = [1280, 1252, "EMSGSIZE", True, True, True, "ok"]
    same(found, {"small": narrow, "status": ["MTU 1280"], "usual": [1500, 1252, 1253, False, True, True, "ok"], "again": narrow})

def livesWithoutIPv4(caller):
    '''A server of IPv4 is reached by a name, over TCP, UDP and ICMP, and nothing is left of that afterwards.'''
    only = dict(PLAIN, name="Only", ipv6="only")
    scenario = {"name": "IPv6", "profile": PLAIN, "steps": [step("only", profile=only), step("back", profile=PLAIN)]}
    found, words = inside(CALLERS[caller], scenario, r"""
import hashlib, threading
SERVER = "64:ff9b::a09:2"
def resolver():
    return [line for line in open("/etc/resolv.conf") if line.startswith("nameserver")]
def lookup(kind):
    peer = datagrams(SERVER, 53)
    peer.settimeout(60)
    peer.send(b"\x12\x34\1\0\0\1\0\0\0\0\0\0\1a\4test\0\0" + bytes([kind]) + b"\0\1")
    return peer.recv(2000)
def echo(size):
    # Super-packets, both ways.
    peer, sent, got = connect(SERVER, 8004), os.urandom(size), hashlib.sha256()
    threading.Thread(target=lambda: (peer.sendall(sent), peer.shutdown(socket.SHUT_WR)), daemon=True).start()
    while True:
        piece = peer.recv(1 << 16)
        if not piece: break
        got.update(piece)
    return got.digest() == hashlib.sha256(sent).digest()
def refused(kind, port):
    try:
        if kind == "tcp": connect(SERVER, port)
        else:
            peer = datagrams(SERVER, port)
            peer.settimeout(60)
            peer.send(b"?")
            peer.recv(10)
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
before = (addresses(), routes(), resolver())
mark("only")
facts["status"] = network()
facts["addresses"] = [":" in each for each in addresses()]
facts["v4"] = attempt(V4)
facts["native"] = [attempt(each) for each in TARGETS if ":" in each]
facts["tcp"], facts["udp"] = attempt(SERVER), len(ask(datagrams(SERVER)))
if len(TARGETS) > 1:
    facts["echo"] = echo(3_000_000)
    facts["refused"] = refused("tcp", 9)
    facts["datagram"] = refused("udp", 9)
facts["ping"] = subprocess.run(["ping", "-n", "-c", "2", "-i", "0.2", "-W", "3", "-s", "1000", SERVER], stdout=subprocess.DEVNULL).returncode
facts["resolver"] = resolver()[0].startswith("nameserver 64:ff9b::")
# The header, the question and one record of 28 bytes for the question's name.
answer = lookup(28)
facts["aaaa"] = [answer[4:12].hex(), answer[-28:-16].hex(), socket.inet_ntop(socket.AF_INET6, answer[-16:]), len(answer)]
facts["a"] = lookup(1)[-4:].hex()
mark("back")
facts["back"] = attempts()
facts["restored"] = (addresses(), routes(), resolver()) == before or [before, (addresses(), routes(), resolver())]
facts["after"] = network()
""")
    same(found, {"status": ["IPv6 only"], "v4": "ENETUNREACH", "native": ["ok"], "tcp": "ok", "udp": 2, "resolver": True, "restored": True, "after": [], "a": "0a090002",
                 "back": ["ok", "ok"],
                 "aaaa": ["0001000100000000", "c00c001c0001000000070010", "64:ff9b::a09:2", 52]})
    expect(all(found["addresses"]) and found["addresses"], found)
    # Not every user may ping.
    same(found, {"echo": True, "refused": "ECONNREFUSED", "datagram": "ECONNREFUSED"})
    if caller == "root":
        same(found, {"ping": 0})

def losesIPv6(kind, caller):
    lame = dict(PLAIN, name="Lame", ipv6=kind)
    scenario = {"name": "IPv6", "profile": PLAIN, "steps": [step("gone", profile=lame), step("back", profile=PLAIN)]}
    log = "/tmp/packets-%s.tsv" % caller
    found, words = inside(CALLERS[caller], scenario, r"""
before = (addresses(), routes())
facts["first"] = attempt(V6)
mark("gone")
facts["status"] = network()
facts["address"] = any(":" in each for each in addresses())
facts["route"] = any("default via fd00" in each for each in routes())
socket.setdefaulttimeout(1)
try:
    socket.create_connection((V6, 8000), 1)
except OSError as error:
    facts["gone"] = errno.errorcode.get(error.errno, type(error).__name__)
facts["IPv4"] = attempt(V4)
mark("back")
facts["back"] = [attempt(V6), attempt(V4)]
facts["restored"] = (addresses(), routes()) == before
facts["after"] = network()
""", ["--log", log])
    dead = kind == "dead"
    same(found, {"first": "ok", "status": ["IPv6 dead" if dead else "no IPv6"], "address": dead, "route": dead,
                 "gone": "TimeoutError" if dead else "ENETUNREACH", "IPv4": "ok", "back": ["ok", "ok"], "restored": True, "after": []})
    expect(not dead or "dropped\tnoIPv6" in read(log).decode(), "the log has %s" % read(log).decode())

NAT = dict(PLAIN, name="Behind a NAT", nat={"idle": "2 s"})

def forgetsIdleMappings(caller):
    found, words = inside(CALLERS[caller], {"name": "Idle", "profile": NAT}, r"""
facts["status"] = network()
udp, held = datagrams(V4), connect(V4)
first, used = ask(udp), time.monotonic()
for number in range(8):
    time.sleep(0.4)
    same, gap = ask(udp) == first, time.monotonic() - used
    used += gap
    # A machine that is busy may have slept longer than the mapping lives.
    facts["kept"] = same and len(ask(held)) == 2 or gap > 1.5
    if not same: first = ask(udp)
late = datagrams(V4, 8003)
facts["late"] = ask(late, 5)
first = [first[1], ask(udp)[1]]
facts["moved"] = first[0] != first[1]
facts["dead"] = ask(held, 5)
facts["new"] = attempts() == ["ok"] * len(TARGETS)
""", ["--log", "/tmp/packets-%s.tsv" % caller])
    same(found, {"status": ["NAT, mappings expire after 2 s"], "kept": True, "late": "TimeoutError", "moved": True, "dead": "ECONNRESET",
                 "new": True})
    log = read("/tmp/packets-%s.tsv" % caller).decode()
    expect("downlink\tdropped\tnoMapping" in log, "no packet was lost for its mapping: %s" % log)

def holdsWithoutFigures(key, value):
    """A profile that says nothing of the link, in a run that is not observed."""
    profile = {"name": "Bare", key: json.loads(value)}
    found, words = inside([], {"name": "Bare", "profile": profile}, r"""
udp = datagrams(V4)
first = ask(udp)
time.sleep(3)
facts["forgotten"] = ask(udp) != first
try: facts["ipv6"] = len(ask(connect(V6))) == 2
except OSError: facts["ipv6"] = False
""")
    same(found, {"forgotten": key == "nat", "ipv6": key != "ipv6"})

def isBuiltIn(name, fact):
    """A built-in scenario, whose steps begin after times."""
    words = [PROGRAM, "run", "--timeout", "%ds" % HANG, "--scenario", name, "--", "python3", "-c", CLIENT + r"""
udp = datagrams(V4)
first, before = ask(udp), addresses()
time.sleep(8)
facts["port"], facts["address"] = ask(udp) != first, addresses() != before
facts["new"] = len(ask(datagrams(V4))) == 2
print(json.dumps(facts))
"""]
    done = subprocess.run(["ip", "netns", "exec", "near"] + words, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 0, "%s ended with %d: %s" % (name, done.returncode, done.stderr))
    facts = json.loads(done.stdout)
    same(facts, {"port": True, "address": fact == "address", "new": True})

def rebinds(caller):
    scenario = {"name": "Rebind", "profile": PLAIN, "steps": [step("rebound", nat="rebind")], "expect": ["leaves no connection open"]}
    found, words = inside(CALLERS[caller], scenario, r"""
udp, held, ticks = datagrams(V4), connect(V4), connect(V4, 8002)
first = ask(udp)
facts["before"] = ask(udp) == first and arrives(ticks, 60) and len(ask(held)) == 2
refusal = ask(datagrams(V4, 9))
mark("rebound")
facts["moved"] = ask(udp)[1] != first[1]
facts["again"] = ask(udp)[1] == ask(udp)[1]
facts["held"] = ask(held, 5)
facts["silent"] = not arrives(ticks, 1)
facts["new"] = attempts() == ["ok"] * len(TARGETS)
facts["refused"] = ask(datagrams(V4, 9)) == refusal
""")
    # Nobody knows a connection from that port.
    same(found, {"before": True, "moved": True, "again": True, "silent": True, "new": True, "refused": True,
                 "held": "ECONNRESET"})

def serversNotice(caller, how):
    '''A server whose client is lost, behind a translator or with its old address, gets no answer any more; another one does.'''
    profile = dict(PLAIN, nat={"idle": "3 s"}) if how == "idle" else PLAIN
    change = {"rebind": {"nat": "rebind"}, "address": {"address": "new"}, "idle": {"profile": profile}}[how]
    scenario = {"name": "Lost", "profile": profile, "steps": [step("lost", **change)]}
    found, words = inside(CALLERS[caller], scenario, "IS_IDLE = %s" % (how == "idle") + r"""
def begin(name, address):
    peer = connect(address, 8006)
    peer.sendall(name)
    assert peer.recv(1) == b"k"
    return peer
def life(name):
    with datagrams(V4, 8007) as peer:
        for _ in range(20):
            try:
                peer.settimeout(1)
                peer.send(name)
                return peer.recv(100).decode()
            except OSError: pass
peers = [begin(b"lostOne.", V4), begin(b"lostSix.", V6)]
facts["before"] = life(b"lostOne.!")
time.sleep(6 if IS_IDLE else 0.5)
mark("lost")
peers.append(begin(b"another.", V4))
for _ in range(100):
    states = [life(name + b"!") for name in (b"lostOne.", b"lostSix.", b"another.")]
    if states[0] != "open": break
    time.sleep(0.1)
# Each has its second.
for _ in range(20):
    time.sleep(0.1)
    states = [life(name + b"!") for name in (b"lostOne.", b"lostSix.", b"another.")]
facts["after"] = states
""")
    # A translator leaves IPv6 alone.
    same(found, {"before": "open", "after": ["TimeoutError", "TimeoutError" if how == "address" else "open", "open"]})

def translatorComes(caller):
    '''A translator that comes during a run lets connections go on that are older, however long they were idle.'''
    forgetful = dict(PLAIN, nat={"idle": "4 s"})
    found, words = inside(CALLERS[caller], {"name": "Late", "profile": PLAIN, "steps": [step("late", profile=forgetful)]}, r"""
held = connect(V4)
facts["before"] = len(ask(held))
time.sleep(6)
mark("late")
time.sleep(2)
facts["after"] = len(ask(held, 5))
""")
    same(found, {"before": 2, "after": 2})

def resetsBehindANAT():
    '''What a fault sends to the server comes from the port that the server knows.'''
    profile = dict(PLAIN, nat={}, faults=[{"match": {"port": 8000, "after": "10 bytes"}, "do": "reset"}])
    found, words = inside([], {"name": "Reset", "profile": profile, "steps": [step("rebound", nat="rebind")]}, r"""
mark("rebound")
held, count = connect(V4), datagrams(V4, 8005)
time.sleep(0.2)
facts["before"] = ask(count)
ask(held)
facts["reset"] = ask(held)
time.sleep(0.5)
facts["after"] = ask(count)
held.close()
""")
    same(found, {"before": ["1"], "reset": "ECONNRESET", "after": ["0"]})

def carriesMuch():
    '''Everything that passes is translated and whole: super-packets, both ways, and pings.'''
    nat = dict(NAT, nat={"mapping": "address and port", "filtering": "address and port"}, uplink={"rate": "200 Mbit/s", "delay": "1 ms"})
    scenario = {"name": "Much", "profile": nat, "steps": [step("rebound", nat="rebind")]}
    found, words = inside([], scenario, r"""
import hashlib, threading
def transfer():
    with connect(V4, 8004) as peer:
        data = os.urandom(4_000_000)
        threading.Thread(target=lambda: (peer.sendall(data), peer.shutdown(socket.SHUT_WR))).start()
        back = b""
        while True:
            piece = peer.recv(1 << 16)
            if not piece: break
            back += piece
    return back == data
facts["kept"] = transfer()
ping = ["ping", "-n", "-c", "3", "-i", "0.2", "-W", "2", V4]
facts["pings"] = " 0% packet loss" in output(*ping)
mark("rebound")
facts["changed"] = transfer()
facts["pinged"] = " 0% packet loss" in output(*ping)
""")
    same(found, {"kept": True, "pings": True, "changed": True, "pinged": True})
