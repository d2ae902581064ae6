# SPDX-License-Identifier: Apache-2.0
"""A real download beside a modelled flow, and beside a real one, on the same links; in a directory for its files.

usage: compare.py LINKCOND RUNS JOBS [LINK...]    RUNS: a number, or the seeds, such as 11-20

A run with a seed has two parts: the modelled flow with this seed, and the kernel's. In both, the other flow begins 3
to 4 s before the measured download, which the seed decides, and the round trip differs from the link's by up to 3 %.
With one round trip for all runs, the packets of one flow may always come just before the link has sent one, and those
of the other just after, so that one loses more (S. Floyd and V. Jacobson, "On Traffic Phase Effects in Packet-
Switched Gateways", 1992).

The statistic is the mean over the runs beside the modelled flow, divided by that beside the kernel's. The link passes
if the quotient is within 15 % of 1, for goodput and for the time in the downlink's queue. The interval of 95 % says
how much of it may be chance.
"""

import concurrent.futures
import dataclasses
import json
import math
import os
import random
import subprocess
import sys
import threading
import time

DOWNLOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "download.py")
# On the largest link (20 Mbit/s, 100 ms and the queue's 100 ms) two CUBIC flows take about 5 s from a loss to the next:
# this is twenty of them. A run's share of the link still varies by 8 %, as that of two modelled flows does.
SECONDS = 100
# A plain queue of 100 ms: 17 full packets at 2 Mbit/s, so that two flows do not live from time-outs.
QUEUE = 0.1
TOLERANCE = 0.15
# A machine that stops for so long delays the kernel's flow, and not the modelled one: the part of the run is repeated.
LONGEST_STALL = 0.1
ATTEMPTS = 5
# Student's t for 95 %, by degrees of freedom from 1; above, the last one is a little too wide.
STUDENT = [12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]


@dataclasses.dataclass(frozen=True)
class Link:
    mbits: int
    round_trip: int

    def __str__(self):
        return f"{self.mbits}M-{self.round_trip}ms"

    def delay(self, seed):
        """The milliseconds of each direction."""
        return round(self.round_trip / 2 * random.Random(seed).uniform(0.97, 1.03), 3)

    def profile(self, seed, is_modelled):
        delay = self.delay(seed)
        downlink = {"rate": f"{self.mbits} Mbit/s", "delay": f"{delay} ms", "queue": f"{QUEUE * 1e3} ms"}
        if is_modelled:
            downlink["competing"] = {"bulk": 1, "roundTrip": f"{2 * delay} ms"}
        return {"name": str(self), "downlink": downlink, "uplink": {"delay": f"{delay} ms"}}


LINKS = [Link(mbits, round_trip) for mbits in (2, 20) for round_trip in (10, 50, 100)]


def measure(linkcond, link, seed, is_modelled):
    path = f"./{link}-{'modelled' if is_modelled else 'real'}-{seed}.json"
    with open(path, "w") as file:
        json.dump(link.profile(seed, is_modelled), file)
    command = [linkcond, "run", "--offline", "--no-drain", "--engine", "userspace", "--seed", str(seed), path, "--"]
    command += [sys.executable, "-Iu", DOWNLOAD, str(SECONDS), str(seed), "alone" if is_modelled else "beside"]
    for _ in range(ATTEMPTS):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"{link}, seed {seed}: {result.stderr}")
        figures = json.loads(result.stdout.splitlines()[-1])
        figures["queue"] = figures["delay"] - link.delay(seed) / 1e3
        if figures["stall"] <= LONGEST_STALL:
            return figures
    sys.exit(f"{link}, seed {seed}: this machine stopped for more than {LONGEST_STALL} s in {ATTEMPTS} attempts")


def quotient(modelled, real):
    """Of the means of paired values, and half of its interval of 95 %: nan for a single pair."""
    count, mean = len(real), sum(real) / len(real)
    value = sum(modelled) / count / mean
    if count < 2:
        return value, math.nan
    deviation = math.sqrt(sum((m - value * r) ** 2 for m, r in zip(modelled, real)) / (count - 1))
    return value, STUDENT[min(count - 1, len(STUDENT)) - 1] * deviation / math.sqrt(count) / mean


class Progress:
    def __init__(self, total):
        self.done, self.total, self.lock, self.begin = 0, total, threading.Lock(), time.monotonic()

    def step(self, link, seed, is_modelled, figures):
        with self.lock:
            self.done += 1
            beside = "modelled" if is_modelled else "real"
            text = f"{figures['goodput']:.3f} Mbit/s, {figures['queue'] * 1e3:.1f} ms in the queue"
            text += f", stopped for {figures['stall'] * 1e3:.0f} ms"
            seconds = time.monotonic() - self.begin
            print(f"[{self.done}/{self.total}, {seconds:.0f} s] {link}, seed {seed}, {beside}: {text}", flush=True)


def measure_all(linkcond, links, seeds, jobs):
    """The figures of each link, run and kind."""
    tasks = [(link, seed, kind) for seed in seeds for link in links for kind in (True, False)]
    progress = Progress(len(tasks))

    def one(task):
        figures = measure(linkcond, *task)
        progress.step(*task, figures)
        return figures

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip(tasks, pool.map(one, tasks)))


def tell(link, seeds, results):
    """Prints a row of the table, and returns whether the link passes."""
    row, passes = f"| {link.mbits} Mbit/s | {link.round_trip} ms", True
    for figure, unit, scale in (("goodput", "Mbit/s", 1), ("queue", "ms", 1e3)):
        modelled, real = ([results[link, seed, kind][figure] for seed in seeds] for kind in (True, False))
        value, interval = quotient(modelled, real)
        means = " | ".join(f"{sum(values) / len(seeds) * scale:.3g} {unit}" for values in (modelled, real))
        row += f" | {means} | {value:.2f} ± {interval:.2f}"
        passes = passes and abs(value - 1) <= TOLERANCE
    print(f"{row} | {'PASS' if passes else 'FAIL'} |", flush=True)
    return passes


def main():
    linkcond, runs, jobs, names = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    first, _, last = runs.rpartition("-")
    seeds = range(int(first or 1), int(last) + 1)
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control") as file:
        if "cubic" not in file.read().split():
            sys.exit("this kernel has no CUBIC")
    unknown = set(names) - {str(link) for link in LINKS}
    if unknown:
        sys.exit(f"no such link: {', '.join(sorted(unknown))}; there are {', '.join(map(str, LINKS))}")
    links = [link for link in LINKS if not names or str(link) in names]
    results = measure_all(linkcond, links, seeds, jobs)
    print("| rate | round trip | goodput, modelled | real | quotient | in the queue, modelled | real | quotient | |")
    print("|---|---|---|---|---|---|---|---|---|")
    passed = sum(tell(link, seeds, results) for link in links)
    print(f"{passed} passed, {len(links) - passed} failed")
    sys.exit(0 if passed == len(links) else 1)


main()
