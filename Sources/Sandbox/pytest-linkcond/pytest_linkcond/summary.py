# SPDX-License-Identifier: Apache-2.0
"""The lines about all tests of a session, at its end."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any, Dict, List, Mapping, Optional, Sequence

_WORDS = {"pass": "passed", "fail": "failed", "inconclusive": "inconclusive", "skipped": "skipped"}


def note(report: Any, counts: Optional[Dict[str, int]]) -> None:
    """Notes the verdicts on a test in the report of its teardown, which workers of pytest-xdist send on."""
    if counts is not None:
        report.linkcond = counts


def lines(stats: Mapping[str, Sequence[Any]]) -> List[str]:
    """How many tests ran on the link, the verdicts on them, and where the report is; empty without such a test."""
    tests = [one.linkcond for reports in stats.values() for one in reports if hasattr(one, "linkcond")]
    if not tests:
        return []
    verdicts: Counter[str] = Counter()
    for counts in tests:
        verdicts.update(counts)
    words = ", ".join(f"{verdicts[one]} {word}" for one, word in _WORDS.items() if verdicts[one])
    text = f"{len(tests)} conditioned {'test' if len(tests) == 1 else 'tests'}; verdicts: {words or 'none asked for'}"
    report = os.environ.get("LINKCOND_REPORT")
    if report is None:
        return [text, "no report: add --report DIR to linkcond run"]
    return [text, f"report: {os.path.join(report, 'report.html')}, when the run has ended"]
