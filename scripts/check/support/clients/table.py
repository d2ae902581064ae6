# SPDX-License-Identifier: Apache-2.0
"""Prints the verdicts of scripts/check/clients as Markdown, and what tshark says differently:
table.py LINKCOND DIRECTORY "LINK..." CLIENT...

A report's comparison is kept beside it, so that a run that goes on does not compare again."""

import collections
import json
import os
import re
import sys
from concurrent.futures import ProcessPoolExecutor

from confirm import TIME, Confirmation

# The headings, and the expectations that they stand for; of a scenario, those of its labels.
COLUMNS = [
    (r"exits with 0", "exit"), (r"completes", "ends"), (r"first byte", "first byte"), (r"times out", "times out"),
    (r"closes", "closes"), (r"at most \d+ connections?$", "conns"), (r"at most \d+ connections? at a time$", "at a time"),
    (r"at most \d+ connection attempts? to localhost", "to localhost"), (r"at most \d+ connections? to localhots", "typo"),
    (r"at most \d+ connections? during", "conns in lift"), (r"at most \d+ connection attempts? during", "attempts in lift"),
    (r"at most \d+ connections? at a time during", "at a time after"), (r"at most \d+ requests?", "requests"),
    (r"at most \d+ DNS", "DNS"), (r"at most \d+ retransmissions?$", "again"), (r"at most \d+ retransmissions? during", "again in lift"),
    (r"at most [\d.]+ k?B(?:ytes)?$|at most \d+ bytes$", "bytes"), (r"at most .* during 'out again'", "bytes after"),
    (r"attempts back off", "backs off"), (r"recovers", "recovers"), (r"sends no", "twice"), (r"leaves", "left open"),
]
MARKS = {"pass": "", "fail": "**FAIL** ", "inconclusive": "? ", "skipped": "- "}
# What a finding says, in fewer words: the first that matches.
SHORT = [
    (r".* was ended .*--timeout.*|the command was ended after.*", "by limit"),
    (r"the command exited with (\d+)", r"\1"),
    (rf".*?{TIME} only.*", r"waited \1 \2"),
    (r".* was still open when .*", "open at end"),
    (r"no connection was open when the command had ended", "none"),
    (r"the connection to \S+ held by (\S+) .*", r"by \1"),
    (rf".*?(?:after|came|between|given up|closed|refused|by the server) {TIME}.*", r"\1 \2"),
    (r"no byte of an answer came.*", "no answer"),
    (r"nothing was sent to.*", "unseen"),
    (r"'.*' never began.*", "not reached"),
    (r"no connection was (?:open|attempted).*|each of .* got an answer in time", "none"),
    (r".*none made again after a failure|\d+ attempts? to \S+ are too few to tell", "no retry"),
    (rf"\d+ attempts? to \S+: first (?:wait|pause after a failure) {TIME}, each ([\d.]+) times.*", r"\1 \2 ×\3"),
    (r"(\d+) requests?, none sent again that must not be", r"0 of \1"),
    (r"(\S+) \S+ was sent again.*", r"\1"),
    (r"each .* in time, (\d+) in all.*", r"all \1"),
    (r"between (\d+) and (\d+) .*", r"\1 to \2"),
    (r"(\d+) .*", r"\1"),
    (r".*(QUIC|TLS|tunnel|not HTTP/1|could be read).*", "hidden"),
]


def short(result):
    words, _, doubt = result["finding"].partition("; but ")
    for pattern, replacement in SHORT:
        if re.fullmatch(pattern, words):
            words = re.sub(pattern, replacement, words)
            break
    busy = ", busy" if "waited" in doubt or "too late" in doubt else ""
    return MARKS[result["verdict"]] + words.replace("|", "/") + busy


def heading(expectation):
    return next(name for pattern, name in COLUMNS if re.match(pattern, expectation))


def compare(linkcond, directory):
    """One run's comparison, as what JSON knows."""
    kept = f"{directory}/comparison.json"
    if os.path.exists(kept):
        with open(kept) as file:
            return json.load(file)
    try:
        one = Confirmation(linkcond, directory)
    except Exception as error:  # the others' comparisons still count
        return {"failure": f"{type(error).__name__}: {error}"}
    with open(f"{directory}/status") as file:
        status = int(file.read())
    outcome = one.report["outcome"]
    timed_out = outcome == "timedOut" or "timedOut" in outcome
    # The exit status of `linkcond run` is the command's, or 1 if an expectation failed.
    one.same("exit statuses", status, int(124 if timed_out else outcome.get("exited") or one.report["verdict"] == "fail"))
    if outcome == {"exited": 99}:
        one.differences.append("its server did not start")
    found = {"verdicts": one.verdicts, "needless": one.needless, "counts": one.counts, "times": one.times,
             "differences": one.differences, "results": one.report["expectations"]}
    with open(kept, "w") as file:
        json.dump(found, file)
    return found


def main():
    linkcond, reports, links, *clients = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    with open(f"{here}/links.txt") as file:
        titles = dict(line.split(" | ")[:2] for line in file if not line.startswith("#"))
    counts, times, verdicts = (collections.Counter() for _ in range(3))
    differences, needless, runs = [], [], 0
    with ProcessPoolExecutor(2) as pool:
        found = {(link, client): pool.submit(compare, linkcond, f"{reports}/{link}/{client}")
                 for link in links.split() for client in clients if os.path.exists(f"{reports}/{link}/{client}/status")}
    for link in links.split():
        rows, header = [], None
        for client in clients:
            of = f"{titles[link]}, {client}: "
            if (link, client) not in found:
                differences.append(f"{of}no report; see {reports}/{link}/{client}/output.log")
                continue
            one = found[link, client].result()
            if "failure" in one:
                differences.append(of + one["failure"])
                continue
            runs += 1
            header = header or [result["expectation"] for result in one["results"]]
            rows.append([client, *map(short, one["results"])])
            for counter, name in (counts, "counts"), (times, "times"), (verdicts, "verdicts"):
                counter.update(one[name])
            differences += [of + text for text in one["differences"]]
            needless += [of + text for text in one["needless"]]
        if not rows:
            continue
        plain = [re.sub(r":\d+$", ":PORT", text) for text in header]
        print(f"### {titles[link]}\n\n" + "\n".join(f"- {heading(text)}: `{text}`" for text in plain) + "\n")
        names = ["client", *map(heading, header)]
        for row in [names, ["---"] * len(names), *rows]:
            print("| " + " | ".join(row) + " |")
        print()
    for difference in differences:
        print(f"DIFFERS {difference}", file=sys.stderr)
    for text in needless:
        print(f"INCONCLUSIVE {text}", file=sys.stderr)
    listed = ", ".join(f"{number} {what}" for what, number in sorted(verdicts.items()))
    print(f"{runs} runs of {len(clients)} clients, {sum(verdicts.values())} verdicts: {listed}.", file=sys.stderr)
    print(f"{sum(counts.values())} counts and {sum(times.values())} times compared with tshark; "
          f"{len(differences)} differ.", file=sys.stderr)
    print(f"<!-- {runs} runs, {sum(verdicts.values())} verdicts: {listed}; {sum(counts.values())} counts, "
          f"{sum(times.values())} times, {len(differences)} differences -->")
    print(f"{verdicts.total() - len(needless)} passed, {len(differences)} failed", file=sys.stderr)
    doubtful = verdicts["inconclusive without need"]
    sys.exit(1 if differences or doubtful > 0.02 * sum(verdicts.values()) else 0)


if __name__ == "__main__":
    main()
