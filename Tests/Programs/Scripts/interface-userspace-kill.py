# SPDX-License-Identifier: Apache-2.0
# What InterfaceUserspaceKillTests.swift does in a private link, one function a test.


def leavesNothingAtAnyMoment(trials):
    DEEDS = [(None, "apply LTE -i near0"), ("apply LTE -i near0", "apply 'Slow Net' -i near0"),
             ("apply LTE -i near0", "switch Wi-Fi"), ("apply LTE -i near0", "reset"),
             (None, "apply LTE -i near0 --for 60s"), ("apply LTE -i near0", "off"),
             (None, "run LTE -i near0 -- sleep 0.05")]
    ENGINE = " --engine userspace"

    def with_engine(deed):
        command, space, rest = deed.partition(" ")
        return command + ENGINE + space + rest if command in ("apply", "switch", "run") else deed

    def deed(line):
        """Begins it, and gives what is to be waited for."""
        return start(["ip", "netns", "exec", "near", "sh", "-c", "exec " + PROGRAM + " " + with_engine(line)])

    def span(preparation, line):
        if preparation:
            linkcond(with_engine(preparation))
        begin = time.monotonic()
        end(deed(line))
        took = time.monotonic() - begin
        linkcond("reset")
        clean(line, 15)
        return took

    spans = [span(*each) for each in DEEDS]
    repaired = 0
    for trial in range(trials):
        preparation, line = DEEDS[trial % len(DEEDS)]
        if preparation:
            linkcond(with_engine(preparation))
        process = deed(line)
        moment = random.uniform(0, spans[trial % len(DEEDS)] * 1.1)
        time.sleep(moment)
        alive = [each for each in others() if name(each) in ("linkcond", "lc-supervisor", "lc-guardian", "lc-standby", "lc-pump")]
        victims = alive if trial % 3 == 0 else random.sample(alive, min(len(alive), 1 + trial % 2))
        words = "trial %d: %s, %s, %g s" % (trial, line, [name(each) for each in victims], moment)
        for victim in victims:
            try:
                os.kill(victim, 9)
            except ProcessLookupError:
                # It has ended with the one before.
                pass
        end(process)
        until(lambda: not named("linkcond") and not named("lc-supervisor") and not named("sleep"), words)
        # The processes that are left repair what they can; the next command repairs the rest.
        time.sleep(0.2)
        found = linkcond("status")
        repaired += "repaired" in found
        expect("left by" not in found, words + ": " + found)
        # What "off" remembers is to be forgotten as well.
        linkcond("reset")
        clean(words, 15)
    print("undisturbed, in seconds:", spans)
    print("of %d that were killed, %d left something to be repaired" % (trials, repaired))
