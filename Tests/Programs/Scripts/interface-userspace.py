# SPDX-License-Identifier: Apache-2.0
# What InterfaceUserspaceTests.swift does in a private link, one function a test.


def delaysBothWaysAndLeavesNothing():
    for device, addresses in ("near0", ["10.9.0.2", "fd09::2"]), ("lo", ["127.0.0.1", "::1", "10.9.0.1"]):
        linkcond("apply --engine userspace LTE -i " + device)
        for address in addresses:
            found = times(address)
            expect(len(found) == 3 and min(found) >= 115, "%s: %s" % (address, found))
        status = linkcond("status")
        expect("%s: LTE (rule 1, userspace" % device in status, status)
        sent = 3 * len(addresses)
        for lane in "uplink", "downlink":
            figures = re.search(lane + r" .*?/s +(\d+) +(\d+) +0 +0", status)
            expect(figures and int(figures[1]) == int(figures[2]) >= sent, status)
        for address in addresses:
            isSlow(115, address, address, below=150)
        linkcond("reset")
        clean("reset of " + device)


def losesNothingWhenSwitched():
    linkcond("apply --engine userspace LTE -i near0")
    pump = named("lc-pump")
    pings = subprocess.Popen("ip netns exec near ping -n -q -i 0.005 -c 600 10.9.0.2".split(),
                             stdout=subprocess.PIPE, text=True)
    for each in range(10):
        linkcond("switch " + ("Wi-Fi" if each % 2 == 0 else "LTE"))
        pause(0.3)
    output = pings.communicate()[0]
    expect("600 packets transmitted, 600 received" in output, output)
    expect(named("lc-pump") == pump, "another process")
    linkcond("reset")
    clean("reset")


def isRemovedWhicheverProcessIsKilled(process, signal):
    linkcond("apply --engine userspace LTE -i near0")
    until(lambda: len(ours()) == 3, "two guardians and one pump")
    os.kill(only(process), signal)
    clean("signal %d to %s" % (signal, process), 15)
    expect(len(times()) == 3, "packets pass")


def repairsAfterAllAreKilled():
    linkcond("apply --engine userspace LTE -i near0")
    for process in ours():
        os.kill(process, 9)
    until(lambda: not ours(), "their end")
    found = linkcond("status")
    expect("repaired near0: removed filters whose device is gone" in found, found)
    clean("status")


def endsWithItsTimeAndWithItsCommand():
    linkcond("apply --engine userspace LTE -i near0 --for 0.5s")
    clean("the end of its time", 15)
    # A busy machine may take longer than its time to confirm: then once more with a longer one.
    for limit in 1, 10, 60:
        began = time.monotonic()
        linkcond("apply --engine userspace LTE -i near0 --confirm %ds" % limit)
        found = linkcond("confirm; echo status $?", False)
        if time.monotonic() - began < limit or "status 0" in found:
            break
    expect("status 0" in found, found)
    time.sleep(limit + 0.5)
    expect(min(times()) >= 115, "it was confirmed")
    linkcond("apply --engine userspace Wi-Fi -i near0 --for 0.5s")
    clean("the end of its new time", 15)
    output = linkcond("run --engine userspace LTE -i near0 -- ping -n -c 2 -i 0.2 10.9.0.2")
    expect(all(float(each) >= 115 for each in re.findall("time=([0-9.]+)", output)), output)
    clean("run")


def nothingOfARunRemainsWhicheverProcessIsKilled(process):
    runs = start(["ip", "netns", "exec", "near", PROGRAM, "run", "--engine", "userspace", "LTE", "-i", "near0",
                  "--", "sleep", "1000"])
    sleeping()
    os.kill(only(process), 9)
    until(lambda: dump() == before, "the end of the conditions", 15)
    for each in named("sleep"):
        os.kill(each, signal.SIGKILL)
    end(runs)
    clean("run")


def isPutBackAsItWas():
    linkcond("apply --engine userspace LTE -i near0 --protocol icmp")
    found = linkcond("off")
    expect('"linkcond on" resumes it' in found, found)
    until(lambda: dump() == before and not ours(), "off")
    isFast(115, "it is off")
    linkcond("on")
    expect(min(times()) >= 115, "it is on")
    status = linkcond("status")
    expect("traffic over icmp, userspace" in status, status)
    linkcond("reset")
    clean("reset")


def hasTheMostSpecificRule():
    sh("ip -n far address add 10.9.0.3/24 dev far0; ip -n far address add fd09::3/64 dev far0 nodad")
    # LTE takes 115 ms for a round trip, Wi-Fi about 2 ms, both of them 117 ms.
    slow, fast = "--to 10.9.0.2 --to fd09::2", ""
    def expectBoth(words):
        for address in "10.9.0.2", "fd09::2":
            isSlow(115, "%s: %s" % (words, address), address)
        for address in "10.9.0.3", "fd09::3":
            isFast(60, "%s: %s" % (words, address), address)
    for order in [("LTE", slow), ("Wi-Fi", fast)], [("Wi-Fi", fast), ("LTE", slow)]:
        for profile, traffic in order:
            linkcond("apply --engine userspace %s -i near0 %s" % (profile, traffic))
        expectBoth(order)
        status = linkcond("status")
        expect(status.index("near0: LTE") < status.index("near0: Wi-Fi"), status)
        number = 1 if order[0][0] == "LTE" else 2
        expect("overlaps rule %d: packets of both are this rule's" % (3 - number) in status, status)
        expect("overlaps rule %d: packets of both are not this rule's" % number in status, status)
        expect('"overlaps"' in linkcond("status --json"), "overlaps in JSON")
        linkcond("off")
        linkcond("on")
        expectBoth("on, %s" % order)
        found = linkcond("switch LTE; echo status $?", False)
        expect("status 64" in found and re.search(r"try: -i near0 --rule \d, or", found), found)
        # The order of resumption counts them anew.
        number = int(re.search(r"near0: LTE .*?rule (\d)", linkcond("status"))[1])
        linkcond("switch Wi-Fi --rule %d" % number)
        isFast(60, "switched")
        linkcond("switch LTE -i near0 --rule %d" % number)
        expectBoth("switched back, %s" % order)
        found = linkcond("reset --rule 7; echo status $?", False)
        expect("there is no rule 7" in found and "status 66" in found and "--rule" in found, found)
        found = linkcond("reset --rule %d" % number)
        expect('near0: removed rule %d, "LTE"' % number in found, found)
        isFast(60, "removed")
        linkcond("reset")
        clean("reset")


def keepsTheOrderOfEqualRules():
    # Both match pings to either address; the rule that was added last has them.
    for profile, traffic in ("Wi-Fi", "--to 10.9.0.0/24"), ("LTE", "--to 10.9.0.0/24 --to fd09::/96"):
        linkcond("apply --engine userspace %s -i near0 %s" % (profile, traffic))
    expect(min(times()) >= 115, "the later rule")
    # Changed, but not added.
    linkcond("switch Wi-Fi --rule 1")
    expect(min(times()) >= 115, "the later rule, after a change of the other")
    linkcond("off")
    linkcond("on")
    expect(min(times()) >= 115, "the later rule, put back")
    linkcond("reset")
    clean("reset")


def losesNothingWhileRulesMove():
    linkcond("apply --engine userspace Wi-Fi -i near0")
    pings = subprocess.Popen("ip netns exec near ping -n -q -i 0.005 -c 900 10.9.0.2".split(),
                             stdout=subprocess.PIPE, text=True)
    places = sh("tc filter show dev near0 egress")
    for port in range(1, 15):
        linkcond("apply --engine userspace LTE -i near0 --port %d" % port)
    first = re.search(r"pref (\d+) bpf", places)[1]
    output = pings.communicate()[0]
    expect("900 packets transmitted, 900 received" in output, output)
    expect("pref %s bpf" % first not in sh("tc filter show dev near0 egress"), "no filter has moved")
    numbers = re.findall(r"\(rule (\d+)", linkcond("status"))
    expect([int(each) for each in numbers] == list(range(15, 1, -1)) + [1], numbers)
    linkcond("reset --now")
    clean("reset")


def saysWhatItReplacesAndRemoves():
    found = linkcond("apply --engine userspace 'Slow Net' -i near0 --for 10m")
    expect("it ends in 10 min" in found, found)
    found = linkcond("apply --engine userspace 3G -i near0")
    expect(re.search(r'near0 has "3G" instead of "Slow Net", which would have ended in (10 min|9 min \d+ s);', found), found)
    linkcond("apply --engine userspace 3G -i near0 --port 443")
    found = linkcond("reset")
    expect('restored near0: removed "3G" (2 rules)' in found, found)
    clean("reset")


def isTakenForWhatNetemCannotDo():
    os.chdir("/tmp")
    with open("steady.down", "w") as file:
        file.write("".join("%d\n" % each for each in range(1, 11)))
    with open("both.json", "w") as file:
        file.write('{"name": "Both", "downlink": {"trace": {"file": "steady.down", "format": "mahimahi"}},'
                   '"schedule": {"steps": [{"at": "0 s", "uplink": {"delay": "40 ms"}}], "repeat": "1 s"}}')
    found = linkcond("apply -v ./both.json -i near0")
    expect("using the userspace engine: " in found, found)
    expect(min(times()) >= 40, "the schedule's delay")
    status = linkcond("status")
    expect("by schedule" in status and "steady.down" in status, status)
    os.chdir("/")
    linkcond("off")
    linkcond("on")
    expect(min(times()) >= 40, "the recording is found from elsewhere")
    linkcond("reset")
    clean("reset")


def switchesToARecordingAndBack():
    def longest():
        """The longest round trip of five pings at once: the last waits for the opportunities of all."""
        output = sh("ping -n -c 5 -l 5 -s 1400 -W 60 10.9.0.2")
        return max(float(each) for each in re.findall(r"time=([0-9.]+)", output))

    def between(least, most, words):
        def fault():
            found = longest()
            expect(found >= least, "%s: %s ms" % (words, found))
            return None if found < most else "%s: %s ms" % (words, found)
        settle(fault)

    for name, stamp in ("slow", 100), ("slower", 200):
        with open("/tmp/%s.up" % name, "w") as file:
            file.write("%d\n" % stamp)
        with open("/tmp/%s.json" % name, "w") as file:
            file.write('{"name": "%s", "uplink": {"trace": {"file": "%s.up", "format": "mahimahi"}}}' % (name, name))
    linkcond("apply --engine userspace Wi-Fi -i near0")
    pump = named("lc-pump")
    for name, least in ("slow", 400), ("slower", 800), ("slow", 400):
        linkcond("switch /tmp/%s.json" % name)
        between(least - 100, 2 * least, name)
    linkcond("switch Wi-Fi")
    between(0, 300, "no recording")
    expect(named("lc-pump") == pump, "another process")
    os.remove("/tmp/slow.up")
    found = linkcond("switch /tmp/slow.json; echo status $?")
    expect("slow.up" in found and "status 66" in found, found)
    between(0, 300, "no recording")
    linkcond("reset")
    clean("reset")


def saysWhatItCannotDoAndChangesNothing():
    global before
    sh("ip link add bridge0 type bridge; ip link add a0 type veth peer name b0; ip link set a0 master bridge0")
    before = dump()
    found = linkcond("apply --engine userspace LTE -i a0; echo status $?")
    expect("a port of a bridge" in found and "status 69" in found, found)
    clean("a0")


def goesOnWithoutItsEntry():
    for process, signal in ("lc-guardian", 9), ("lc-pump", 15), ("lc-guardian", 15), ("lc-pump", 9), ("lc-standby", 9):
        linkcond("apply --engine userspace LTE -i near0")
        found = os.listdir("/run/linkcond")
        entries = ["/run/linkcond/" + each for each in found if each.endswith(".entry")]
        expect(len(entries) == 1, "an entry: %s" % found)
        os.remove(entries[0])
        found = linkcond("switch Wi-Fi", False)
        expect("linkcond reset -i near0" in found, found)
        expect(min(times()) >= 115, "packets pass as before")
        until(lambda: len(ours()) == 3, "guardians and pump before signal %d" % signal)
        os.kill(only(process), signal)
        until(lambda: min(times(), default=1000) < 115, "free traffic")
        linkcond("reset")
        sh("tc qdisc del dev near0 clsact", False)
        clean("signal %d to %s without an entry" % (signal, process), 15)


def isTakenOffWhereItsProcessIsStopped():
    said = "repaired near0: the process that carried \"LTE\" has stopped"
    for command, words in ("status", said), ("switch Wi-Fi; echo", said), ("reset --now", ""):
        linkcond("apply --engine userspace LTE -i near0")
        stop(named("lc-pump"))
        found = linkcond(command)
        expect(words in found, found)
        clean(command, 15)


def leavesNoStoppedPump():
    runs = start(["ip", "netns", "exec", "near", PROGRAM, "run", "--engine", "userspace", "LTE", "-i", "near0",
                  "--", "sleep", "1000"])
    sleeping()
    stop(named("lc-pump"))
    os.kill(named("sleep")[0], signal.SIGKILL)
    until(lambda: others() is not None and runs in ended, "the end of the command", 120)
    clean("run", 15)


def isNotSuspendedUnderACommand():
    runs = start(["ip", "netns", "exec", "near", PROGRAM, "run", "--engine", "userspace", "LTE", "-i", "near0",
                  "--", "sleep", "1000"])
    sleeping()
    found = linkcond("off; echo status $?")
    expect("for a running command" in found and "status 75" in found, found)
    linkcond("switch Wi-Fi -i near0")
    isFast(115, "it is switched")
    os.kill(named("sleep")[0], signal.SIGKILL)
    end(runs)
    clean("run")


def endsWhenItsNetworkIsDeserted():
    subprocess.run(["unshare", "-n", PROGRAM, "apply", "--engine", "userspace", "LTE", "-i", "lo"], check=True,
                   stderr=subprocess.DEVNULL)
    expect(len(ours()) == 3, "two guardians and one pump")
    until(lambda: not ours() and not os.listdir("/run/linkcond"), "the end of all", 60)


def isCommandedFromOutsideItsNetworkAlone():
    """Root of the network, such as that of a container, finds no socket there."""
    linkcond("apply LTE --engine userspace -i near0")
    names = [line.split()[-1] for line in sh("ip netns exec near cat /proc/net/unix").splitlines() if "linkcond" in line]
    expect(all(name.startswith("/proc/self/fd/") for name in names), names)
    sockets = [name for name in os.listdir("/run/linkcond") if name.endswith(".pump")]
    expect(len(sockets) == 2 and os.stat("/run/linkcond").st_mode & 0o777 == 0o700, sockets)
    for name in sockets:
        mode = os.stat("/run/linkcond/" + name).st_mode
        expect(mode & 0o777 == 0o600, "%s: %o" % (name, mode))
    expect("65 ms" in linkcond("status"), "status does not know the conditions: " + linkcond("status"))
    # One that sends its request a byte at a time.
    import socket
    slow = []
    for name in sockets:
        client = socket.socket(socket.AF_UNIX)
        client.connect("/run/linkcond/" + name)
        client.send(b"\x10")
        slow.append(client)
    begin = time.monotonic()
    linkcond("switch Wi-Fi")
    linkcond("status")
    expect(time.monotonic() - begin < 60, "others wait for it")
    expect(named("lc-pump"), "the pump is gone")
    linkcond("reset")
    clean("reset")


def isTakenOffWhenItsPumpIsStopped():
    linkcond("apply LTE --engine userspace -i near0")
    stop(named("lc-pump"))
    expect(times(count=1) == [], "a stopped pump carries packets")
    # The guardian asks every 4 s, and waits 2 s for an answer, three times.
    until(lambda: not ours(), "the end of a pump that is stopped")
    isFast(50, "the interface is closed")
    clean("its end")


def keepsItsMemoryWhereDisksAreElsewhere():
    server = subprocess.Popen(["ip", "netns", "exec", "far", "python3", "-c", "import socket, time\n"
                               "s = socket.create_server(('10.9.0.2', 10809)); print('listening', flush=True)\n"
                               "c = s.accept(); time.sleep(1000)"], stdout=subprocess.PIPE, text=True)
    server.stdout.readline()
    client = subprocess.Popen(["ip", "netns", "exec", "near", "python3", "-c", "import socket, time\n"
                               "s = socket.create_connection(('10.9.0.2', 10809))\n"
                               "print('connected', flush=True); time.sleep(1000)"], stdout=subprocess.PIPE, text=True)
    client.stdout.readline()
    # As if a network block device were in use, by the process that has the connection.
    disk = ["mount -t tmpfs none /sys/block && mkdir /sys/block/nbd0 && echo %d > /sys/block/nbd0/pid" % client.pid]
    for begin, selection, isLocked in ([], "", False), (disk, "", True), (disk, "--exclude port\\ 10809", False):
        command = " && ".join(begin + ["$0 apply LTE --engine userspace -i near0 " + selection])
        apply = subprocess.run(["ip", "netns", "exec", "near", "sh", "-c", command, PROGRAM], capture_output=True, text=True)
        expect(apply.returncode == 0, apply.stderr)
        note = "near0 carries nbd0 (nbd from 10.9.0.2), which the conditions affect too; --exclude 'to 10.9.0.2'"
        expect((note in apply.stderr) == isLocked, apply.stderr)
        for name in "lc-pump", "lc-guardian", "lc-standby":
            process = only(name)
            locked = lambda: int(re.search(r"VmLck:\s+(\d+)", read("/proc/%d/status" % process).decode())[1])
            # The second guardian does so when it has its name.
            if isLocked:
                until(lambda: locked() > 1000, "locked memory of " + name)
            expect((locked() > 1000) == isLocked, "%s has %d kB locked" % (name, locked()))
        expect(len(times()) == 3, "packets pass")
        linkcond("reset")
        clean("reset")
    for process in server, client:
        process.kill()
        process.wait()
