# SPDX-License-Identifier: Apache-2.0
"""What two reports on the same runs have in common: all but times, processes, paths and digests."""

import json
import re
from pathlib import Path

TIME = re.compile(r"\b[0-9.]+ (?:ms|s|min)\b")
# Of the whole, or of a run.
VARYING = {"digest", "reportDigest", "seconds", "begin", "durationSeconds", "kernel", "lastLines", "repeat"}


def stable(value):
    """A value without the members that vary, and with "T" for each time."""
    if isinstance(value, dict):
        return {name: stable(each) for name, each in value.items() if name not in VARYING}
    if isinstance(value, list):
        return [stable(each) for each in value]
    return TIME.sub("T", value) if isinstance(value, str) else value


def differences(one, other, path: str = "") -> list:
    """The members in which two values differ."""
    if type(one) is type(other) and isinstance(one, (dict, list)) and len(one) == len(other):
        keys = one if isinstance(one, dict) else range(len(one))
        if isinstance(one, list) or one.keys() == other.keys():
            return [each for key in keys for each in differences(one[key], other[key], f"{path}.{key}")]
    return [] if one == other else [f"{path}: {str(one)[:300]} / {str(other)[:300]}"]


def facts(report: Path) -> dict:
    """summary.json."""
    return stable(json.loads((report / "summary.json").read_text()))


def texts(report: Path) -> dict:
    """The other files, as far as they are stable, by lines; of the page, the numbers of its elements."""
    page = (report / "report.html").read_text()
    found = {"report.html": [page.count(each) for each in ("<tr", "<td", "<li")]}
    for name in ("junit.xml", "summary.md"):
        text = re.sub(r'(?:time|timestamp|hostname)="[^"]*"|--report \S+', "", (report / name).read_text())
        found[name] = TIME.sub("T", text).splitlines()
    return found
