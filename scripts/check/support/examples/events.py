# SPDX-License-Identifier: Apache-2.0
"""The events of a run, and tables."""
import json, pathlib


def events(directory):
    """What happened in the run whose report is in the directory, without the samples."""
    lines = (pathlib.Path(directory) / "events.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if "event" in event]


def print_table(rows):
    """Prints rows of words, the first of which is the heading, in columns."""
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(str(word).ljust(width) for word, width in zip(row, widths)).rstrip())
