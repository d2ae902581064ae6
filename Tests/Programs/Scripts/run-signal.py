# SPDX-License-Identifier: Apache-2.0
# What RunSignalTests.swift does in a private world, one function a test.


def preventTheCommandOrReachIt():
    watch = "import os, signal; os.open('/tmp/begun', os.O_CREAT)\n" \
        "os._exit(5 if signal.sigtimedwait([signal.SIGTERM], 5) else 6)"
    outcomes = set()
    for number in range(100):
        front = start(["env", "--block-signal=TERM"] + RUN + ["/usr/bin/python3", "-ISc", watch])
        if number % 10:
            pause(0.06)
        else:
            until(lambda: os.path.exists("/tmp/begun"), "the command")
        os.kill(front, signal.SIGTERM)
        outcome = (end(front), os.path.exists("/tmp/begun"))
        outcomes.add(outcome)
        if outcome not in [(-signal.SIGTERM, False), (5, True)]:
            fail("round %d: status and whether the command began: %s" % (number, outcome))
        gone("round %d" % number)
        if outcome[1]:
            os.remove("/tmp/begun")
    if len(outcomes) < 2:
        fail("only %s" % outcomes)


def changeNothingWhereTheyAreIgnored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in range(30):
        front = start(RUN + ["sh", "-c", "kill -HUP $$; exit 7"])
        pause(0.04)
        os.kill(front, signal.SIGHUP)
        if end(front) != 7:
            fail("round %d: %d" % (number, ended[front]))
