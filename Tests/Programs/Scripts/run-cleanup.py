# SPDX-License-Identifier: Apache-2.0
# What RunCleanupTests.swift does in a private world, one function a test.


def killLauncher(front):
    os.kill(front, signal.SIGKILL)


def killSupervisor(front):
    os.kill((children(front) or [front])[0], signal.SIGKILL)


def killGroup(front):
    os.killpg(front, signal.SIGKILL)


def endPolitely(front):
    os.kill(front, signal.SIGTERM)


def killsBoth():
    """Only the kernel is left to end the command and the monitor."""
    for number in range(4):
        monitored = CALLER + [PROGRAM, "run", "--offline", "--monitor", "tcp://127.0.0.1:9", "--"]
        launcher = start(monitored + ["sleep", "1000"])
        until(lambda: named("sleep") and named("lc-monitor"), "the command and its monitor")
        # Its parent tells it from that of the pass before, which may not be gone yet.
        supervisor, = set(children(launcher)) & set(named("lc-supervisor"))
        for each in (launcher, supervisor):
            os.kill(each, signal.SIGSTOP)
        for each in (launcher, supervisor):
            os.kill(each, signal.SIGKILL)
        gone("both")


def leavesNothing(way, run, rounds, limit):
    commands = [
        ["sleep", "1000"],
        ["sh", "-c", "setsid sleep 1000 & exec sleep 1000"],
        ["sh", "-c", "(setsid sh -c 'sleep 1000 & exec sleep 1000' &); exec sleep 1000"],
        ["sh", "-c", "trap '' HUP INT; sleep 1000 & exec sleep 1000"],
    ]
    if way is not endPolitely:
        commands.append(["sh", "-c", "trap '' TERM; sleep 1000"])
    before = traces()
    for number in range(rounds):
        front = start(run + commands[number % len(commands)])
        # A group is there once its leader has made it.
        until(lambda: os.getpgid(front) == front, "the process group")
        if number % 6:
            pause(limit)
        else:
            until(lambda: named("sleep"), "the command")
        way(front)
        gone("round %d" % number)
        if traces() != before:
            fail("round %d left %s" % (number, traces()))
