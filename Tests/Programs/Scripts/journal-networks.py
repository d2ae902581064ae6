# SPDX-License-Identifier: Apache-2.0
# What JournalNetworkTests.swift does in a private link, one function a test.
# The network "far" is the one in which commands for all networks run: its own interfaces have no conditions.

CONDITIONS = "--engine userspace LTE"


def withoutCookies():
    """From here on getsockopt(2) knows no SO_NETNS_COOKIE, as before Linux 5.14, here and in all children."""
    import ctypes, platform
    number, architecture = {"x86_64": (55, 0xC000003E), "aarch64": (209, 0xC00000B7)}[platform.machine()]
    # struct seccomp_data: the number, the architecture, the instruction, and the arguments, of which the third is the
    # option (SO_NETNS_COOKIE is 71); ENOPROTOOPT is 92.
    program = b"".join(struct.pack("=HBBI", *each) for each in [
        (0x20, 0, 0, 4), (0x15, 0, 5, architecture), (0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 32),
        (0x15, 0, 1, 71), (0x06, 0, 0, 0x00050000 | 92), (0x06, 0, 0, 0x7FFF0000)])
    code = ctypes.create_string_buffer(program, len(program))
    filter = struct.pack("=HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    library = ctypes.CDLL(None, use_errno=True)
    expect(library.prctl(22, 2, ctypes.create_string_buffer(filter, len(filter)), 0, 0) == 0,
           "a filter: %d" % ctypes.get_errno())

def inside(process, line):
    """Runs a line of shell in a process's network, and gives its output."""
    done = subprocess.run(["nsenter", "-n", "-t", str(process), "sh", "-c", line], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout

def beyond(line):
    done = subprocess.run(["ip", "netns", "exec", "far", "sh", "-c", line], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(done.returncode == 0, "%s ended with %d: %s" % (line, done.returncode, done.stdout))
    return done.stdout

def network(process):
    try:
        return os.stat("/proc/%d/ns/net" % process).st_ino
    except OSError:
        return None

def is_conditioned(process):
    found = inside(process, "ping -n -c 1 -W 3 127.0.0.1")
    figures = [float(each) for each in re.findall(r"time=([0-9.]+)", found)]
    return len(figures) == 1 and figures[0] >= 115

def kill_all(processes):
    for process in processes:
        try:
            os.kill(process, 9)
        except ProcessLookupError:
            # A reset beside this has ended it.
            pass
    for process in processes:
        until(lambda: process not in others(), "the end of %d" % process)

def desert(inode):
    """Ends a network with everything in it, except for commands that only look in."""
    kill_all([one for one in others() if name(one) in ("sleep", "lc-guardian", "lc-standby", "lc-pump") and network(one) == inode])

def sandbox(command=["sleep", "1000"]):
    """A sandbox with conditions: its launcher, and a process in it."""
    launcher = start([PROGRAM, "run", "--offline"] + CONDITIONS.split() + ["--"] + command)
    until(lambda: named(command[0]), "the command")
    return launcher, named(command[0])[0]

def deserted(count=1):
    """Conditions lo of networks that end at once, with everything in them; gives the inodes that they had."""
    before, inodes = set(others()), []
    for each in range(count):
        holder = start(["unshare", "-n", "sh", "-c", "ip link set lo up; exec tail -f /dev/null"])
        until(lambda: name(holder) == "tail", "its network")
        inside(holder, "%s apply %s -i lo" % (PROGRAM, CONDITIONS))
        inodes.append(network(holder))
    kill_all([each for each in others() if each not in before])
    return inodes


def resetAllLeavesASandboxAlone():
    """The sandbox has the inode of a network that ended while it was conditioned; its other namespaces take some, too."""
    for attempt in range(40):
        inodes = deserted(5)
        time.sleep(0.2)
        launcher, process = sandbox()
        if network(process) in inodes:
            break
        kill_all([launcher])
        until(lambda: not named("sleep"), "the end of the sandbox")
    expect(network(process) in inodes, "no network got the inode of an earlier one")
    for command in "reset --all", "status", "apply %s -i lo" % CONDITIONS, "reset --all --now":
        beyond(PROGRAM + " " + command)
        expect(is_conditioned(process), "the sandbox's conditions after " + command)
    for command in "status", "status -i lo":
        found = inside(process, PROGRAM + " " + command)
        expect("repaired" not in found and "lo: LTE" in found, "%s: %s" % (command, found))
        expect(is_conditioned(process), "the sandbox's conditions after " + command)
    expect(os.listdir("/run/linkcond") == [], "the journal has %s" % os.listdir("/run/linkcond"))


def leavesWhatASupervisorHolds():
    launcher, process = sandbox()
    for command in "reset", "reset -i lo", "reset -i lo --now":
        found = inside(process, PROGRAM + " " + command + "; echo status $?")
        expect("until the sandbox of process" in found and "status 75" in found, "%s: %s" % (command, found))
        expect(is_conditioned(process), "the sandbox's conditions after " + command)
    # Another rule beside the supervisor's, with an entry of its own.
    said = inside(process, PROGRAM + " apply --engine userspace Wi-Fi -i lo --port 9")
    # Its guardian may be replacing it.
    until(lambda: inside(process, "ls /run/linkcond").count("entry") == 1, "an entry: %s" % said)
    found = beyond(PROGRAM + " reset --all")
    expect("restored lo" in found and "Wi-Fi" in found and "LTE" not in found.replace('keeps "LTE"', ""), found)
    expect(is_conditioned(process), "the sandbox's conditions after reset --all")
    status = inside(process, PROGRAM + " status -i lo")
    expect("lo: LTE" in status and "Wi-Fi" not in status, status)
    kill_all([launcher])
    until(lambda: not named("sleep"), "the end of the sandbox")


def nothingLivingIsTouched(rounds):
    """Networks come and go beside a sandbox and beside a loopback that another journal records."""
    launcher, process = sandbox()
    os.makedirs("/tmp/other", mode=0o700)
    holder = start(["unshare", "-n", "sh", "-c", "ip link set lo up; exec tail -f /dev/null"])
    until(lambda: named("tail"), "the other network")
    inside(holder, "LINKCOND_STATE_DIR=/tmp/other %s apply %s -i lo" % (PROGRAM, CONDITIONS))
    reused, most, ended_inodes = 0, 0, set()
    # Other tests' networks may get the inodes: more rounds, then.
    for each in range(5 * rounds):
        if each >= rounds and reused > 0:
            break
        brief = start(["unshare", "-n", "sh", "-c", "ip link set lo up; exec sleep 1000"])
        until(lambda: name(brief) == "sleep", "a network")
        inode = network(brief)
        reused += inode in ended_inodes
        ended_inodes.add(inode)
        inside(brief, "%s apply %s -i lo" % (PROGRAM, CONDITIONS))
        command = ["status", "reset --all --now", "apply %s -i lo; %s reset -i lo --now" % (CONDITIONS, PROGRAM)][each % 3]
        # Some end before the commands for all networks, some under them, and some after.
        if each % 2 == 0:
            desert(inode)
            beyond(PROGRAM + " " + command)
        else:
            running = start(["ip", "netns", "exec", "far", "sh", "-c", PROGRAM + " " + command])
            pause(0.03)
            desert(inode)
            end(running)
        most = max(most, len(os.listdir("/run/linkcond")))
        if each % 10 == 9 or each >= rounds - 1:
            for living_process, words in (process, "the sandbox"), (holder, "the other network"):
                expect(is_conditioned(living_process), "%s in round %d after %s" % (words, each, command))
    expect(most <= 12, "the journal had up to %d files" % most)
    beyond(PROGRAM + " status")
    until(lambda: not os.listdir("/run/linkcond"), "an empty journal: %s" % os.listdir("/run/linkcond"))
    entries = [each for each in os.listdir("/tmp/other") if each.endswith(".entry")]
    expect(len(entries) == 1, "the other journal: %s" % os.listdir("/tmp/other"))
    if reused == 0:
        doubts.append("no inode was used twice in %d rounds" % (5 * rounds))
    print("%d inodes, %d used again; at most %d files" % (len(ended_inodes), reused, most))


def forgetsNetworksThatEndedWhereNobodyAsks():
    """Only apply runs, each time in another network."""
    for each in range(40):
        deserted()
    files = os.listdir("/run/linkcond")
    expect(len(files) <= 40, "the journal grows: %s" % files)


def resetDoesWhatItCan():
    sh("ip link add second0 type veth peer name second1; ip link set second0 up")
    global before
    before = dump()
    for device in "near0", "second0", "lo":
        linkcond("apply %s -i %s" % (CONDITIONS, device))
    index = int(sh("cat /sys/class/net/second0/ifindex"))
    entry = [each for each in os.listdir("/run/linkcond") if each.endswith("-%d.entry" % index)]
    expect(len(entry) == 1, "an entry of second0")
    # A command that is stopped in the middle of a change.
    lock = os.open("/run/linkcond/" + entry[0].replace("entry", "lock"), os.O_RDWR | os.O_CREAT)
    stopped = start(["sleep", "1000"])
    until(lambda: name(stopped) == "sleep", "a process")
    os.kill(stopped, 19)
    until(lambda: stat(stopped)[0] == "T", "its stop")
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.ftruncate(lock, 0)
    os.pwrite(lock, b"%d (linkcond switch)" % stopped, 0)
    found = linkcond("reset --now; echo status $?")
    expect("status 75" in found and "restored near0" in found and "restored lo" in found, found)
    expect("second0 is being changed by process %d (linkcond switch), which is stopped" % stopped in found, found)
    expect("kill -CONT %d" % stopped in found, found)
    status = linkcond("status")
    expect("second0: LTE" in status and "near0" not in status and "lo: " not in status, status)
    os.close(lock)
    os.kill(stopped, 9)
    linkcond("reset --now")
    clean("reset", 15)


def findsItsJournalFromTheWorkingDirectoryAtTheStart():
    """A guardian has another working directory."""
    os.makedirs("/tmp/elsewhere", mode=0o700)
    os.chdir("/tmp/elsewhere")
    state = "LINKCOND_STATE_DIR=j "
    def at_work(arguments):
        return sh(state + PROGRAM + " " + arguments)
    at_work("apply %s -i near0 --confirm 1500ms" % CONDITIONS)
    found = at_work("confirm")
    expect("near0" in found, found)
    time.sleep(3)
    expect(min(times()) >= 115, "it was confirmed")
    expect(len(ours()) == 3, "guardians and pump")
    at_work("reset")
    # The guardian holds its lock until it has ended.
    until(lambda: os.listdir("/tmp/elsewhere/j") == [], "an empty journal")
    expect(not os.path.exists("/j"), "another journal")
    os.chdir("/")
    clean("reset")


def marksANetworkThatTheKernelDoesNotNumber():
    """The mark is a word at the end of loopback's alias, and goes with the last entry."""
    global before
    withoutCookies()
    for alias in "", "loop of another program":
        sh("ip link set lo alias '%s'" % alias)
        before = dump()
        for device in "near0", "lo":
            linkcond("apply %s -i %s" % (CONDITIONS, device))
        found = sh("ip -d link show lo")
        expect(len(re.findall("alias %s *linkcond-network=[0-9a-f]+" % alias, found)) == 1, found)
        entries = sorted(each for each in os.listdir("/run/linkcond") if each.endswith(".entry"))
        expect(len(entries) == 2 and all(each.startswith("mark") for each in entries), "%s" % entries)
        expect("near0: LTE" in linkcond("status"), "status")
        linkcond("off -i lo")
        linkcond("reset -i near0")
        linkcond("on")
        linkcond("reset")
        clean("reset", 15)
