# SPDX-License-Identifier: Apache-2.0
# What scripts/check/histories runs in a network, a PID namespace and a /run of its own.
import argparse, os, random, sys, time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kills"))
import steps, trial

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("steps", type=int, nargs="?", default=500)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--engine", default="userspace", choices=["userspace", "netem"])
parser.add_argument("--length", type=int, default=25)
options = parser.parse_args()

# After how many failures it ends, and how long one is shortened, in seconds.
LONGEST_REPORT = 3
LONGEST_SHORTENING = 240


def failure(history):
    """Why a history fails; None if it does not."""
    return trial.Trial(world, history).run()


def fails_again(history):
    """Why it fails, in one of three runs: chance decides what a kill meets."""
    return next((found for found in (failure(history) for _ in range(3)) if found), None)


def shortened(history):
    """The fewest steps that still fail, and why; no reason if they did not fail again."""
    reason, deadline = fails_again(history), time.monotonic() + LONGEST_SHORTENING
    size = len(history) // 2 if reason else 0
    while size:
        start = 0
        while start < len(history) and time.monotonic() < deadline:
            fewer = history[:start] + history[start + size:]
            found = fewer and fails_again(fewer)
            if found:
                history, reason = fewer, found
            else:
                start += size
        size //= 2
    return history, reason


# A directory without ./Profiles, which the program would read.
os.chdir("/")
world = trial.HistoryWorld(options.program, options.engine)
done, failures, seed = 0, 0, options.seed
while done < options.steps and failures < LONGEST_REPORT:
    generator = random.Random(seed)
    history = [steps.step(generator) for _ in range(options.length)]
    found = failure(history)
    done += len(history)
    if found:
        failures += 1
        print("seed %d fails: %s" % (seed, found), flush=True)
        short, reason = shortened(history)
        print("%d steps are left, and fail: %s" % (len(short), reason) if reason else "it does not fail again; its steps:")
        for step in short:
            print("\n".join("    " + line for line in steps.words(step, options.engine)), flush=True)
    elif seed % 10 == 0:
        print("  seed %d: %d steps" % (seed, done), file=sys.stderr, flush=True)
    seed += 1
print("%d steps from seed %d with %s: %d failures; %d commands, %d killed, %d refused; %d processes killed"
      % (done, options.seed, options.engine, failures, *(trial.counts[each] for each in
                                                         ("commands", "killed", "refused", "victims"))))
sys.exit(1 if failures else 0)
