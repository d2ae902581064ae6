# SPDX-License-Identifier: Apache-2.0
"""Divides a matrix among shards, merges their reports, and compares: shards.py WORK REPORTS"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from equality import differences, facts, texts

WORK, REPORTS = map(Path, sys.argv[1:])
LINKCOND = str(WORK / "linkcond")
NETWORKS = """wi-fi cable-modem dsl lte 3g edge geo-satellite congested wi-fi-lossy in-flight-satellite very-bad-network
    nasty-net""".split()
CLIENT = ["/usr/bin/python3", str(Path(__file__).parent / "client.py")]
SEED, REPETITIONS = 54, 5
VERDICTS = ("pass", "inconclusive", "fail")
# Everything outside of the chroot's file system is as on another machine.
CHROOT = """
    mkdir root
    mount -t tmpfs tmpfs root
    mkdir root/upper root/work root/all
    mount -t overlay overlay -o lowerdir=/,upperdir=root/upper,workdir=root/work root/all
    mkdir -p root/all/srv/reports
    mount --bind "$1" root/all/srv/reports
    mount --rbind /dev root/all/dev
    mount -t proc proc root/all/proc
    mount -t tmpfs tmpfs root/all/run
    hostname "$2"
    shift 2
    exec chroot root/all sh -c 'cd /srv && exec "$@"' sh "$@"
"""
passed = failed = 0


def expect(what: str, holds: bool, detail: object = "") -> None:
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"{what}: wrong\n{detail}", file=sys.stderr)


def expect_equal(what: str, one: object, other: object) -> None:
    found = differences(one, other)
    expect(what, not found, "\n".join(found))


def matrix(name: str, *options: str, seed: int = SEED) -> str:
    """Runs the matrix, or a shard of it, in a chroot. Returns what it printed."""
    place = WORK / name
    place.mkdir()
    command = [LINKCOND, "matrix", *NETWORKS, "--repeat", str(REPETITIONS), "--seed", str(seed), "--offline"]
    # Most runs only wait.
    command += ["--jobs", "12"]
    for expectation in "at most 9 kB to 127.0.0.1:8005", "at most 1 DNS queries":
        command += ["--expect", expectation]
    command += [*options, "--report", f"reports/{name}", "--", *CLIENT]
    isolated = ["unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child", "sh", "-ec", CHROOT, "sh"]
    start = time.monotonic()
    process = subprocess.run(
        [*isolated, REPORTS, f"host-{name}", *command],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    print(f"{name}: {time.monotonic() - start:.1f} s", file=sys.stderr)
    expect(name, process.returncode in (0, 1), process.stdout)
    return process.stdout


def merge(directories: list, target: str) -> tuple:
    """The status, and what was printed."""
    words = [LINKCOND, "merge", *directories, "--report", target]
    process = subprocess.run(words, cwd=REPORTS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return process.returncode, process.stdout


def check_shards(name: str, count: int, *options: str) -> list:
    """Runs all shards and merges them: the report must be that of the whole."""
    shards = [f"{name}-{number}" for number in range(1, count + 1)]
    for number, shard in enumerate(shards, 1):
        matrix(shard, "--shard", f"{number}/{count}", *options)
    status, table = merge(shards[::-1], name)
    expect(f"{name}: status", status == 1, table)
    whole, merged = facts(REPORTS / "whole"), facts(REPORTS / name)
    for index, (one, other) in enumerate(zip(whole["runs"], merged["runs"])):
        expect_equal(f"{name}: run {index}", one, other)
    expect_equal(f"{name}: the rest of summary.json", whole | {"runs": []}, merged | {"runs": []})
    for file, one in texts(REPORTS / "whole").items():
        expect_equal(f"{name}: {file}", one, texts(REPORTS / name)[file])
    expect(f"{name}: reports of runs", len(list((REPORTS / name).glob("*/run-*/packets.pcapng"))) == len(whole["runs"]))
    return shards


def runs_of(name: str) -> list:
    return json.loads((REPORTS / name / "summary.json").read_text())["runs"]


def changed(name: str, source: str, change, file: str = "summary.json", sealed: bool = False) -> str:
    """Copies a shard's report, and changes the text of a file; with `sealed`, its digest, too."""
    shutil.copytree(REPORTS / source, REPORTS / name)
    path = REPORTS / name / file
    path.write_text(change(path.read_text()))
    if sealed:
        content = path.read_text().partition(',\n  "digest": ')[0]
        digest = hashlib.sha256(content.encode()).hexdigest()
        path.write_text(f'{content},\n  "digest": "{digest}"\n}}\n')
    return name


def check_refusals(shards: list) -> None:
    first, second, *rest = shards

    def refused(what: str, name: str, reason: str, directories: list, status: int = 65) -> None:
        result, output = merge(directories, "refused")
        said = [line for line in output.splitlines() if name in line and re.search(reason, line)]
        expect(what, result == status and bool(said), f"{result}: {output}")
        expect(f"{what}: no report", status != 65 or not (REPORTS / "refused").exists())

    refused("a shard is left out", "2/4", "no report of shard", [first, *rest], 1)
    count = len(NETWORKS) * REPETITIONS
    expect("a shard is left out: its runs", len(runs_of("refused")) == count - count // len(shards))
    shutil.rmtree(REPORTS / "refused")
    refused("a shard twice", second, "twice", [*shards, second])
    shutil.copytree(REPORTS / second, REPORTS / "copy")
    refused("a copy of a shard", "copy", "shard 2/4 is also in", [*shards, "copy"])
    matrix("other-seed", "--shard", "2/4", seed=SEED + 1)
    refused("another seed", "other-seed", "seed", [first, "other-seed", *rest])
    cases = {
        "cut-off": ("is cut off", lambda text: text[: len(text) // 2], {}),
        "changed": ("summary.json was changed", lambda text: text.replace('"fail"', '"pass"', 1), {}),
        "version": (
            "version",
            lambda text: re.sub(r'^(  "linkcond": )"[^"]*"', r'\1"0.0.9"', text, flags=re.MULTILINE),
            {"sealed": True},
        ),
    }
    run = runs_of(second)[0]["directory"]
    reason = f"{run}/report.json was changed"
    cases["changed-run"] = reason, lambda text: text.replace('"pass"', '"fail"'), {"file": f"{run}/report.json"}
    for name, (reason, change, options) in cases.items():
        changed(name, second, change, **options)
        refused(name, name, reason, [first, name, *rest])
    refused("the whole", "whole", "whole", [*shards, "whole"])
    (REPORTS / "empty").mkdir()
    refused("an empty directory", "empty", "summary.json", [*shards, "empty"])
    (REPORTS / "link").mkdir()
    (REPORTS / "link/summary.json").symlink_to(REPORTS / second / "summary.json")
    refused("a symbolic link", "link", "symbolic link", [first, "link", *rest])


def main() -> None:
    matrix("whole")
    runs = facts(REPORTS / "whole")["runs"]
    kinds = {(run["status"], run["report"]["verdict"]) for run in runs}
    expect("the whole has each status and verdict", {each for kind in kinds for each in kind} >= {0, 1, *VERDICTS}, kinds)
    shards = check_shards("by-index", 4)
    balanced = check_shards("by-timings", 3, "--timings", "reports/by-index")
    durations = {run["index"]: run["seconds"] for run in runs_of("by-index")}
    loads = [sum(durations[run["index"]] for run in runs_of(shard)) for shard in balanced]
    expect("shards of about equal durations", max(loads) - min(loads) <= max(durations.values()), loads)
    check_refusals(shards)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
