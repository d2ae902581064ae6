# SPDX-License-Identifier: Apache-2.0
# What RunLeftoverTests.swift does in a private world, one function a test.
import atexit


def endsWithTheCommand():
    for command in ["trap '' TERM; setsid sleep 1000 & exit 3", "setsid setsid sleep 1000 & exit 3",
                    "trap '' TERM; sleep 1000 & sleep 1000 & kill -STOP $!; exit 3"]:
        launcher = start(RUN + ["sh", "-c", command])
        # What ignores SIGTERM gets a moment.
        until(lambda: others() is not None and launcher in ended, "the end of what ignores its end", 15)
        if end(launcher) != 3:
            fail("the status is %d" % ended[launcher])
        if others():
            fail("something goes on after " + command)


def mayTidyUpFirst():
    daemon = "trap 'echo tidy > /tmp/note; exit' TERM; echo > /tmp/ready; while :; do sleep 0.01; done"
    command = "sh -c \"$0\" & until [ -e /tmp/ready ]; do sleep 0.01; done"
    launcher = start(RUN + ["sh", "-c", command, daemon])
    if end(launcher) != 0 or others():
        fail("the status is %d" % ended[launcher])
    if read("/tmp/note") != b"tidy\n":
        fail("it was not asked")


def goesOnWhereAskedTo():
    keeping = CALLER + [PROGRAM, "run", "--offline", "--keep-children", "--"]
    launcher = start(keeping + ["sh", "-c", "setsid sleep 1000 & exit 3"])
    if end(launcher) != 3:
        fail("the status is %d" % ended[launcher])
    sleeping()
    # What has just been forked bears its parent's name.
    until(lambda: len(named("lc-supervisor")) == 1, "a supervisor alone")
    (daemon,), (supervisor,) = named("sleep"), named("lc-supervisor")
    networks = [os.readlink("/proc/%s/ns/net" % each) for each in (daemon, supervisor, "self")]
    if networks[0] != networks[1] or networks[0] == networks[2]:
        fail("the networks are %s" % networks)
    until(lambda: sorted(others()) == sorted([daemon, supervisor] + named("lc-pump")), "a daemon and its supervisor alone")
    os.kill(daemon, signal.SIGTERM)
    gone("the daemon")


def keepsNothingWhereNothingIsLeft():
    import socket
    service = socket.create_server(("127.0.0.1", 0))
    port = str(service.getsockname()[1])
    keeping = CALLER + [PROGRAM, "run", "--offline", "--keep-children", "--host-port", port, "--"]
    for delay in ("0", "0.01", "0.1") * 3:
        launcher = start(keeping + ["sh", "-c", "sleep $0 & exit 3", delay])
        if end(launcher) != 3:
            fail("the status is %d" % ended[launcher])
        until(lambda: not others(), "the supervisor's end")


def endsHoweverFastItForks():
    # Among many processes, a look at all of them takes longer than one of the chain lives.
    crowd = [start(["sleep", "1000"]) for number in range(300)]
    chain = "import os\nif os.fork() == 0:\n os.setsid()\n while True:\n  if os.fork(): os._exit(0)\n"
    for number in range(5):
        launcher = start(RUN + ["/usr/bin/python3", "-ISc", chain])
        if end(launcher) != 0:
            fail("the status is %d" % ended[launcher])
        if set(others()) - set(crowd):
            fail("the chain goes on")
    for each in crowd:
        os.kill(each, signal.SIGKILL)
    gone("the crowd")


def endsHoweverManyConnectionsItHolds():
    # More than a process may have descriptors by default, held by a process that has left the command's session.
    holder = """
import os, resource, signal, socket, time
resource.setrlimit(resource.RLIMIT_NOFILE, (2000, 4096))
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    held = []
    for number in range(1140):
        client = socket.socket(socket.AF_UNIX)
        client.connect(os.environ["LINKCOND_SOCKET"])
        held.append(client)
    open("/tmp/held", "w").close()
    time.sleep(1000)
while not os.path.exists("/tmp/held"):
    time.sleep(0.01)
os._exit(3)
"""
    launcher = start(["prlimit", "--nofile=1024:4096"] + RUN + ["/usr/bin/python3", "-ISc", holder])
    if end(launcher) != 3:
        fail("the status is %d" % ended[launcher])
    if others():
        fail("something goes on")


# Generations that live for a moment, beside families that grow until there are 600 processes.
STORM = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
tokens, giver = os.pipe()
os.set_blocking(tokens, False)
os.write(giver, b"x" * 600)
for number in range(40):
    if os.fork() == 0:
        os.setsid()
        while True:
            if os.fork():
                os._exit(0)
for number in range(4):
    if os.fork() == 0:
        os.setsid()
        while True:
            try:
                os.read(tokens, 1)
            except BlockingIOError:
                time.sleep(1000)
            os.fork()
time.sleep(0.5)
os._exit(3)
"""


def endsAStormOfForks():
    for number in range(3):
        launcher = start(RUN + ["/usr/bin/python3", "-ISc", STORM])
        until(lambda: others() is not None and launcher in ended, "the end of the storm")
        if ended[launcher] != 3:
            fail("the status is %d" % ended[launcher])
        if others():
            fail("the storm goes on")


def endsAStormOfForksOnABusyMachine():
    """Root's linkcond has the processor first. Another's gives up in time, and says so, if it is given too little. How long
    that takes depends on how the kernel shares the processors: the kernel's own end of the same storm is the yardstick."""
    took = stormBesideLoops(RUN, "")
    errors = read("/tmp/errors")
    if storm() and (not CALLER or b"still run after 10 s" not in errors):
        fail("the storm goes on: %s" % errors)
    for each in others():
        os.kill(each, signal.SIGKILL)
    gone("the storm")
    # The end of the first process of a namespace is the end of all of them.
    yardstick = stormBesideLoops(["unshare", "-pf", "--kill-child"], "kill -KILL $(cat /tmp/first); ")
    print("took %.1f s, and the kernel %.1f s" % (took, yardstick))
    if took > 30 + 30 * yardstick:
        doubts.append("the end of the storm took %.1f s, and the kernel's %.1f s" % (took, yardstick))


def storm():
    """The processes of a storm that go on. What has ended is still to be reaped here."""
    left = lambda: [each for each in others() if name(each) not in ("sh", "")]
    begin = time.monotonic()
    while left() and time.monotonic() - begin < 5:
        time.sleep(0.05)
    return left()


def stormBesideLoops(wrapper, ending):
    """Seconds from a storm's end to that of the wrapper. All in one session, which shares the processors with those of the
    storm: sched_autogroup of sched(7)."""
    for each in "/tmp/ended", "/tmp/done":
        if os.path.exists(each):
            os.remove(each)
    loops = "for i in $(seq 20); do (while :; do :; done) & done; "
    watch = "(until [ -e /tmp/ended ]; do sleep 0.01; done; %s) & " % ending if ending else ""
    last = "open('/tmp/ended', 'w')" if not ending else "open('/tmp/ended', 'w'); time.sleep(1000)"
    script = "import os; open('/tmp/first', 'w').write(open('/proc/self/stat').read().split()[0])\n" if ending else ""
    start(["sh", "-c", loops + watch + "\"$@\" 2>/tmp/errors; echo >/tmp/done", "sh"] + wrapper +
          ["/usr/bin/python3", "-ISc", script + STORM.replace("os._exit(3)", last)])
    until(lambda: os.path.exists("/tmp/ended"), "the command")
    began = time.monotonic()
    until(lambda: os.path.exists("/tmp/done"), "the end of the storm")
    return time.monotonic() - began


def costsNoMemory():
    def require_small():
        # The pump has its own name from a moment after its start only.
        until(lambda: len(named("linkcond") + named("lc-supervisor")) == 2, "two processes of ours")
        for process in named("linkcond") + named("lc-supervisor"):
            size = int(re.search(rb"VmHWM:\s+(\d+) kB", read("/proc/%d/status" % process)).group(1))
            if size > 64 << 10:
                fail("%s takes %d kB" % (name(process), size))

    reading, writing = os.pipe()
    launcher = start(RUN + ["yes"], stdout=writing)
    os.close(writing)
    for number in range(64):
        os.read(reading, 65536)
    require_small()
    os.close(reading)
    if end(launcher) != -signal.SIGPIPE:
        fail("the status is %d" % ended[launcher])

    os.mkfifo("/tmp/done", 0o666)
    os.chmod("/tmp/done", 0o666)
    launcher = start(RUN + ["sh", "-c", "for i in $(seq 1000); do (true &); done; echo > /tmp/done; exec sleep 1000"])
    read("/tmp/done")
    sleeping()
    until(lambda: len(others()) == 3 + len(named("lc-pump")), "the orphans to be taken note of")
    require_small()
    os.kill(launcher, signal.SIGKILL)
    gone("the orphans")


def delegated():
    """Moves this process into a control group that all may use, and gives its directory."""
    os.mkdir("/tmp/groups")
    if os.system("mount -t cgroup2 none /tmp/groups") != 0:
        fail("there are no control groups")
    place = "/tmp/groups/test-%x" % random.SystemRandom().getrandbits(64)
    os.mkdir(place)
    atexit.register(abandon, place)
    for file in (place, place + "/cgroup.procs"):
        os.chown(file, 65534, 65534)
    with open(place + "/cgroup.procs", "w") as file:
        file.write("0")
    return place


def abandon(place):
    with open("/tmp/groups/cgroup.procs", "w") as file:
        file.write("0")
    with open(place + "/cgroup.kill", "w") as file:
        file.write("1")
    until(lambda: b"populated 0" in read(place + "/cgroup.events"), "the end of a failed test")
    for folder, inner, files in os.walk(place, topdown=False):
        os.rmdir(folder)


def below(place):
    return [each for each in os.listdir(place) if os.path.isdir(os.path.join(place, each))]


def endsTogetherInAControlGroup():
    place = delegated()
    # Groups of the command's own, too, and a process whose parent is not a descendant's.
    command = "cat /proc/self/cgroup; d=$0/$(basename $(sed -n s/^0:://p /proc/self/cgroup)); mkdir -p $d/own/inner; "
    command += "setsid sleep 1000 & exit 3"
    out = os.open("/tmp/where", os.O_WRONLY | os.O_CREAT)
    launcher = start(RUN + ["sh", "-c", command, place], stdout=out)
    if end(launcher) != 3 or others():
        fail("the status is %d" % ended[launcher])
    if not re.search(rb"^0::/.*/linkcond-[0-9a-f]+$", read("/tmp/where"), re.M):
        fail("it was in %s" % read("/tmp/where"))
    if below(place):
        fail("left: %s" % below(place))


def leavesNoControlGroup():
    place = delegated()
    for victims in ["lc-supervisor"], ["linkcond"], ["linkcond", "lc-supervisor"]:
        launcher = start(RUN + ["sh", "-c", "trap '' TERM; setsid sleep 1000 & exec sleep 1000"])
        sleeping(2)
        until(lambda: len(named("lc-supervisor")) == 1, "a supervisor alone")
        if len(below(place)) != 1:
            fail("groups: %s" % below(place))
        killAtOnce([each for victim in victims for each in named(victim)])
        if len(victims) == 1:
            gone("the death of %s" % victims)
        else:
            # The next run clears what none could, and ends nothing.
            until(lambda: not named("linkcond") + named("lc-supervisor"), "their end")
            end(start(RUN + ["true"]))
            if len(named("sleep")) != 1 or len(below(place)) != 1:
                fail("another run's group: %s" % below(place))
            os.kill(named("sleep")[0], signal.SIGKILL)
            gone("all")
            end(start(RUN + ["true"]))
        until(lambda: not below(place), "the end of the group after the death of %s" % victims)


def staysWhereTheGroupHasLimits():
    place = delegated()
    try:
        with open("/tmp/groups/cgroup.subtree_control", "w") as file:
            file.write("+memory")
        with open(place + "/memory.max", "w") as file:
            file.write("8G")
    except OSError:
        print("skipped: this machine's memory is not limited by these groups")
        return
    out = os.open("/tmp/where", os.O_WRONLY | os.O_CREAT)
    end(start(RUN + ["cat", "/proc/self/cgroup"], stdout=out))
    if b"linkcond" in read("/tmp/where"):
        fail("it was in %s" % read("/tmp/where"))
