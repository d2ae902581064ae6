# SPDX-License-Identifier: Apache-2.0
"""Counts the verdicts on the search client, from the reports of scripts/check/examples in DIR/LINK/FORM. Ends with 1 if
one is wrong, or if none is conclusive.

    count_verdicts.py DIR
"""
import json, pathlib, sys

from events import events, print_table

RIGHT = {"mended": "pass", "buggy": "fail"}


def strikes_midway(directory):
    """Whether the scenario's Black Hole came before the user left, while the answer was on its way."""
    times = {event.get("label") or event.get("name"): event["time"] for event in events(directory)}
    return "in the lift" in times and times["in the lift"] < times.get("left", 0)


rows = [("LINK", "CLIENT", "EXPECTATION", "RUNS", "PASS", "FAIL", "INCONCLUSIVE")]
notes, wrong = [], 0
for summary in sorted(pathlib.Path(sys.argv[1]).glob("*/*/summary.json")):
    link, form = summary.parts[-3:-1]
    runs = json.loads(summary.read_text())["runs"]
    counts = {}
    for number, run in enumerate(runs, 1):
        name = f"{link}, {form}, run {number}"
        report = run.get("report")
        if run.get("status") is None or report is None:
            notes.append(f"wrong: {name}: linkcond failed: {run.get('failure')}")
            wrong += 1
            continue
        if report["outcome"] != {"exited": 0}:
            notes.append(f"wrong: {name}: the client ended with {report['outcome']}")
            wrong += 1
        midway = not link.endswith(".json") or strikes_midway(summary.parent / f"run-{number}")
        for result in report["expectations"]:
            verdict = result["verdict"] if midway else "inconclusive"
            counts.setdefault(result["expectation"], []).append(verdict)
            if verdict == "inconclusive":
                why = result["finding"] if midway else "Black Hole did not come before the user left"
                notes.append(f"inconclusive: {name}: {result['expectation']}: {why}")
            elif verdict != RIGHT[form]:
                notes.append(f"wrong: {name}: {result['expectation']}: {verdict}: {result['finding']}")
                wrong += 1
    for expectation, verdicts in counts.items():
        numbers = [verdicts.count(word) for word in ("pass", "fail", "inconclusive")]
        rows.append((link, form, expectation, len(runs), *numbers))
        if not any(numbers[:2]):
            notes.append(f"nothing checked: {link}, {form}: {expectation}: each run is inconclusive")
            wrong += 1
print_table(rows)
print("\n".join(notes + [f"{wrong} mistakes"]))
sys.exit(1 if wrong or len(rows) == 1 else 0)
