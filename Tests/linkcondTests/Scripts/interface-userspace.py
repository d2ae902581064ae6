# SPDX-License-Identifier: Apache-2.0
# What InterfaceUserspaceTests.swift does in a private link, one function a test.


def delaysBothWaysAndLeavesNothing():
    for device, addresses in ("near0", ["10.9.0.2", "fd09::2"]), ("lo", ["127.0.0.1", "::1", "10.9.0.1"]):
        linkcond("apply --engine userspace LTE -i " + device)
        for address in addresses:
            found = times(address)
            expect(len(found) == 3 and 115 <= min(found) < 300, "%s: %s" % (address, found))
        status = linkcond("status")
        expect("%s: LTE (rule 1, userspace" % device in status, status)
        sent = 3 * len(addresses)
        for lane in "uplink", "downlink":
            figures = re.search(lane + r" .*?/s +(\d+) +(\d+) +0 +0", status)
            expect(figures and int(figures[1]) == int(figures[2]) >= sent, status)
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
    expect(len(ours()) == 2, "one guardian and one pump")
    os.kill(named(process)[0], signal)
    clean("signal %d to %s" % (signal, process), 3)
    expect(len(times()) == 3, "packets pass")


def repairsAfterBothAreKilled():
    linkcond("apply --engine userspace LTE -i near0")
    for process in ours():
        os.kill(process, 9)
    until(lambda: not ours(), "their end")
    found = linkcond("status")
    expect("repaired near0: removed filters whose device is gone" in found, found)
    clean("status")


def endsWithItsTimeAndWithItsCommand():
    linkcond("apply --engine userspace LTE -i near0 --for 0.5s")
    clean("the end of its time", 2)
    linkcond("apply --engine userspace LTE -i near0 --confirm 1s")
    linkcond("confirm")
    time.sleep(1.5)
    expect(min(times()) >= 115, "it was confirmed")
    linkcond("apply --engine userspace Wi-Fi -i near0 --for 0.5s")
    clean("the end of its new time", 2)
    output = linkcond("run --engine userspace LTE -i near0 -- ping -n -c 2 -i 0.2 10.9.0.2")
    expect(all(float(each) >= 115 for each in re.findall("time=([0-9.]+)", output)), output)
    clean("run")


def nothingOfARunRemainsWhicheverProcessIsKilled(process):
    runs = start(["ip", "netns", "exec", "near", PROGRAM, "run", "--engine", "userspace", "LTE", "-i", "near0",
                  "--", "sleep", "1"])
    sleeping()
    os.kill(named(process)[0], 9)
    until(lambda: dump() == before, "the end of the conditions", 2)
    end(runs)
    clean("run")


def isPutBackAsItWas():
    linkcond("apply --engine userspace LTE -i near0 --protocol icmp")
    found = linkcond("off")
    expect('"linkcond on" resumes it' in found, found)
    until(lambda: dump() == before and not ours(), "off")
    expect(max(times()) < 115, "it is off")
    linkcond("on")
    expect(min(times()) >= 115, "it is on")
    status = linkcond("status")
    expect("traffic protocol icmp, userspace" in status, status)
    linkcond("reset")
    clean("reset")


def isTakenForWhatNetemCannotDo():
    os.chdir("/tmp")
    with open("steady.down", "w") as file:
        file.write("".join("%d\n" % each for each in range(1, 11)))
    with open("both.json", "w") as file:
        file.write('{"name": "Both", "downlink": {"trace": {"file": "steady.down", "format": "mahimahi"}},'
                   '"schedule": {"steps": [{"at": "0 s", "uplink": {"delay": "40 ms"}}], "repeat": "1 s"}}')
    found = linkcond("apply ./both.json -i near0")
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


def saysWhatItCannotDoAndChangesNothing():
    global before
    sh("ip tuntap add tunnel0 mode tun; ip link add bridge0 type bridge; ip link add a0 type veth peer name b0;"
       "ip link set a0 master bridge0")
    before = dump()
    for device, words in ("tunnel0", "no Ethernet header"), ("a0", "a port of a bridge"):
        found = linkcond("apply --engine userspace LTE -i " + device + "; echo status $?")
        expect(words in found and "status 69" in found, found)
        clean(device)


def goesOnWithoutItsEntry():
    for process, signal in ("lc-guardian", 9), ("lc-pump", 15), ("lc-guardian", 15), ("lc-pump", 9):
        linkcond("apply --engine userspace LTE -i near0")
        found = os.listdir("/run/linkcond")
        entries = ["/run/linkcond/" + each for each in found if each.endswith(".entry")]
        expect(len(entries) == 1, "an entry: %s" % found)
        os.remove(entries[0])
        found = linkcond("switch Wi-Fi", False)
        expect("linkcond reset -i near0" in found, found)
        expect(min(times()) >= 115, "packets pass as before")
        expect(len(ours()) == 2, "guardian and pump before signal %d" % signal)
        os.kill(named(process)[0], signal)
        until(lambda: times("10.9.0.2", 1) and max(times()) < 115, "free traffic")
        linkcond("reset")
        sh("tc qdisc del dev near0 clsact", False)
        clean("signal %d to %s without an entry" % (signal, process), 3)


def isTakenOffWhereItsProcessIsStopped():
    linkcond("apply --engine userspace LTE -i near0")
    os.kill(named("lc-pump")[0], 19)
    found = linkcond("status")
    expect("its process does not answer" in found, found)
    found = linkcond("switch Wi-Fi; echo status $?")
    expect("does not answer" in found and "status 71" in found, found)
    found = linkcond("reset --now")
    until(lambda: dump() == before, "reset")
    clean("reset", 3)


def isNotSuspendedUnderACommand():
    runs = start(["ip", "netns", "exec", "near", PROGRAM, "run", "--engine", "userspace", "LTE", "-i", "near0",
                  "--", "sleep", "1"])
    sleeping()
    found = linkcond("off; echo status $?")
    expect("for a running command" in found and "status 75" in found, found)
    linkcond("switch Wi-Fi -i near0")
    expect(max(times()) < 115, "it is switched")
    end(runs)
    clean("run")


def endsWhenItsNetworkIsDeserted():
    subprocess.run(["unshare", "-n", PROGRAM, "apply", "--engine", "userspace", "LTE", "-i", "lo"], check=True,
                   stderr=subprocess.DEVNULL)
    expect(len(ours()) == 2, "one guardian and one pump")
    until(lambda: not ours() and not os.listdir("/run/linkcond"), "the end of both", 12)
