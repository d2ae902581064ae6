# SPDX-License-Identifier: Apache-2.0
"""Compares what banner-client printed with the steps of the scenario, from the reports of scripts/check/examples in DIR.
Ends with 1 if the banner was wrong anywhere.

    judge_banner.py DIR

A target is unreachable after three probes without an answer, reachable again after two answers. While it answers, a probe
is sent every 2 s and waits 1 s; the next two follow the first failure after 0 s and 0.5 s. While it is down, a probe is
sent every 5 s, and the next one 0.5 s after the first answer, or after 1 s if the answer takes so long.
"""
import datetime, pathlib, statistics, sys

from events import events, print_table

SHOWN_WITHIN = 2 + 1 + 0.5 + 1
HIDDEN_WITHIN = 5 + 1 + 0.5


def changes(directory):
    """The times, in seconds since 1970, at which the banner was shown (True) or hidden again."""
    is_shown = False
    for line in (directory / "output.log").read_text().splitlines():
        time, _, word = line.partition(" ")
        # The first line tells how it begins.
        if word.startswith("shown: ") if not is_shown else word == "hidden":
            is_shown = not is_shown
            yield datetime.datetime.fromisoformat(time).timestamp(), is_shown


def delay(printed, begin, end, bound, is_right):
    """How long after the step's begin the banner became right; None if that was too late, or did not last."""
    before = [shown for time, shown in printed if time <= begin]
    within = [(time, shown) for time, shown in printed if begin < time <= end]
    if (before or [False])[-1] == is_right:
        return None if within else 0
    if [shown for _, shown in within] != [is_right] or within[0][0] > begin + bound:
        return None
    return within[0][0] - begin


directories = sorted(pathlib.Path(sys.argv[1]).glob("run-*"), key=lambda path: int(path.name[4:]))
steps, wrong = {}, 0
for directory in directories:
    printed = list(changes(directory))
    happened = events(directory)
    begun = [(event["time"] / 1e9, event.get("label", "start"), event.get("profile") == "Black Hole")
             for event in happened if event["event"] in ("begin", "step")]
    ends = [time for time, _, _ in begun[1:]] + [happened[-1]["time"] / 1e9]
    for (begin, label, is_down), end in zip(begun, ends):
        bound = SHOWN_WITHIN if is_down else HIDDEN_WITHIN
        found = delay(printed, begin, end, bound, is_down)
        steps.setdefault((label, "shown" if is_down else "hidden", bound), []).append(found)
        if found is None:
            wrong += 1
            print(f"wrong: {directory}: '{label}' from {begin:.3f} to {end:.3f}: {printed}")

rows = [("STEP", "BANNER", "RUNS", "RIGHT", "WRONG", "MEDIAN", "LATEST", "BOUND")]
for (label, banner, bound), found in steps.items():
    right = [delay for delay in found if delay is not None]
    times = [f"{statistics.median(right):.2f} s", f"{max(right):.2f} s"] if right else ["-", "-"]
    rows.append((label, banner, len(found), len(right), len(found) - len(right), *times, f"{bound} s"))
print_table(rows)
print(f"{wrong} wrong banners")
sys.exit(1 if wrong or len(steps) != 5 else 0)
