# SPDX-License-Identifier: Apache-2.0
# Several uplinks at once, each with an interface, addresses and a profile of its own; after uplink.py.
import tempfile

NEAR = {"name": "near", "uplink": {"delay": "1 ms", "rate": "20 Mbit/s"}, "downlink": {"delay": "1 ms", "rate": "20 Mbit/s"}}
FAR = {"name": "far", "uplink": {"delay": "30 ms", "rate": "20 Mbit/s"}, "downlink": {"delay": "30 ms", "rate": "20 Mbit/s"}}
FARTHER = {"name": "farther", "uplink": {"delay": "80 ms"}, "downlink": {"delay": "80 ms"}}
AWAY = {"name": "Away", "paths": {"wifi0": NEAR, "cell0": FAR}, "steps": [
    {"label": "away", "after": {"mark": "away"}, "path": "wifi0", "link": "down"},
    {"label": "back", "after": {"mark": "back"}, "path": "wifi0", "link": "up"}]}
FILES = tempfile.mkdtemp(dir="/tmp")
os.chmod(FILES, 0o755)
for title, content in ("near", NEAR), ("far", FAR), ("farther", FARTHER), ("away", AWAY):
    with open("%s/%s.json" % (FILES, title), "w") as file: json.dump(content, file)
PATHS = [each for device, profile in (("wifi0", "near"), ("cell0", "far")) for each in ("--path", "%s=%s/%s.json" % (device, FILES, profile))]

CLIENT = CLIENT.replace("if sys.argv[1] in", '''
PROGRAM, FILES = "%s", "%s"
MULTIPATH = 262
def linkcond(*words): subprocess.run([PROGRAM] + list(words), check=True, stderr=subprocess.DEVNULL)
def carried():
    """The bytes that each interface has sent and got."""
    with open("/proc/self/net/dev") as file: lines = [line.split(":") for line in file if ":" in line]
    return {name.strip(): sum(int(each) for each in (rest.split()[0], rest.split()[8])) for name, rest in lines}
def begin(version, protocol=0):
    peer = socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6, socket.SOCK_STREAM, protocol)
    peer.settimeout(60)
    peer.connect((NAMES[version], 8003))
    peer.sendall(b"paths...")
    peer.recv(1)
    return peer
def whole(peer, count):
    """Ends an upload; whether the server has got that many bytes."""
    peer.shutdown(socket.SHUT_WR)
    return int(peer.recv(100)) == count
def interface(address):
    """That which has the address."""
    lines = subprocess.run(["ip", "-o", "address"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return next(line.split()[1] for line in lines if line.split()[3].startswith(address + "/"))
def trip(version, how, name):
    """The shortest of some round trips in milliseconds, of a socket that is bound to an interface or to its address."""
    peer = socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6, socket.SOCK_DGRAM)
    peer.settimeout(5)
    if how == "interface":
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, name.encode())
    else:
        lines = subprocess.run(["ip", "-o", "-%%d" %% version, "address", "show", name, "scope", "global"], stdout=subprocess.PIPE, text=True, check=True).stdout
        peer.bind((lines.split()[3].split("/")[0], 0))
    found = []
    for _ in range(5):
        begun = time.monotonic()
        peer.sendto(b"?", (NAMES[version], 8004))
        peer.recv(100)
        found.append((time.monotonic() - begun) * 1000)
    return min(found)

def uses(version):
    """Which interfaces carry an upload of TCP and one of Multipath TCP, of 8 MB."""
    found = {}
    for protocol in (0, MULTIPATH):
        before, peer = carried(), begin(version, protocol)
        peer.sendall(b"j" * 8000000)
        assert whole(peer, 8000000)
        after = carried()
        found[protocol] = sorted(name for name in ("wifi0", "cell0") if after[name] - before[name] > 800000)
    return [found[0], found[MULTIPATH]]

def trips(version):
    """Of each interface, by both ways to choose it; then with another profile on one of them."""
    def all(): return [trip(version, how, name) for name in ("wifi0", "cell0") for how in ("interface", "address")]
    before = all()
    linkcond("switch", "-i", "cell0", FILES + "/farther.json")
    return before + all()

def leaves(version):
    """A link goes down, and comes back."""
    found, peer = [], begin(version, MULTIPATH)
    def first():
        with begin(version) as other: return interface(other.getsockname()[0])
    peer.sendall(b"k" * 3000000)
    found.append(first())
    old = socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6, socket.SOCK_DGRAM)
    old.bind((peer.getsockname()[0], 0))
    linkcond("mark", "away")
    peer.sendall(b"l" * 3000000)
    found += [first(), attempt(lambda: old.sendto(b"?", (NAMES[version], 8004)))]
    linkcond("mark", "back")
    peer.sendall(b"m" * 3000000)
    return found + [whole(peer, 9000000), first()]

def overlaps(version):
    """The addresses of wifi0 before its hand-over, while that overlaps, and after that; cell0 has one meanwhile."""
    def count():
        lines = subprocess.run(["ip", "-o", "-%%d" %% version, "address", "show", "wifi0", "scope", "global"], stdout=subprocess.PIPE, text=True, check=True).stdout
        return len(lines.splitlines())
    found = [count()]
    linkcond("mark", "wifi")
    found.append(count())
    linkcond("mark", "cell")
    for _ in range(100):
        if count() == 1: break
        time.sleep(0.1)
    return found + [count()]

if sys.argv[1] in''' % (PROGRAM, FILES))

def carriesOnEach(caller, version):
    uses = found(caller, SANDBOX + PATHS + ["--"], "uses", version)
    expect(uses == [["wifi0"], ["cell0", "wifi0"]], uses)

def eachHasItsConditions(caller, version):
    near, near2, far, far2, after, after2, farther, farther2 = found(caller, SANDBOX + PATHS + ["--"], "trips", version)
    expect(all(2 <= each < 60 for each in (near, near2, after, after2)), (near, near2, after, after2))
    expect(all(60 <= each < 160 for each in (far, far2)) and all(160 <= each for each in (farther, farther2)),
           (far, far2, farther, farther2))

def outlivesALink(caller, version):
    seen = found(caller, SANDBOX + ["--scenario", FILES + "/away.json", "--"], "leaves", version)
    expect(seen == ["wifi0", "cell0", "ENETUNREACH", True, "wifi0"], seen)

def overlapsApart(caller, version):
    scenario = {"name": "Both", "paths": {"wifi0": NEAR, "cell0": FAR}, "steps": [
        {"label": "wifi", "after": {"mark": "wifi"}, "path": "wifi0", "hand over": {"overlap": "2 s"}},
        {"label": "cell", "after": {"mark": "cell"}, "path": "cell0", "hand over": {}}]}
    with open(FILES + "/both.json", "w") as file: json.dump(scenario, file)
    seen = found(caller, SANDBOX + ["--scenario", FILES + "/both.json", "--"], "overlaps", version)
    expect(seen == [1, 2, 1], seen)

def saysWhatIsWhere():
    '''In the report, in status, and where a name is missing.'''
    words = " ".join(PATHS)
    linkcond("run %s --report report -- true" % words)
    with open("report/report.json") as file: report = json.load(file)
    expect(report["profile"] == "near on wifi0, far on cell0", report["profile"])
    output = linkcond("run %s -- %s status" % (words, PROGRAM))
    expect("sandbox: no conditions on lo, near on wifi0, far on cell0" in output, output)
    output = linkcond("run %s -- %s switch 3G" % (words, PROGRAM), False)
    expect("name one of lo, wifi0, cell0" in output, output)
    output = linkcond("run --path 'a=IPv6 Only' --path 'b=IPv6 Only' -- true", False)
    expect("only the first of several uplinks" in output, output)
    output = linkcond("matrix --offline -p %s/away.json -- true" % FILES, False)
    expect("leave out" in output or "without --offline" in output, output)
    events = sh("%s run --scenario %s/away.json --report report2 -- %s mark away >/dev/null 2>&1; cat report2/events.jsonl" % (PROGRAM, FILES, PROGRAM))
    step = next(json.loads(line) for line in events.splitlines() if '"step"' in line)
    expect((step["profile"], step["changes"]) == ("near on wifi0", ["link down"]), step)

def areMonitored(caller, version):
    """A target beside a command, over each; and one over an interface that is down."""
    target = "tcp://%s:8000" % {4: "10.9.0.2", 6: "[fd09::2]"}[version]
    words = [PROGRAM, "run", "--scenario", FILES + "/away.json", "--monitor", target, "--monitor", "link:wifi0", "--",
             "sh", "-c", "sleep 1; %s mark away; sleep 4" % PROGRAM]
    done = subprocess.run(["ip", "netns", "exec", "near"] + CALLERS[caller] + words, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    rows = dict((line.split("  ")[0].strip(), line) for line in done.stderr.splitlines() if line.startswith(("tcp://", "link:")))
    near, far, link = (rows.get(name, "") for name in (target + " over wifi0", target + " over cell0", "link:wifi0"))
    expect("unreachable" in near and "unreachable" in link and "reachable" in far and "unreachable" not in far, done.stderr)
