# SPDX-License-Identifier: Apache-2.0
"""Writes shards from a real report, and measures how they are merged: shards.py LINKCOND WORK SHARDS RUNS"""

import copy
import hashlib
import json
import os
import sys
import time
from pathlib import Path

LINKCOND, WORK, SHARDS, RUNS = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])


def write_shards(summary: dict) -> None:
    originals = summary.pop("runs")
    del summary["digest"]
    networks = summary["trials"]["networks"]
    repetitions = SHARDS * RUNS // len(networks)
    summary["trials"]["repetitions"] = repetitions
    for number in range(1, SHARDS + 1):
        runs = []
        for index in range(number - 1, repetitions * len(networks), SHARDS):
            network, offset = divmod(index, repetitions)
            run = copy.copy(originals[network])
            seed = summary["trials"]["seed"] + offset
            run |= {"index": index, "name": f"{networks[network]['name']}, run {offset + 1}, seed {seed}"}
            run["directory"] = f"{networks[network]['directory']}/run-{offset + 1}"
            run["report"] = run["report"] | {"seed": seed}
            runs.append(run)
        directory = WORK / f"shard-{number}"
        directory.mkdir()
        text = json.dumps(summary | {"shard": f"{number}/{SHARDS}", "runs": runs}, indent=2).removesuffix("\n}")
        digest = hashlib.sha256(text.encode()).hexdigest()
        (directory / "summary.json").write_text(f'{text},\n  "digest": "{digest}"\n}}\n')


def measure(count: int) -> None:
    """Merges the first `count` shards."""
    words = [LINKCOND, "merge", *(f"shard-{number}" for number in range(1, count + 1)), "--report", f"merged-{count}"]
    start = time.monotonic()
    process = os.posix_spawn(
        LINKCOND, words, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "table", os.O_WRONLY | os.O_CREAT, 0o644)]
    )
    _, status, usage = os.wait4(process, 0)
    seconds = time.monotonic() - start
    print(
        f"{count} of {SHARDS} shards with {RUNS} runs each: {seconds:.1f} s, "
        f"{usage.ru_utime + usage.ru_stime:.1f} s of a processor, {usage.ru_maxrss / 1024:,.0f} MB at most, "
        f"status {os.waitstatus_to_exitcode(status)}"
    )


os.chdir(WORK)
write_shards(json.loads(Path("real/summary.json").read_text()))
print(f"{Path('shard-1/summary.json').stat().st_size:>12,}  summary.json of a shard")
measure(1)
measure(SHARDS)
for name in sorted(os.listdir(f"merged-{SHARDS}")):
    print(f"{os.stat(f'merged-{SHARDS}/{name}').st_size:>12,}  {name}")
