# SPDX-License-Identifier: Apache-2.0
"""Makes reports of real runs: make.py PROGRAM DIRECTORY"""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scenarios import get, scenarios, server

program, directory = sys.argv[1], Path(sys.argv[2])
hostile = "</title></script><script>window.hostile=1</script><img src=x onerror=window.hostile=1>\u202e\x1b[31m'\"&" + "y" * 10000

crossing = {
    "name": "Crossing",
    "profile": {
        "name": "<i>first",
        "downlink": {"rate": "1 Mbit/s", "delay": "20 ms"},
        "uplink": {"rate": "1 Mbit/s", "delay": "20 ms"},
    },
    "steps": [
        {"label": "searching", "after": {"mark": "search"}, "profile": "Nasty Net"},
        {"label": "<b>found</b> & \"quoted\"", "after": "1 s", "profile": "Slow Net"},
    ],
}
# As a test inside does.
judge = f"'{program}' judge 'at most 10 connections' 'at most 90 connections'; true"
mark = f"'{program}' mark "

# The name, the options, the command.
runs = {
    "crossing": (["--scenario", "crossing.json"], server + mark + "search; " + get("blob", 3, times=3) + "true"),
    "unreachable": (
        ["Black Hole", "--expect", "completes within 1 s", "--expect", "at most 1 connection attempt"],
        get("a", 2, times=2) + "true",
    ),
    "silent": (["Slow Net", "--expect", "first byte within 1 s", "--timeout", "2s"], "sleep 30"),
    "many": (
        ["--downlink", "delay=5ms", "--uplink", "delay=5ms", "--expect", "at most 10 connections"],
        server + "for n in $(seq 40); do " + get("small", 3) + "done; " + judge,
    ),
    "hostile": (
        ["Slow Net", "--expect", "at most 1 connection to evil.test:80"],
        'echo "$1"; ' + server + mark + '"$1" || ' + mark + '"<img src=x onerror=window.hostile=1>"; '
        "curl -s -o /dev/null --max-time 3 -H \"Host: <svg onload=window.hostile=1>\" http://127.0.0.1:8000/small; true",
    ),
}


def run(name, options, command, *words):
    report = directory / name
    call = [program, "run", "--offline", "--report", str(report), "--seed", "7", *options, "--", "bash", "-c", command]
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    log = directory / f"{name}.log"
    with log.open("wb") as file:
        done = subprocess.run(
            [*call, "linkcond", *words], cwd=directory, env=environment, stdout=file, stderr=file, timeout=120
        )
    if not (report / "report.json").exists():
        sys.exit(f"{name}: status {done.returncode}: {log.read_text(errors='replace')}")


def run_several(*words):
    subprocess.run([program, *words], cwd=directory, capture_output=True, timeout=120, check=False)


for name, (scenario, options, command) in scenarios.items():
    (directory / f"{name}.json").write_text(json.dumps(scenario))
    runs[name] = (["--scenario", f"{name}.json", *options], command)
(directory / "crossing.json").write_text(json.dumps(crossing))
(directory / "blob").write_bytes(os.urandom(60_000))
(directory / "large").write_bytes(os.urandom(1_000_000))
(directory / "small").write_bytes(os.urandom(300))
with ThreadPoolExecutor(2) as pool:
    list(pool.map(lambda name: run(name, *runs[name], *([] if name in scenarios else [hostile])), runs))

run_several(
    "matrix", "-p", "Slow Net", "-p", "Black Hole", "-p", "lift.json", "--report", "matrix", "--expect",
    "completes within 2 s", "--", "bash", "-c", server + get("small", 3) + "true",
)
run_several(
    "limits", "--vary", "delay=0..1s", "--budget", "12s", "--jobs", "2", "--report", "limits", "--", "bash", "-c",
    "python3 -m http.server 8000 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 0.4; "
    "curl -s -o /dev/null --max-time 1 http://127.0.0.1:8000/small",
)
run_several(
    "run", "--offline", "Slow Net", "--repeat", "3", "--report", "repeat", "--expect", "completes within 1 ms", "--", "true"
)
run_several("verify", "DSL", "--engine", "userspace", "--budget", "15s", "--report", "verify")
