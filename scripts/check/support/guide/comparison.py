# SPDX-License-Identifier: Apache-2.0
"""Compares what a page shows with what a command printed."""

import re

UNIT = r"(?:ns|us|µs|ms|s|min|h|B|bytes|kB|MB|GB|KiB|MiB|(?:[kMG]?bit/s)|%|a second)"
# What differs from run to run, and the word that stands for it. The order matters: a date has numbers, too.
PATTERNS = [
    (r"\x1b\[[0-9;]*m", ""),
    # The counters of `status`.
    (r"(?:\s\s+\d+){4}\s*$", " COUNTERS"),
    (r"\d{4}-\d\d-\d\d", "DATE"),
    (r"\b\d\d:\d\d:\d\d(?:\.\d+)?", "CLOCK"),
    # Seconds of a log.
    (r"\b\d+\.\d{9}\b", "SECONDS"),
    # "1 min 40 s", "8.5 s".
    (rf"\b\d[\d.,]*(?: ?{UNIT})(?![\w/])(?: \d[\d.,]*(?: ?{UNIT})(?![\w/]))*", "FIGURE"),
    (r"\b(packets?:? )\d+(?:(?:, | and |-| to )\d+)*", r"\1N"),
    (r"\b\d+( (?:wire |IP )?packets?\b)", r"N\1"),
    (r"((?:\d+\.){3}\d+|\]|localhost)([:.])\d{4,5}\b", r"\1\2PORT"),
    (r"\b(seed|PID|pid|process) \d+", r"\1 N"),
    # A connection's first sequence number.
    (r"\bseq \d+,", "seq N,"),
    # A process: "python3 (37)".
    (r"\b([\w.-]+) \(\d+\)", r"\1 (N)"),
    (r"/tmp/[\w./-]+", "PATH"),
    (r"\s+", " "),
]


def plain(line):
    """The line without what differs from run to run."""
    for pattern, word in PATTERNS:
        line = re.sub(pattern, word, line)
    return line.strip()


def missing_line(shown, printed):
    """The first line of the page that the command did not print after those before it, or None."""
    rest = iter([plain(line) for line in printed])
    for line in shown:
        expected = plain(line)
        if expected in ("", "...") or any(expected == each for each in rest):
            continue
        return line
    return None
