# SPDX-License-Identifier: Apache-2.0
# What scripts/check/kills runs in a network, a PID namespace and a /run of its own.
import argparse, collections, os, sys

import cases, world

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--quick", type=int, metavar="N")
parser.add_argument("--engine", default="userspace", choices=["userspace", "netem"])
parser.add_argument("--case", action="append")
parser.add_argument("--faults", action="append", choices=list(cases.FAULTS))
parser.add_argument("--points", help="FIRST-LAST, for a defect that was found")
parser.add_argument("--verbose", action="store_true")
options = parser.parse_args()

# More calls than any command makes: a run that is still injured then is a mistake of this script.
LIMIT = 1500
# Of how many points the quick form tries one.
SHARE = 20


def points(trial, key):
    """The points to try. All: those of a run without faults, and what another run makes beyond them."""
    if options.points:
        first, last = options.points.split("-")
        return range(int(first), int(last) + 1)
    found = trial.candidates()
    if options.quick is None:
        return found + list(range(max(found, default=0) + 1, LIMIT))
    # Another share for each N, and none of a command before all of another.
    offset = (options.quick + sum(key.encode())) % SHARE
    chosen = found[offset::SHARE]
    print("%-30s points %s of %d" % (key, " ".join(map(str, chosen)) or "none", len(found)), flush=True)
    return chosen


def followings(fault, point):
    """What comes next: after a death whatever a user may type, after an error what shows the state."""
    other = cases.FOLLOWING[1 + point % 2]
    if fault.is_error:
        return ["status"]
    return ["status", other] if options.quick is None else [["status", other][point // 2 % 2]]


def check(case, fault, total):
    """Injures one command at one point after the other, until a run goes through."""
    trial = cases.Trial(world.World(options.program, options.engine, case.device), case, fault)
    trial.learn()
    key = "%s, %s" % (case.name, fault.name)
    is_whole = options.quick is None and not options.points
    chosen = points(trial, key)
    for number, point in enumerate(chosen):
        if number % 50 == 49:
            print("  %s: point %d, %d failures" % (key, point, total["failures"]), file=sys.stderr, flush=True)
        injured = False
        for following in followings(fault, point):
            injured = trial.run(point, following)
            if options.verbose:
                print("  %s, point %d, then %s: %s %s" % (key, point, following, trial.outcome, trial.call), flush=True)
            if not injured or trial.outcome == "impossible":
                break
            total["repaired"] += trial.repaired
            total["told"] += trial.is_told
            total["neither"] += trial.outcome == "neither"
            for failure in trial.failures:
                total["failures"] += 1
                print("%s, point %d, then %s: %s\n    %s" % (key, point, following, failure, trial.call), flush=True)
        total["points"] += injured and trial.outcome != "impossible"
        if not injured and is_whole and point > trial.length:
            return
    if is_whole:
        total["failures"] += 1
        print("%s: no run went through" % key)


# A directory without ./Profiles, which the program would read.
os.chdir("/")
everything = collections.Counter()
for case in cases.CASES:
    if options.case and case.name not in options.case:
        continue
    for fault in cases.FAULTS.values():
        if not fault.applies(case) or options.faults and fault.name not in options.faults:
            continue
        total = collections.Counter()
        check(case, fault, total)
        if not fault.is_error and not total["points"] and options.quick is None and not options.points:
            total["failures"] += 1
            print("%s, %s: nothing was killed" % (case.name, fault.name))
        everything.update(total)
        what = "told" if fault.is_error else "repaired"
        print("%-16s %-13s %4d points, %4d %s, %d neither, %d failures"
              % (case.name, fault.name, total["points"], total[what], what, total["neither"], total["failures"]), flush=True)
print("%d points, %d repaired, %d told, %d left neither, %d failures"
      % tuple(everything[each] for each in ("points", "repaired", "told", "neither", "failures")))
sys.exit(0 if everything["points"] and not everything["failures"] else 1)
