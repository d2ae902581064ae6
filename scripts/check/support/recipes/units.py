# SPDX-License-Identifier: Apache-2.0
"""Runs the units of the page under a systemd of their own, which holds them to the rights that they name."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from network import Network

CHECK_UNIT = """\
[Unit]
SuccessAction=exit-force
FailureAction=exit-force

[Service]
Type=oneshot
ExecStart=/bin/sh -c '. /etc/linkcond-recipe >/etc/linkcond-recipe.log 2>&1'
"""
TARGET = "[Unit]\nRequires=check.service\n"


def each_removed(unit: str):
    """Each right that the unit names, with the unit without it."""
    for value in re.search(r"^CapabilityBoundingSet=(.*)$", unit, re.MULTILINE)[1].split():
        yield value, re.sub(rf"\b{value}\b ?", "", unit)
    for line in re.findall(r"^DeviceAllow=.*$", unit, re.MULTILINE):
        yield line, unit.replace(line, "")


def verify(name: str, unit: str) -> str:
    """What systemd-analyze has against the unit."""
    with tempfile.TemporaryDirectory() as directory:
        # An instance of a template; the program need not be installed.
        path = Path(directory) / name.replace("@.", "@eth0.")
        path.write_text(unit.replace("/usr/bin/linkcond", "/bin/true"))
        result = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True)
    return result.stderr if result.returncode else ""


def run(linkcond: str, network: Network, units: dict, tests: Path, script: str) -> str:
    """Boots systemd with the units, and runs the script there. Returns what it printed."""
    work = Path(tempfile.mkdtemp(prefix="recipes-"))
    here = os.path.isdir("/run/systemd/system")
    nspawn = ["timeout", "--kill-after=1", "100", "systemd-nspawn", "--quiet", "--directory=root", "--console=pipe"]
    nspawn += [f"--network-namespace-path={network.path}", f"--bind={work}/tun:/dev/net/tun"]
    # Without these, systemd could not hold units to their devices (BPF), nor give them each capability.
    nspawn += ["--capability=all", "--system-call-filter=bpf"]
    # Where systemd does not run, nothing can be registered.
    nspawn += [] if here else ["--register=no", "--keep-unit"]
    files = {f"etc/systemd/system/{name}": text for name, text in units.items()}
    files |= {"etc/systemd/system/check.service": CHECK_UNIT, "etc/systemd/system/check.target": TARGET}
    files |= {"etc/linkcond-recipe": script, "usr/local/bin/sudo": '#!/bin/sh\nexec "$@"\n'}
    for path, text in files.items():
        (work / "files" / path).parent.mkdir(parents=True, exist_ok=True)
        (work / "files" / path).write_text(text)
    (work / "files/usr/local/bin/sudo").chmod(0o755)
    lines = [
        "mkdir store root",
        "mount -t tmpfs tmpfs store",
        "mkdir store/upper store/work",
        "mount -t overlay overlay -o lowerdir=/,upperdir=store/upper,workdir=store/work root",
        # Nothing of this machine's own is started, and it stays another machine.
        "rm -rf root/etc/systemd/system/*",
        "tr -d - </proc/sys/kernel/random/uuid >root/etc/machine-id",
        # As on distributions; some clouds' machines have it for root alone.
        "mknod -m 666 tun c 10 200",
        "mkdir -p root/srv",
        f"cp {linkcond} root/usr/bin/linkcond",
        f"cp {tests} root/srv/run-tests",
        "cp -r files/. root",
        f"{' '.join(nspawn)} --boot -- --unit=check.target >boot.log 2>&1 </dev/null || true",
        "cat root/etc/linkcond-recipe.log || cat boot.log",
    ]
    try:
        result = subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "sh", "-ec", "\n".join(lines)],
            cwd=work,
            env=os.environ | {"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        return result.stdout
    finally:
        subprocess.run(["rm", "-rf", "--one-file-system", work], check=False)
