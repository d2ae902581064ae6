# SPDX-License-Identifier: Apache-2.0
# What scripts/check/explore runs in a network of its own: clients.py LINKCOND CLIENT-FILE [RUNS [SEED [CLIENT...]]]
import json, os, subprocess, sys, time

PROGRAM, FILE = sys.argv[1:3]
RUNS = sys.argv[3] if len(sys.argv) > 3 else "200"
SEED = sys.argv[4] if len(sys.argv) > 4 else "1"
ADDRESS = "10.9.0.1"
# Each client with what is expected of it, and where its server is.
CLIENTS = {
    "stalled": (["completes within 3 s"], None),
    "storm": (["at most 30 connection attempts"], None),
    "twice": (["sends no request twice"], None),
    "curl": (["sends no request twice"], None),
    "address": (["recovers within 1500 ms of 'restored'"], ADDRESS),
    "name": (["recovers within 1 s of 'restored'"], None),
}
failures = 0


def explore(name, form, options):
    expectations, server = CLIENTS[name]
    words = [PROGRAM, "explore", "--seed", SEED, "--json", "--timeout", "60s", "--write", "%s-%s.json" % (name, form)] + options
    for each in expectations: words += ["--expect", each]
    if server is None: words.append("--offline")
    words += ["--", sys.executable, FILE, name, form] + ([server] if server else [])
    start = time.monotonic()
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        found = None
    if done.returncode not in (0, 1) or not found or "runs" not in found:
        print("%s, %s: status %d: %s%s" % (name, form, done.returncode, done.stdout, done.stderr))
        return None, done
    seconds = time.monotonic() - start
    print("%s, %s: %d runs, %d networks drawn, %d inconclusive, %.0f s" % (
        name, form, found["runs"], found["drawn"], found["inconclusive"], seconds))
    return found, done


def check(name):
    """The reasons why the client was judged wrongly."""
    found, done = explore(name, "buggy", ["--first", "--fail-fast", "--budget", "10m", "--runs", "200"])
    if found is None or not found["found"]: return ["%s: its mistake was not found" % name]
    words = "; ".join(found["finding"]["words"])
    steps = len(found["scenario"].get("steps", []))
    print("  %s\n  %s" % (words, " ".join(found["repeat"])))
    problems = []
    if found["drawn"] > 60: problems.append("%s: found by %d networks only" % (name, found["drawn"]))
    if steps > 2: problems.append("%s: %d steps are left" % (name, steps))
    again = [subprocess.run([PROGRAM] + found["repeat"][1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
             for _ in range(3)]
    print("  repeated: %s" % again)
    if sum(status != 0 for status in again) < 2: problems.append("%s: the repetition fails in too few runs" % name)
    found, done = explore(name, "mended", ["--budget", "20m", "--runs", RUNS])
    if found is None: return problems + ["%s: linkcond failed" % name]
    if found["found"]:
        problems.append("%s: found without its mistake: %s: %s" % (name, "; ".join(found["finding"]["words"]), found["failures"]))
    for each in found["unconfirmed"]: print("  failed in too few runs: %s" % "; ".join(each["words"]))
    return problems


def network():
    """The uplink of sandboxes ends at an address of this network."""
    for words in ("link set lo up", "address add %s/24 dev lo" % ADDRESS, "route add default dev lo"):
        subprocess.run(["ip"] + words.split(), check=True)
    server = subprocess.Popen([sys.executable, FILE, "serve", ADDRESS], stdout=subprocess.PIPE)
    server.stdout.readline()


network()
problems = [problem for name in sys.argv[5:] or CLIENTS for problem in check(name)]
print("\n".join(problems) if problems else "all found, and nothing else")
sys.exit(1 if problems else 0)
