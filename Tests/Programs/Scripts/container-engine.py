# SPDX-License-Identifier: Apache-2.0
# What the tests of containers use in a private link. No daemon runs here: the engine is docker-api.py's, and its
# containers' processes are this script's, in the near network or in another.

import itertools

# No two starts are at the same time: the time tells one from another of the same container.
starts = itertools.count()

HERE = subprocess.Popen(["sleep", "1000"])
NEAR = subprocess.Popen(["ip", "netns", "exec", "near", "sleep", "1000"])


def contain(name, identity, process, mode="bridge", **labels):
    labels = {"linkcond." + each: value for each, value in labels.items()}
    hold(name, describe(identity * 8, name, process, labels, "%06d" % next(starts), mode))


def outside(arguments):
    """Runs the program in the machine's own network, and gives its exit status and output."""
    done = subprocess.run([PROGRAM] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def refused(arguments, status, *words):
    found = outside(arguments)
    expect(found[0] == status and all(each in found[1] for each in words), "%s: %s" % (arguments, found))
    expect(dump() == before, "something has changed")


def inner():
    """The process of a command that was started by `ip netns exec`, which execs it."""
    until(lambda: name(NEAR.pid) == "sleep", "the container's process")
    return NEAR.pid
