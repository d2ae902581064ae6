# SPDX-License-Identifier: Apache-2.0
# What the tests of commands with many runs do in a private world, one function a test.
MATRIX = [PROGRAM, "matrix", "-p", "3G", "-p", "LTE", "-p", "Slow Net", "--offline", "--"]
REPEAT = [PROGRAM, "run", "3G", "--offline", "--repeat", "5", "--jobs", "2", "--"]
LIMITS = [PROGRAM, "limits", "--vary", "loss=0..50%", "--offline", "--jobs", "2", "--"]


def endByKey(front):
    os.killpg(front, signal.SIGINT)


def killProgram(front):
    os.kill(front, signal.SIGKILL)


def leavesNothing(way, run):
    commands = [
        ["sleep", "1000"],
        ["sh", "-c", "setsid sleep 1000 & exec sleep 1000"],
        ["sh", "-c", "trap '' INT TERM HUP; sleep 1000"],
    ]
    before = traces()
    for number in range(6):
        front = start(CALLER + run + commands[number % len(commands)])
        until(lambda: os.getpgid(front) == front, "the process group")
        if number >= len(commands):
            pause(0.15)
        else:
            until(lambda: named("sleep"), "the command")
        way(front)
        gone("round %d" % number, 120)
        if way is endByKey and ended[front] != -signal.SIGINT:
            fail("round %d: the status is %d" % (number, ended[front]))
        if traces() != before:
            fail("round %d left %s" % (number, traces()))
