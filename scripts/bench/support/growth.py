# SPDX-License-Identifier: Apache-2.0
"""How linkcond's cost grows, in a network and a /run of its own: growth.py PROGRAM

Prints a line each: what, how many, milliseconds. An interface has 33 rules at most.
"""
import os
import resource
import statistics
import subprocess
import sys
import time

linkcond = sys.argv[1]
quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def spent(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def timed(*command):
    """Milliseconds of a command, and those of the processors that it and its children took."""
    begin, before = time.monotonic(), spent(resource.RUSAGE_CHILDREN)
    subprocess.run([linkcond, *command], check=True, timeout=60, **quiet)
    return (time.monotonic() - begin) * 1000, (spent(resource.RUSAGE_CHILDREN) - before) * 1000


def tell(what, count, milliseconds):
    print(f"{what}\t{count}\t{milliseconds:.2f}", flush=True)


def rules():
    for line in ("link add bench0 type veth peer name bench1", "link set bench0 up", "link set bench1 up"):
        subprocess.run(["ip", *line.split()], check=True)
    times = []
    for number in range(1, 34):
        times.append(timed("apply", "DSL", "-i", "bench0", "--port", str(1000 + number)))
        if number in (1, 10, 33):
            last = times[-3:]
            tell("another rule on an interface", number, statistics.median(time for time, _ in last))
            tell("another rule on an interface, processor", number, statistics.median(cost for _, cost in last))
    tell("switch one of them", 33, statistics.median(timed("switch", name, "-i", "bench0", "--rule", "7")[0]
                                                    for name in ("3G", "DSL", "3G")))
    tell("status of all", 33, statistics.median(timed("status")[0] for _ in range(5)))
    tell("reset of all", 33, timed("reset", "--now")[0])


def sandboxes():
    """Each begins, and ends by itself when all have begun."""
    for count in (1, 10, 100):
        rounds = []
        for _ in range(3):
            begin, before = time.monotonic(), spent(resource.RUSAGE_CHILDREN)
            processes = [subprocess.Popen([linkcond, "run", "--offline", "DSL", "--", "sleep", "2"], **quiet)
                         for _ in range(count)]
            if any(process.wait() for process in processes):
                sys.exit("a sandbox failed")
            rounds.append((time.monotonic() - begin - 2, spent(resource.RUSAGE_CHILDREN) - before))
        tell("sandboxes at once", count, statistics.median(each for each, _ in rounds) * 1000)
        tell("a sandbox of so many, processor", count, statistics.median(cost for _, cost in rounds) * 1000 / count)


def targets():
    """The processor's time of a probe, from when the first round is over."""
    tick = os.sysconf("SC_CLK_TCK")

    def cost(process):
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / tick

    for count in (1, 10, 100, 1000):
        names = [f"icmp://127.0.{number // 250}.{number % 250 + 1}" for number in range(count)]
        child = subprocess.Popen([linkcond, "monitor", "--interval", "100ms", "--for", "8s", *names], **quiet)
        time.sleep(2)
        before, begin = cost(child.pid), time.monotonic()
        time.sleep(5)
        probes = (time.monotonic() - begin) * 10 * count
        tell("a probe of so many targets, processor", count, (cost(child.pid) - before) / probes * 1000)
        child.wait()


subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
with open("/proc/sys/net/ipv4/ping_group_range", "w", encoding="utf-8") as file:
    file.write("0 2147483647")
rules()
sandboxes()
targets()
