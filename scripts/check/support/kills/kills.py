# SPDX-License-Identifier: Apache-2.0
# What scripts/check/kills runs in a network, a PID namespace and a /run of its own.
import argparse, collections, os, random, sys

import cases, world

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--short", action="store_true")
parser.add_argument("--engine", default="userspace", choices=["userspace", "netem"])
parser.add_argument("--case", action="append")
parser.add_argument("--faults", action="append", choices=list(cases.FAULTS))
parser.add_argument("--seed", type=int, default=random.randrange(1 << 16))
parser.add_argument("--points", help="FIRST-LAST, for a defect that was found")
parser.add_argument("--verbose", action="store_true")
options = parser.parse_args()

# More calls than any command makes: a run that is still injured then is a mistake of this script.
LIMIT = 1500


def points(length, key):
    """The points to try: all, or those that the seed chooses."""
    if options.points:
        first, last = options.points.split("-")
        return range(int(first), int(last) + 1)
    if not options.short:
        return range(1, LIMIT)
    choice = random.Random("%d %s" % (options.seed, key))
    chosen = sorted(choice.sample(range(1, length + 1), max(1, length // 10))) if length else []
    return chosen + [LIMIT]


def followings(fault, point):
    """What comes next: after a death whatever a user may type, after an error what shows the state."""
    other = cases.FOLLOWING[1 + point % 2]
    if fault.is_error:
        return ["status"]
    return [["status", other][point // 2 % 2]] if options.short else ["status", other]


def check(case, fault, total):
    """Injures one command at one point after the other, until a run goes through."""
    trial = cases.Trial(world.World(options.program, options.engine, case.device), case, fault)
    trial.learn()
    key = "%s %s" % (case.name, fault.name)
    for point in points(trial.length(), key):
        injured = False
        for following in followings(fault, point):
            injured = trial.run(point, following)
            if options.verbose:
                print("  %s %d, %s: %s %s" % (key, point, following, trial.outcome, trial.call), flush=True)
            if not injured:
                break
            if trial.outcome == "impossible":
                break
            total["repaired"] += trial.repaired
            total[trial.outcome] += 1
            for failure in trial.failures:
                total["failures"] += 1
                print("%s, point %d, then %s: %s\n    %s" % (key, point, following, failure, trial.call), flush=True)
        total["points"] += injured and trial.outcome != "impossible"
        if not injured and not options.points:
            break
    else:
        if not options.points:
            total["failures"] += 1
            print("%s: no run went through" % key)


print("seed %d, %s" % (options.seed, options.engine))
everything = collections.Counter()
for case in cases.CASES:
    if options.case and case.name not in options.case:
        continue
    for fault in cases.FAULTS.values():
        if not fault.applies(case) or options.faults and fault.name not in options.faults:
            continue
        total = collections.Counter()
        check(case, fault, total)
        if not fault.is_error and not total["points"] and not options.points:
            total["failures"] += 1
            print("%s, %s: nothing was killed" % (case.name, fault.name))
        everything.update(total)
        print("%-16s %-13s %4d points, %4d repaired, %4d old, %4d new, %4d ended, %d neither, %d failures"
              % (case.name, fault.name, total["points"], total["repaired"], total["old"], total["new"], total["ended"],
                 total["neither"], total["failures"]), flush=True)
print("%d points, %d repaired, %d left neither, %d failures"
      % tuple(everything[each] for each in ("points", "repaired", "neither", "failures")))
sys.exit(0 if everything["points"] and not everything["failures"] else 1)
