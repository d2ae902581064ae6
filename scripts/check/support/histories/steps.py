# SPDX-License-Identifier: Apache-2.0
# The steps of a history, drawn from a random generator, and their words.
import collections

DEVICES = ["near0", "near0", "near0", "far0", "far0", "lo"]
PROFILES = ["Slow Net", "LTE", "Wi-Fi", "LTE", "Black Hole"]
# On loopback netem knows no difference between uplink and downlink.
SYMMETRIC = ["Slow Net", "GEO Propagation Only"]
TRAFFIC = {"everything": "", "port 443": " --port 443", "to 10.9.0.0/24": " --to 10.9.0.0/24"}

# `device` is None for all; `killed` is the time in seconds from the start to its SIGKILL, None if it is not killed.
Command = collections.namedtuple("Command", "verb profile traffic device limit confirm killed")
# `commands` run at once; `wait` is in seconds; `victim` chooses a process, as a share of those there are; `end` says how
# the oldest `run` ends. Of each step one of these is set. Where it is not `checked`, the next step comes at once.
Step = collections.namedtuple("Step", "commands wait victim end checked", defaults=([], None, None, None, True))


def command(random):
    verb = random.choices(["apply", "switch", "off", "on", "reset", "run", "confirm", "status"], [7, 3, 2, 2, 2, 3, 1, 1])[0]
    device = random.choice(DEVICES)
    if verb == "status" or verb in ("off", "on", "reset", "confirm") and random.random() < 0.3:
        device = None
    limit = confirm = None
    if verb == "apply":
        limit, confirm = random.choice([(None, None)] * 4 + [(2, None), (8, None), (None, 2), (None, 6), (8, 2)])
    profile = random.choice(SYMMETRIC if device == "lo" else PROFILES)
    killed = random.uniform(0, 0.12) if random.random() < 0.3 else None
    return Command(verb, profile, random.choice(list(TRAFFIC)), device, limit, confirm, killed)


def step(random):
    kind = random.choices(["one", "two", "wait", "victim", "end"], [18, 9, 2, 4, 4])[0]
    checked = random.random() < 0.7
    if kind == "one":
        return Step(commands=[command(random)], checked=checked)
    if kind == "two":
        return Step(commands=[command(random), command(random)], checked=checked)
    if kind == "wait":
        return Step(wait=random.choice([0.5, 2.5, 7]), checked=checked)
    if kind == "victim":
        return Step(victim=random.random(), checked=checked)
    return Step(end=random.choice(["ends", "is killed"]), checked=checked)


def arguments(command, engine):
    """What is typed after the program's name."""
    words = command.verb
    if command.verb in ("apply", "switch", "run"):
        words += " '%s'" % command.profile + TRAFFIC[command.traffic]
    if command.device:
        words += " -i " + command.device
    if command.verb in ("apply", "run"):
        words += " --engine " + engine
    if command.limit:
        words += " --for %ds" % command.limit
    if command.confirm:
        words += " --confirm %ds" % command.confirm
    return words + (" -- sleep 1000" if command.verb == "run" else "")


def words(step, engine):
    """The step as lines of shell."""
    lines = []
    for each in step.commands:
        line = "linkcond " + arguments(each, engine)
        if each.killed is not None:
            line = "timeout -s KILL %.4f %s" % (each.killed, line)
        lines.append(line + (" &" if each.verb == "run" or len(step.commands) > 1 else ""))
    if len(lines) > 1 and any(each.verb != "run" for each in step.commands):
        lines.append("wait")
    if step.wait:
        lines.append("sleep %g" % step.wait)
    if step.victim is not None:
        lines.append("kill -KILL $(pgrep '^lc-(guardian|standby|pump)' | sed -n %.2fp)   # of all such processes, from 0 to 1" % step.victim)
    if step.end:
        lines.append("# the oldest run %s: %s" % (step.end, "pkill -o -x sleep" if step.end == "ends" else "pkill -KILL -o -x linkcond"))
    return lines + ([] if step.checked else ["# at once:"])
