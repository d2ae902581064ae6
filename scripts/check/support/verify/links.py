# SPDX-License-Identifier: Apache-2.0
"""Right and wrong links for `linkcond verify`, in a directory for its files.

usage: links.py LINKCOND RUNS JOBS [NAME...]    links of the userspace engine
       links.py LINKCOND RUNS tc [NAME...]      links that tc makes, where there is netem

With names, only these wrong links are measured; "standards" are the built-in links of standards and shared links.
"""

import collections
import concurrent.futures
import copy
import json
import subprocess
import sys
import time

NORMAL = {"amount": "4 ms", "distribution": "normal"}


def bursts(loss, length):
    return {"gilbertElliott": {"loss": loss, "burst": length}}


RIGHT = {
    "name": "Right",
    "uplink": {"delay": "20 ms", "jitter": NORMAL, "rate": "4 Mbit/s", "queue": "200 ms"},
    "downlink": {"delay": "40 ms", "loss": bursts("2 %", 4), "rate": "8 Mbit/s", "queue": "100 ms"},
    "dns": {"delay": "80 ms"},
}


def other(lane, **figures):
    link = copy.deepcopy(RIGHT)
    link[lane].update(figures)
    return link


def exchanged():
    return dict(RIGHT, uplink=RIGHT["downlink"], downlink=RIGHT["uplink"])


def without_dns():
    return {key: value for key, value in RIGHT.items() if key != "dns"}


# Each with the figure that must be found wrong, and the seconds that it takes to see it.
WRONG = {
    "queue of 10 packets": (other("downlink", queue="10 packets"), "longest delay", 20),
    "bytes for bits": (other("uplink", rate="500 kbit/s"), "rate", 20),
    "twice the delay": (other("downlink", delay="80 ms"), "delay p50", 20),
    "half the loss": (other("downlink", loss=bursts("1 %", 4)), "losses", 75),
    "bursts of 1": (other("downlink", loss="2 %"), "mean burst", 30),
    "uniform jitter": (other("uplink", jitter={"amount": "4 ms", "distribution": "uniform"}), "delay p99", 20),
    # The longer it is filled, the less of the 2 % can be the first packet's and the last one's that a machine is late with.
    "rate 2 % low": (other("uplink", rate="3.92 Mbit/s"), "rate", 45),
    "lanes exchanged": (exchanged(), "delay p50", 20),
    "no DNS lane": (without_dns(), "delay p50", 20),
    "queue half as deep": (other("downlink", queue="50 ms"), "longest delay", 20),
    "packets overtake": (other("uplink", jitter=dict(NORMAL, ordered=False)), "overtaken", 20),
}


LOSSES = {"name": "Losses", "uplink": {"loss": "2 %"}, "downlink": {"loss": "2 %"}}

# netem with nothing above it that splits super-packets: the share of losses is right, and super-packets are lost whole.
BY_TC = {"offloads that hide loss": ("loss 2%", "super-packets mean burst", 10)}


def measure(linkcond, carried, seed, seconds):
    """The verdict, and the figures that failed."""
    command = [linkcond, "run", "--offline", "--engine", "userspace", carried, "--seed", str(seed), "--"]
    command += [linkcond, "verify", "./right.json", "--here", "--json", "--budget", f"{seconds}s"]
    return report_of(command)


def measure_by_tc(linkcond, netem, seconds):
    script = f"ip link set lo up && tc qdisc add dev lo root netem {netem} && exec \"$@\""
    verify = [linkcond, "verify", "./losses.json", "--here", "--json", "--budget", f"{seconds}s"]
    return report_of(["unshare", "--net", "sh", "-c", script, "sh", *verify])


def report_of(command):
    result = subprocess.run(command, capture_output=True, text=True)
    try:
        report = json.loads(result.stdout)
    except ValueError:
        return f"no report: {result.stderr[-200:]}", []
    figures = [(part, figure) for part in report["parts"] for figure in part["figures"]]
    return report["verdict"], [
        f"{part['lane']} {part['packets']} {figure['figure']} {figure['measured']:.5g}" for part, figure in figures
        if figure["verdict"] == "fail"
    ]


def all_of(linkcond, runs, jobs, name, carried, seconds):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda seed: measure(linkcond, carried, seed, seconds), range(1, runs + 1)))


def tell(name, results, expected, begin):
    counts = ", ".join(f"{count} {verdict}" for verdict, count in collections.Counter(v for v, _ in results).items())
    print(f"{name:22} {counts}; {expected}; {time.monotonic() - begin:.0f} s", flush=True)


def tell_found(name, results, figure, begin):
    """1 if one of the runs has not found it."""
    found = sum(verdict == "fail" and any(figure in text for text in failed) for verdict, failed in results)
    tell(name, results, f"found by its {figure} {found} of {len(results)} times", begin)
    return found < len(results)


def by_tc(linkcond, runs, names):
    """How many links were not found in each run."""
    with open("losses.json", "w") as file:
        json.dump(LOSSES, file)
    problems = 0
    for name in names or BY_TC:
        if name in BY_TC:
            netem, figure, seconds = BY_TC[name]
            begin = time.monotonic()
            problems += tell_found(name, [measure_by_tc(linkcond, netem, seconds) for _ in range(runs)], figure, begin)
    return problems


def by_userspace(linkcond, runs, jobs, names):
    """How many wrong links were not found in each run."""
    problems = 0
    for name in names or WRONG:
        if name in WRONG:
            link, figure, seconds = WRONG[name]
            begin = time.monotonic()
            with open("wrong.json", "w") as file:
                json.dump(link, file)
            problems += tell_found(name, all_of(linkcond, runs, jobs, name, "./wrong.json", seconds), figure, begin)
    return problems


def right_ones(linkcond, runs, jobs):
    """How many of the two groups do not pass as they should."""
    problems = 0
    begin = time.monotonic()
    results = all_of(linkcond, 5 * runs, jobs, "right", "./right.json", 20)
    passed = sum(verdict == "pass" for verdict, _ in results)
    problems += passed < 0.99 * 5 * runs
    tell("right", results, f"passes {passed} of {5 * runs}", begin)
    for verdict, failed in results:
        if failed:
            print(f"    {verdict}: {failed}", flush=True)
    begin = time.monotonic()
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(4)]
    try:
        results = all_of(linkcond, runs, 1, "busy", "./right.json", 20)
    finally:
        for loop in loops:
            loop.kill()
    wrong = [failed for verdict, failed in results if verdict not in ("pass", "inconclusive")]
    problems += len(wrong) > 0
    tell("right, busy machine", results, f"fails {len(wrong)} of {runs}", begin)
    for failed in wrong:
        print(f"    {failed}", flush=True)
    return problems


STANDARDS = ("RMCAT ", "QUIC Interop ", "RFC 7928 ", "G1050 ", "Busy Home", "Cafe", "Conference ")


def standards(linkcond, jobs):
    """How many of the links of standards are found wrong."""
    listed = json.loads(subprocess.check_output([linkcond, "list", "--all", "--json"]))
    names = [each["name"] for each in listed if each["name"].startswith(STANDARDS) and "downlink" in each]

    def verdict(name):
        return report_of([linkcond, "verify", name, "--engine", "userspace", "--seed", "1", "--json"])

    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(verdict, names))
    wrong = [name for name, (found, _) in zip(names, results) if found not in ("pass", "inconclusive")]
    tell("standards", results, f"fails {len(wrong)} of {len(names)}", begin)
    for name, (found, failed) in zip(names, results):
        if found != "pass":
            print(f"    {name}: {found} {failed}", flush=True)
    return len(wrong)


def main():
    linkcond, runs, jobs, names = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    unknown = set(names) - set(WRONG) - set(BY_TC) - {"standards"}
    if unknown:
        sys.exit(f"no such link: {', '.join(sorted(unknown))}; there are {', '.join([*WRONG, *BY_TC, 'standards'])}")
    if jobs == "tc":
        sys.exit(1 if by_tc(linkcond, runs, names) else 0)
    with open("right.json", "w") as file:
        json.dump(RIGHT, file)
    problems = by_userspace(linkcond, runs, int(jobs), names)
    if not names:
        problems += right_ones(linkcond, runs, int(jobs))
    if not names or "standards" in names:
        problems += standards(linkcond, int(jobs))
    sys.exit(1 if problems else 0)


main()
