# SPDX-License-Identifier: Apache-2.0
# What LibraryUserTests.swift does in a private link: a program of another package conditions near0 by the library.

CONDITION = "/tmp/program"


def condition(arguments, check=True):
    return sh(CONDITION + " " + arguments, check)


def appliesAndRemoves(engine):
    condition("apply near0 " + engine)
    # 100 ms and 24.5 ms of transmission each way.
    isSlow(249, "round trips with " + engine, below=350)
    expect(condition("status near0") == "Slow Net %s\n" % engine, condition("status near0"))
    # The program and the library have one journal.
    expect("near0: Slow Net (rule 1, " + engine in linkcond("status"), linkcond("status"))
    condition("remove near0")
    clean("remove with " + engine, 15)


def leavesNothingWhenKilled(engine, trials):
    begin = time.monotonic()
    condition("apply near0 " + engine)
    span = time.monotonic() - begin
    condition("remove near0")
    clean("remove", 15)
    for trial in range(trials):
        process = start(["ip", "netns", "exec", "near", CONDITION, "apply", "near0", engine])
        moment = random.uniform(0, span * 1.1)
        time.sleep(moment)
        os.kill(process, 9)
        end(process)
        time.sleep(0.2)
        condition("recover")
        words = "trial %d: %s, killed after %g s" % (trial, engine, moment)
        # All of the rule, or nothing of it.
        expect(condition("status near0") in ("", "Slow Net %s\n" % engine), words)
        condition("remove near0")
        clean(words, 15)
