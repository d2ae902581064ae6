# SPDX-License-Identifier: Apache-2.0
"""Verdicts of the sandbox on a test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .control import Control, Refusal


@dataclass(frozen=True)
class Verdict:
    """The verdict on one expectation: pass, fail, inconclusive or skipped, and what it rests on."""

    expectation: str
    verdict: str
    finding: str
    packets: Tuple[int, ...]
    remedy: Optional[str]

    @property
    def is_about_open_connections(self) -> bool:
        """Whether it is about the connections that are open at the end."""
        return self.expectation == "leaves no connection open"

    def __str__(self) -> str:
        lines = [f"{self.verdict}: {self.expectation}: {self.finding}"]
        if self.verdict == "fail" and self.packets:
            more = f" and {len(self.packets) - 8} more" if len(self.packets) > 8 else ""
            lines.append(f"packets: {', '.join(map(str, self.packets[:8]))}{more}")
        if self.remedy:
            lines.append(f"what usually helps: {self.remedy}")
        return "\n    ".join(lines)


def program() -> str:
    """The path of linkcond: what LINKCOND names, what was installed beside this interpreter, or what PATH has."""
    beside = os.path.join(os.path.dirname(sys.executable), "linkcond")
    found = os.environ.get("LINKCOND") or (beside if os.access(beside, os.X_OK) else shutil.which("linkcond"))
    if not found:
        raise Refusal("linkcond is not in PATH; set LINKCOND to its path")
    return found


@lru_cache(maxsize=None)
def mistake(expectations: Tuple[str, ...]) -> Optional[str]:
    """What is wrong with the text of the expectations, and the nearest right spelling; None if nothing is."""
    command = [program(), "judge", "--check", "--", *expectations]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stderr.strip()


def run_time() -> int:
    """The time by which the sandbox dates what it records, in nanoseconds: never set, unlike the time of day."""
    origin = os.environ.get("LINKCOND_CLOCK")
    boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    return int(origin) + boot if origin else time.time_ns()


@dataclass(frozen=True)
class Scope:
    """What a test is judged by: times of `run_time()`, and what belongs to several tests."""

    #: From when on connections belong to the test: the set-up of its own fixtures.
    since: int
    #: When the test function began; it is the time from which on is counted what the client does.
    begin: int
    #: When it ended.
    until: int
    #: When fixtures of a wider scope were made meanwhile.
    shared: Sequence[Tuple[int, int]] = ()
    #: The inodes of sockets that such fixtures hold.
    shared_sockets: Sequence[int] = ()
    #: What the test is called.
    test: str = ""

    def json(self) -> Dict[str, Any]:
        """The scope as the sandbox reads it, for this process and its children."""
        return {
            "process": os.getpid(),
            "since": self.since,
            "until": self.until,
            "shared": list(self.shared),
            "sharedSockets": list(self.shared_sockets),
        }


def judge(control: Control, expectations: Sequence[str], scope: Scope) -> List[Verdict]:
    """Judges what this process and its children did in a part of the run."""
    return [
        Verdict(each["expectation"], each["verdict"], each["finding"], tuple(each["packets"]), each.get("remedy"))
        for each in control.judge(expectations, scope.begin, scope.json(), scope.test)
    ]
