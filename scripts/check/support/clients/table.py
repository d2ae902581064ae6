# SPDX-License-Identifier: Apache-2.0
"""Prints the verdicts of scripts/check/clients as Markdown, and what tshark says differently:
table.py LINKCOND DIRECTORY CLIENT..."""

import collections
import os
import re
import sys

from confirm import TIME, Confirmation

TITLES = {"slow-net": "Slow Net", "nasty-net": "Nasty Net", "lift": "Into the lift"}
COLUMNS = {
    "exits with 0": "exit status",
    "completes": "completes",
    "first byte": "first byte",
    "times out": "times out",
    "at most connection attempts": "attempts",
    "at most retransmissions": "sent again",
    "attempts back off": "backs off",
    "recovers": "recovers",
    "sends no request twice": "request twice",
    "leaves no connection open": "left open",
}
# What a finding says, in fewer words.
SHORT = [
    (r"the command exited with (\d+)", r"\1"),
    (r"the command was ended by --timeout", "ended by --timeout"),
    (rf"the command was ended after {TIME}.*", r"ended after \1 \2"),
    (rf"the command ended after {TIME}", r"\1 \2"),
    (rf".* was given up after {TIME}(.*)", r"\1 \2\3"),
    (rf".* was given up between {TIME} and {TIME}", r"\1 \2 to \3 \4"),
    (r".* was still open when the command had ended(.*)", r"open at the end\1"),
    (r"the client gave up each waiting connection, (\d+) in all, in time", r"each of \1"),
    (rf".* had waited {TIME} only.*", r"only waited \1 \2"),
    (r"(?:each of .*) got an answer in time", "answered in time"),
    (r"no connection was open.*", "nothing open"),
    (r"(\d+) (?:connection attempts?|retransmissions?).*", r"\1"),
    (rf"no byte of an answer came.*", "no answer"),
    (rf"(?:the first byte of )?an answer came {TIME}.*", r"\1 \2"),
    (r"no connection was attempted.*", "no attempt"),
    (r"'.*' never began.*", "ended before"),
    (r"(\d+) attempts? to \S+ are too few to tell", r"\1 too few"),
    (rf"\d+ attempts? to \S+: first wait {TIME}, each ([\d.]+) times the one before.*", r"\1 \2, then ×\3"),
    (r"(\d+) requests?, none sent again after a failure", r"none of \1"),
    (r"(\S+) \S+ was sent again after its connection had failed", r"\1 again"),
    (r"no HTTP/1 request in the clear was seen", "not HTTP"),
    (r"no connection was open when the command had ended", "none"),
    (r"the connection to \S+ held by (\S+) .*", r"by \1, ended by --timeout"),
]
MARKS = {"pass": "pass", "fail": "**FAIL**", "inconclusive": "?", "skipped": "skipped"}


def kind(expectation):
    if expectation.startswith("at most"):
        return re.sub(r"at most \d+ ([a-z ]+?)(?: during.*)?$", r"at most \1", expectation)
    return next(name for name in COLUMNS if expectation.startswith(name))


def short(result):
    words, _, doubt = result["finding"].partition("; but ")
    if kind(result["expectation"]) == "leaves no connection open" and result["verdict"] == "pass":
        words = "none"
    for pattern, replacement in SHORT:
        if re.fullmatch(pattern, words):
            words = re.sub(pattern, replacement, words)
            break
    return f"{MARKS[result['verdict']]} {words}{', busy' if doubt else ''}"


def own_status(report, directory):
    """The exit status of `linkcond run` is the command's, or 1 if an expectation failed."""
    with open(f"{directory}/status") as file:
        status = int(file.read())
    outcome = report["outcome"]
    expected = 124 if outcome == "timedOut" or "timedOut" in outcome else outcome.get("exited") or report["verdict"] == "fail"
    return status, int(expected)


def main():
    linkcond, reports, *clients = sys.argv[1:]
    counts, times, differences = collections.Counter(), collections.Counter(), []
    for conditions, title in TITLES.items():
        rows, header = [], None
        for client in clients:
            directory = f"{reports}/{conditions}/{client}"
            if not os.path.exists(f"{directory}/report.json"):
                differences.append(f"{title}, {client}: no report; see {directory}/output.log")
                continue
            one = Confirmation(linkcond, directory)
            one.same("exit statuses", *own_status(one.report, directory))
            results = one.report["expectations"]
            header = header or [result["expectation"] for result in results]
            totals = one.report["totals"]
            wire = [totals[name] for name in ("connections", "requests", "retransmissions")]
            rows.append([client, *(short(result) for result in results), " / ".join(map(str, wire))])
            counts += one.counts
            times += one.times
            differences += [f"{title}, {client}: {difference}" for difference in one.differences]
        if not rows:
            continue
        print(f"### {title}\n\n" + "\n".join(f"- {COLUMNS[kind(text)]}: `{text}`" for text in header) + "\n")
        names = ["client", *(COLUMNS[kind(text)] for text in header), "wire"]
        for row in [names, ["---"] * len(names), *rows]:
            print("| " + " | ".join(row) + " |")
        print()
    for name, counter in (("counts and packets", counts), ("times", times)):
        listed = ", ".join(f"{number} {what}" for what, number in sorted(counter.items()))
        print(f"{sum(counter.values())} {name} compared with tshark: {listed}", file=sys.stderr)
    for difference in differences:
        print(f"DIFFERS {difference}")
    print(f"tshark agrees with {sum(counts.values())} counts and {sum(times.values())} times." if not differences
          else f"{len(differences)} differences from tshark.")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
