# SPDX-License-Identifier: Apache-2.0
"""The GitHub action, with the page's inputs, and where something is wrong."""

import hashlib
import re
from pathlib import Path

import action
import docker_cases
import page
import schemas
from network import SLOW, milliseconds


def check(checks, recipes, linkcond, network, tests, work, thorough) -> None:
    name = f"linkcond-{docker_cases.VERSION}-linux-amd64"
    packages = work / "releases"
    packages.mkdir()
    docker_cases.tarball(linkcond, packages, name)
    package = packages / f"{name}.tar.gz"
    steps = schemas.load(recipes["github"])["jobs"]["slow-net"]["steps"]
    inputs = steps[-1]["with"]
    place = steps[-1]["uses"].partition("@")[0].split("/", 2)[2]
    checks.expect("action: its place", (page.ROOT / place).samefile(action.ACTION), place)
    known = schemas.load((action.ACTION / "action.yml").read_text())["inputs"].keys()
    rows = re.findall(r"^\| ((?:`[a-z0-9-]+`(?:, )?)+) \|", page.section("GitHub Actions"), re.MULTILINE)
    named = set(re.findall(r"`([^`]+)`", " ".join(rows)))
    checks.expect("action: the page names each input", named == set(known), (named, known))
    digest = hashlib.sha256(package.read_bytes()).hexdigest()
    # Without linkcond, wherever this machine may have it.
    environment = {"PATH": "/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(work)}
    number = 0

    def attempt(within: list = (), **changed) -> action.Result:
        nonlocal number
        number += 1
        directory = work / f"job-{number}"
        directory.mkdir()
        # The page's tests, of which only the link beyond loopback needs another network.
        (directory / "run-tests").write_text("#!/bin/sh\nexec ping -n -c 1 -W 10 127.0.0.1\n")
        (directory / "run-tests").chmod(0o755)
        return action.run(inputs | {"package": str(package)} | changed, directory, environment, within)

    def refused(what: str, text: str, ran: int, **changed) -> None:
        """That the action fails at its step number `ran`, says so, and uploads nothing."""
        result = attempt(**changed)
        right = result.status != 0 and text in result.log and len(result.ran) == ran and not result.uploaded
        checks.expect(f"action: {what}", right, result)

    result = attempt()
    checks.expect("action: status", (result.status, result.outputs["status"]) == (0, "0"), result)
    checks.expect("action: conditions", milliseconds(result.log) in SLOW, result.log)
    checks.expect("action: summary", "| pass | completes within 60 s" in result.summary, result.summary)
    checks.expect("action: the summary names the command", "-c ./run-tests" in result.summary, result.summary)
    report = Path(result.outputs["report"])
    checks.expect("action: report", (report / "report.html").exists() and (report / "junit.xml").exists(), result)
    uploaded = {"name": "linkcond-report", "path": str(report), "if-no-files-found": "ignore"}
    checks.expect("action: upload", result.uploaded == uploaded, result.uploaded)

    result = attempt(run="false\necho not reached")
    checks.expect("action: a command that fails", (result.status, result.outputs["status"]) == (1, "1"), result)
    checks.expect("action: the first failure ends it", "not reached\n" not in result.log, result.log)
    checks.expect("action: its report", bool(result.uploaded) and "fail" in result.summary, result)
    result = attempt(expect="completes within 1 ms", report="a/b c", options="--offline\n--uplink\nloss=0 %", seed="7")
    fails = result.status == 1 and "| FAIL | completes within 1 ms" in result.summary
    checks.expect("action: an expectation that fails", fails, result)
    checks.expect("action: another report", result.uploaded.get("name") == "b c", result.uploaded)
    repeats = "--uplink 'loss=0 %'" in result.summary and "--seed 7" in result.summary
    checks.expect("action: options and seed", repeats, result)
    result = attempt(options="--no-such-option")
    checks.expect("action: linkcond's own failure", result.status == 125 and "linkcond failed" in result.log, result)
    result = attempt(run="")
    checks.expect("action: no command", result.status == 0 and len(result.ran) == 2 and not result.uploaded, result)
    result = attempt(report="", run="exit 3", expect="", doctor="false", options="--offline")
    checks.expect("action: no report", result.status == 3 and len(result.ran) == 2 and not result.uploaded, result)
    # The values are no part of a line of shell.
    result = attempt(profile='$(touch injected)"; touch injected; "', expect="")
    checks.expect("action: a hostile profile", result.status == 125 and not list(work.rglob("injected")), result)

    result = attempt(sudo="true", options="--offline", expect="")
    checks.expect("action: sudo", result.status == 0 and milliseconds(result.log) in SLOW, result)
    result = attempt(sudo="true", options="--offline", expect="", profile="Wi-Fi\n3G\n")
    checks.expect("action: sudo, and two profiles", result.status == 0 and "## pass: Matrix" in result.summary, result)
    # As on Ubuntu for a program without an AppArmor profile.
    limit = 'echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all "$@"'
    refused("no namespaces", "install the Debian package", 2, within=["unshare", "-Ur", "sh", "-c", limit, "sh"])

    url = package.as_uri()
    checks.expect("action: a URL", attempt(package=url, run="").status == 0)
    checks.expect("action: a checksum", attempt(package=url, sha256=digest, run="").status == 0)
    refused("a wrong checksum", "checksum", 1, sha256="0" * 64)
    refused("a wrong checksum of a URL", "checksum", 1, package=url, sha256="0" * 64)
    refused("no package", "there is no file", 1, package="missing.tar.gz")
    refused("no package at a URL", "cannot download", 1, package=f"{url}.gz")
    refused("plain HTTP without a checksum", "cannot download", 1, package="http://127.0.0.1:1/linkcond.tar.gz")
    other = packages / "linkcond.zip"
    other.write_text("")
    refused("another kind of file", "SHA256SUMS does not name", 1, package=str(other))
    sums = packages / "SHA256SUMS"
    sums.write_text(sums.read_text().replace(digest, "1" * 64))
    refused("a package that was exchanged", "checksum", 1)
