# SPDX-License-Identifier: Apache-2.0
# What FacingTests.swift does in a private link, one function a test. The far network's interface is far0.
import json, socket

ADDRESS = {"near": "10.9.0.1", "far": "10.9.0.2"}
PROFILE = "--uplink 'rate=500 kbit/s,delay=20 ms' --downlink 'rate=2 Mbit/s,delay=90 ms' --dns 'delay=150 ms'"


def udp(network):
    return inside(network, lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))


def far(arguments):
    done = subprocess.run(["ip", "netns", "exec", "far", "sh", "-c", PROGRAM + " " + arguments], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(done.returncode == 0, arguments + ": " + done.stdout)
    return done.stdout


def way(source, target, port):
    """The least delay of a datagram in milliseconds, and the rate of a burst in kbit/s, the median of three."""
    with udp(target) as sink, udp(source) as sender:
        sink.bind(("", port))
        sink.settimeout(HANG)
        # SO_TIMESTAMPNS: when the kernel received it, however long this process then waits for a processor.
        sink.setsockopt(socket.SOL_SOCKET, 35, 1)
        delays, rates = [], []
        for each in range(5):
            begin = time.monotonic()
            sender.sendto(b"x" * 58, (ADDRESS[target], port))
            sink.recv(2000)
            delays.append((time.monotonic() - begin) * 1000)
        for each in range(3):
            for each in range(12):
                sender.sendto(b"x" * 958, (ADDRESS[target], port))
            burst = [sink.recvmsg(2000, 100)[1][0][2] for each in range(12)]
            first, last = (seconds + part / 1e9 for seconds, part in (struct.unpack("qq", burst[each]) for each in (0, -1)))
            rates.append(11 * 8 / (last - first))
        return min(delays), sorted(rates)[1]


def link():
    """What the far host's link is like: its uplink, its queries, its downlink, and queries to it."""
    return [way(*each) for each in (("far", "near", 7001), ("far", "near", 53), ("near", "far", 7001),
                                    ("near", "far", 53))]


def close(found, wanted):
    return all(abs(mine[0] - theirs[0]) < 15 and 0.75 < mine[1] / theirs[1] < 1.33
               for mine, theirs in zip(found, wanted))


def measured(wanted, words):
    """Expects the link."""
    def fault():
        found = link()
        return None if close(found, wanted) else "%s: asked %s, found %s" % (words, wanted, found)
    settle(fault)


def isDelayed(up, words):
    """Expects 80 ms one way and none the other."""
    def fault():
        ways = [way("far", "near", 7001)[0], way("near", "far", 7001)[0]]
        slow, fast = ways if up else reversed(ways)
        expect(slow >= 80, "%s: %s" % (words, ways))
        return None if slow < 110 and fast < 30 else "%s: %s" % (words, ways)
    settle(fault)


def isTheSameLinkAtEitherEnd():
    # 100 and 1000 bytes, with their headers and the frame's, at 500 and 2000 kbit/s.
    wanted = [(20 + 1.6, 500), (170 + 1.6, 500), (90 + 0.4, 2000), (90 + 0.4, 2000)]
    far("apply --engine userspace -i far0 " + PROFILE)
    measured(wanted, "at far0")
    far("reset")
    linkcond("apply --engine userspace -i near0 --facing peer " + PROFILE)
    measured(wanted, "at near0")
    found = linkcond("status")
    expect("(rule 1, facing the peer, userspace," in found, found)
    for lane in "dns", "uplink", "downlink":
        figures = re.search(r"  " + lane + r" .*? (\d+) +(\d+) +0 +0", found)
        expect(figures and int(figures[1]) == int(figures[2]) >= 41, found)
    linkcond("reset")
    clean("reset")


def staysThatWay():
    """A switch, off and on, and a repair keep the way that a rule faces; the same traffic the other way replaces it."""
    linkcond("apply --engine userspace -i near0 --facing peer --uplink 'delay=80 ms'")
    for change in ("switch --uplink 'delay=80 ms,loss=0.001 %'", "off", "on"):
        linkcond(change)
        if change != "off":
            isDelayed(True, change)
    facing = json.loads(linkcond("status --json"))["devices"][0]["rules"][0]["facing"]
    expect(facing == "peer", facing)
    linkcond("apply --engine userspace -i near0 --uplink 'delay=80 ms'")
    isDelayed(False, "turned round")
    expect("facing" not in linkcond("status"), "it still faces the peer")
    linkcond("reset")
    clean("reset")


def lastsAsLongAsACommand():
    begin = "run --engine userspace -i near0 --facing peer --uplink 'delay=80 ms' "
    process = subprocess.Popen(["ip", "netns", "exec", "near", "sh", "-c", "exec %s %s -- sleep 1000" % (PROGRAM, begin)],
                               stdin=subprocess.DEVNULL)
    until(lambda: "facing the peer" in linkcond("status"), "the conditions")
    isDelayed(True, "run")
    process.terminate()
    process.wait(HANG)
    clean("the end of the command")
    found = linkcond("run --facing peer LTE -- true; echo $?", False)
    expect("--facing needs an interface: -i DEV" in found and found.endswith("125\n"), found)
    # Without what tells one process from another.
    shown, turned, exported = (re.sub(r" (at|pid|start)=\d+", "", linkcond(each + " 'Black Hole' -i near0"))
                               for each in ("show --tc -v", "show --tc -v --facing peer", "export --to tc --facing peer"))
    expect("ingress" in shown and "ingress" not in turned and turned == exported, turned + exported)


def refusesLoopback():
    found = linkcond("apply LTE -i lo --facing peer", False)
    expect("lo has no other end" in found, found)
    expect(dump() == before, "something has changed")
