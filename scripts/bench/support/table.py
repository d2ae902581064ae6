# SPDX-License-Identifier: Apache-2.0
"""Prints what scripts/bench/all measured as one table, and draws the ratios: table.py DIRECTORY [PICTURE]"""
import os
import re
import statistics
import sys

work = sys.argv[1]
NAMES = {"linkcond": "linkcond", "batch": "ip -batch and tc -batch", "tcconfig": "tcconfig 0.30.1",
         "pyroute2": "pyroute2 0.9.7", "bare": "the bare command", "unshared": "unshare --net --mount",
         "offline": "linkcond run --offline", "shell": "mm-delay of mahimahi"}
STEPS = {"apply": "apply conditions to an interface", "switch": "replace them", "reset": "take them off",
         "sandbox": "an empty sandbox"}


def read(name):
    with open(os.path.join(work, name), encoding="utf-8") as file:
        return file.read()


def times(name):
    return [int(line) / 1000 for line in read(name).split()]


def ratio(ours, theirs):
    """Round by round: what others of the round shared is in both."""
    return statistics.median(one / other for one, other in zip(ours, theirs))


def found(pattern, text):
    match = re.search(pattern, text)
    if not match:
        sys.exit(f"nothing like {pattern} in:\n{text}")
    return match.group(1)


rows, bars = [], []
for step, words in STEPS.items():
    mine = "offline" if step == "sandbox" else "linkcond"
    ours = times(f"{step}-{mine}")
    rows.append((words, NAMES[mine], f"{statistics.median(ours):.1f} ms", ""))
    for tool in NAMES:
        if tool == mine or not os.path.exists(os.path.join(work, f"{step}-{tool}")):
            continue
        theirs = times(f"{step}-{tool}")
        share = ratio(ours, theirs)
        rows.append(("", NAMES[tool], f"{statistics.median(theirs):.1f} ms", f"{share:.2f}"))
        if tool != "bare":
            bars.append((f"{words}, beside {NAMES[tool]}", share))
switch, show = (float(line) for line in read("kernel").split())
rows.append(("the kernel's time of a switch, a lane", "linkcond", f"{max(switch - show, 0) / 100 / 3 * 1000:.2f} ms", ""))
pump = read("pump")
plain = float(found(r"plain, MTU 1500\s+([\d.]+)", pump))
rows.append(("TCP through the pump", "plain loopback", f"{plain:.1f} Gbit/s", ""))
for words, pattern in (("linkcond, nothing to do", r"empty profile\s+([\d.]+)"),
                       ("linkcond, 0.5 ms each way", r"0\.5 ms each way\s+([\d.]+)"),
                       ("linkcond, each packet judged", r"0\.01 % loss, each packet judged\s+([\d.]+)")):
    rate = float(found(pattern, pump))
    rows.append(("", words, f"{rate:.1f} Gbit/s", f"{rate / plain:.2f}"))
probes = read("probes")
own, other = (float(found(rf"{name}.*?cpu_us_per_probe=([\d.]+)", probes)) for name in ("10 000 targets:", "fping:"))
rows.append(("a probe, processor", "linkcond", f"{own:.1f} us", ""))
rows.append(("", "fping", f"{other:.1f} us", f"{own / other:.2f}"))
bars.append(("a probe, beside fping", own / other))
before = None
for line in read("growth").splitlines():
    what, count, milliseconds = line.split("\t")
    rows.append(("" if what == before else what, count, f"{float(milliseconds):.{3 if 'probe' in what else 1}f} ms", ""))
    before = what

print("| what | with | median | linkcond takes, as a share |\n|---|---|---|---|")
for row in rows:
    print("| " + " | ".join(row) + " |")


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def picture():
    """A bar for each comparison; the line is where both are equal."""
    height, left, width, most = 26, 330, 300, 2.0
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {len(bars) * height + 40}" '
             'font-family="sans-serif" font-size="12">',
             "<style>text{fill:#333}.b{fill:#3b7dd8}.e{stroke:#888;stroke-dasharray:3 3}"
             "@media(prefers-color-scheme:dark){text{fill:#ddd}.b{fill:#6ea3ea}}</style>"]
    for number, (words, share) in enumerate(bars):
        place = number * height + 10
        length = max(min(share, most) / most * width, 1)
        lines.append(f'<text x="{left - 8}" y="{place + 14}" text-anchor="end">{escaped(words)}</text>'
                     f'<rect class="b" x="{left}" y="{place + 2}" width="{length:.1f}" height="{height - 8}"/>'
                     f'<text x="{left + length + 6:.1f}" y="{place + 14}">{share:.2f}</text>')
    equal, end = left + width / most, len(bars) * height + 12
    lines.append(f'<line class="e" x1="{equal}" x2="{equal}" y1="4" y2="{end}"/>'
                 f'<text x="{equal}" y="{end + 16}" text-anchor="middle">as long</text></svg>')
    return "\n".join(lines) + "\n"


if len(sys.argv) > 2:
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(picture())
