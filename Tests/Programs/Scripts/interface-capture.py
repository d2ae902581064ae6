# SPDX-License-Identifier: Apache-2.0
# What InterfaceCaptureTests.swift does in a private link, one function a test.
import contextlib, signal

FILE = "/tmp/packets.pcapng"
CAPTURED = "run -i near0 --capture %s " % FILE


def tshark(file, expression, *fields):
    """The fields of each packet that the expression selects."""
    arguments = [word for field in fields for word in ("-e", field)]
    done = subprocess.run(["tshark", "-n", "-r", file, "-Y", expression, "-T", "fields"] + arguments,
                          capture_output=True, text=True)
    expect(done.returncode == 0 and "cut short" not in done.stderr, "tshark: " + done.stderr)
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


def echoes(file=FILE, kind=8):
    """The number and the fate of each echo request (8) or answer (0), in the order of the file."""
    found = tshark(file, "icmp.type == %d" % kind, "icmp.seq", "frame.comment")
    words = lambda comment: dict(word.split("=", 1) for word in comment.split(",conditions")[0].split())
    return [(int(number), words(comment)) for number, comment in found]


@contextlib.contextmanager
def arriving():
    """Watches the other end of the link; yields a list that has the numbers of its echo requests afterwards."""
    process = subprocess.Popen(["ip", "netns", "exec", "far", "tcpdump", "-U", "--immediate-mode", "-i", "far0", "-w",
                                "/tmp/far.pcap", "icmp"], stderr=subprocess.PIPE)
    process.stderr.readline()
    time.sleep(0.3)
    numbers = []
    yield numbers
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    words = process.communicate(timeout=HANG)[1].decode()
    expect("0 packets dropped by kernel" in words, words)
    numbers += [int(number) for number, in tshark("/tmp/far.pcap", "icmp.type == 8", "icmp.seq")]


def holdsEachPacketOnceWithItsFate():
    settle(faultOfDelays, stillness=2)


def faultOfDelays():
    """Expects each packet once, and returns what is wrong with the delays in the file."""
    with arriving() as arrived:
        output = linkcond(CAPTURED + "--seed 5 --uplink 'loss=20 %, delay=20 ms' --downlink 'loss=10 %, delay=5 ms' -- "
                          "sh -c 'ping -n -q -i 0.01 -c 200 10.9.0.2; sleep 0.2'")
    clean("run")
    requests, answers = echoes(), echoes(kind=0)
    expect([number for number, _ in requests] == list(range(1, 201)), "requests: %s" % requests)
    passed = [number for number, fate in requests if fate["fate"] == "passed"]
    # The kernel has a backlog for each processor (net/core/dev.c): what comes at once on two may change places.
    expect(passed == sorted(arrived), "passed: %s, arrived: %s" % (passed, arrived))
    answered = [number for number, _ in answers]
    expect(sorted(answered) == sorted(arrived), "answers to %s, but these arrived: %s" % (answered, arrived))
    passed = [number for number, fate in answers if fate["fate"] == "passed"]
    expect("%d received" % len(passed) in output and 100 < len(passed) < len(arrived) < 200, output)
    late = []
    for lane, found, least in ("uplink", requests, 20), ("downlink", answers, 5):
        expect(all(fate["lane"] == lane for _, fate in found), "another lane")
        lost = [fate for _, fate in found if fate["fate"] == "dropped"]
        expect(all(fate["reason"] == "randomLoss" for fate in lost), "%s" % lost)
        delays = sorted(float(fate["delay"][:-2]) for _, fate in found if fate["fate"] == "passed")
        expect(least <= delays[0], "%s: %s" % (lane, delays))
        if delays[len(delays) // 2] >= least + 5:
            late.append("%s: %s" % (lane, delays))
    # In the order in which this host saw them.
    seen = [float(each) for each, in tshark(FILE, "frame", "frame.time_epoch")]
    expect(seen == sorted(seen), "another order")
    return late[0] if late else None


def holdsWhatNeedsNoLane():
    linkcond(CAPTURED + "--uplink 'delay=20 ms' -- ping -n -q -i 0.01 -c 20 10.9.0.2")
    clean("run")
    for kind, lane in (8, "uplink"), (0, "downlink"):
        found = echoes(kind=kind)
        expect(len(found) == 20 and all(fate["lane"] == lane and fate["fate"] == "passed" for _, fate in found), found)


def goesOnAfterASwitch():
    linkcond(CAPTURED + "--engine userspace LTE -- sh -c 'ping -n -q -i 0.05 -c 10 10.9.0.2; " + PROGRAM + " switch Wi-Fi; "
             "ping -n -q -i 0.05 -c 10 10.9.0.2'")
    clean("run")
    delays = [float(fate["delay"][:-2]) for _, fate in echoes()]
    expect(len(delays) == 20 and min(delays[:10]) >= 65 and max(delays[10:]) < 65, "%s" % delays)
    noted = tshark(FILE, "frame.comment contains \"conditions from here on: Wi-Fi\"", "frame.number")
    expect(len(noted) == 1, "%s" % noted)


def isForItsOwnerAlone():
    with open(FILE, "w") as file:
        file.write("older")
    os.chmod(FILE, 0o644)
    linkcond(CAPTURED + "--capture-snap 60 LTE -- ping -n -c 1 -s 1000 10.9.0.2")
    expect(os.stat(FILE).st_mode & 0o777 == 0o600, "readable by others")
    found = tshark(FILE, "icmp", "frame.cap_len", "frame.len")
    expect(found == [("60", "1042")] * 2, "%s" % found)
    # With the rights of the command's user.
    os.symlink("/etc/passwd", "/tmp/link")
    output = linkcond("run -i near0 --capture /tmp/link --user nobody LTE -- true; echo status $?")
    expect("symbolic links are not followed" in output and "status 125" in output, output)
    clean("a refusal")


def endsWithASignal(number):
    runs = subprocess.Popen(["ip", "netns", "exec", "near", PROGRAM] + CAPTURED.split() +
                            ["LTE", "--", "ping", "-n", "-q", "-i", "0.05", "10.9.0.2"])
    until(lambda: named("ping"), "the command")
    until(lambda: int(sh("cat /sys/class/net/near0/statistics/rx_packets")) > 40, "answers")
    runs.send_signal(number)
    runs.wait(HANG)
    clean("signal %d" % number)
    expect(len(echoes()) > 10, "%d packets" % len(echoes()))
    expect(os.path.getsize(FILE) > 0 and "cut short" not in sh("capinfos -c " + FILE), "not whole")


def nothingRemainsWhicheverProcessIsKilled(process):
    runs = start(["ip", "netns", "exec", "near", PROGRAM] + CAPTURED.split() +
                 ["--engine", "userspace", "LTE", "--", "sleep", "1000"])
    sleeping()
    # What came some time before is in the file.
    expect(len(times()) == 3, "no answers")
    time.sleep(0.5)
    os.kill(named(process)[0], 9)
    until(lambda: dump() == before, "the end of the conditions", 15)
    for each in named("sleep"):
        os.kill(each, signal.SIGKILL)
    end(runs)
    clean("run")
    # On a busy machine, one that was late was asked for again.
    expect(len(echoes()) >= 3 and len(echoes(kind=0)) >= 3, "%s %s" % (echoes(), echoes(kind=0)))


def saysThatTheDiskIsFull():
    os.mkdir("/tmp/small")
    # "ip netns exec" has mounts of its own, which follow those of this process.
    subprocess.run("mount --make-rshared / && mount -t tmpfs -o size=64k none /tmp/small", shell=True, check=True)
    output = linkcond("run -i near0 --capture /tmp/small/c --uplink 'delay=5 ms' -- "
                      "sh -c 'ping -q -s 1400 -i 0.01 -c 60 10.9.0.2 && exit 5'; echo status $?")
    clean("run")
    expect("60 received" in output and "status 5" in output, output)
    expect("note: the capture ends early, and can be read up to there: it has taken half of the room" in output, output)
    # 32 KiB of packets with 1442 bytes.
    expect(10 <= len(tshark("/tmp/small/c", "icmp", "frame.number")) <= 40, "it cannot be read, or is too long")


def endsThePipeOfItsReader():
    output = linkcond("run -i near0 --capture /dev/stdout LTE -- ping -n -q -c 3 -i 0.1 10.9.0.2 2>/dev/null | "
                      "(sleep 1; cat) | tail -c 100000 | wc -c")
    expect(int(output) > 500, output)
    clean("run")
