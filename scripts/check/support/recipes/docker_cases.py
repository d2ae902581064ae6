# SPDX-License-Identifier: Apache-2.0
"""The recipes for containers: each must work with the rights that it names, and with none of them removed."""

import json
import re
import shlex
import subprocess
import time
import tomllib
from pathlib import Path

import page
import schemas
from container import Container
from network import PLAIN, SLOW, Network, milliseconds
from rights import Rights

# The lines of shell that are run here.
KNOWN = {("docker", "build"), ("docker", "run"), ("docker", "compose")}
VERSION = "0.1.0"
# Installs nothing: the container has this machine's file system, with what scripts/check/recipes has installed.
APT_GET = """\
#!/bin/sh
[ "$1" = install ] || exit 0
for word; do case $word in install|-*) ;; *) dpkg-query --show "$word" || exit 1 ;; esac; done
"""


def image(dockerfile: str, linkcond: str, tests: Path) -> tuple:
    """What the lines of the Dockerfile make: files, directory, command."""
    files, directory, command = {}, "/", []
    for line in dockerfile.splitlines():
        word, _, rest = line.partition(" ")
        if word == "RUN":
            for name in re.findall(r"apt-get install (.*?) &&", rest)[0].split():
                if not name.startswith("-"):
                    subprocess.run(["dpkg-query", "--show", name], check=True, stdout=subprocess.DEVNULL)
        elif word == "WORKDIR":
            directory = rest
        elif word == "COPY":
            source, target = [each for each in rest.split() if not each.startswith("--")]
            target = directory + "/" if target == "." else target
            files[target + Path(source).name] = {"linkcond": linkcond, "run-tests": tests}[Path(source).name]
        elif word == "CMD":
            command = json.loads(rest)
        elif word != "FROM":
            raise ValueError(f"cannot read {line}")
    return files, directory, command


def is_slow(result: tuple) -> bool:
    return result[0] == 0 and milliseconds(result[1]) in SLOW


def sidecar(rights: Rights, command: list, linkcond: str, network: Network) -> str:
    """Runs the service beside its neighbour. What is wrong, or nothing."""

    def start() -> Container:
        # The image has nothing but the program, which is its entry point.
        files = {"/usr/bin/linkcond": linkcond}
        container = Container(rights, network.path, ["linkcond", *command], files, whole=False)
        container.start()
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and container.process.poll() is None:
            if milliseconds(network.round_trip()) in SLOW:
                break
        return container

    container = start()
    conditioned = milliseconds(network.round_trip()) in SLOW
    container.signal("TERM")
    result = container.wait()
    if not conditioned or result[0] != 0:
        return f"the neighbour is not conditioned: {result}"
    if network.state() != network.plain or milliseconds(network.round_trip()) not in PLAIN:
        return "the neighbour's network was not restored"
    container = start()
    container.signal("KILL")
    container.wait()
    if milliseconds(network.round_trip()) not in PLAIN:
        problem = "the neighbour has no network after the service was killed"
    else:
        problem = ""
    # What the killed one has left.
    reset = ["ip", "netns", "exec", network.name, linkcond, "reset"]
    subprocess.run(reset, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(["tc", "-n", network.name, "qdisc", "delete", "dev", "eth0", "clsact"], stderr=subprocess.DEVNULL)
    return problem


def jobs(*recipes: str) -> dict:
    """The jobs of a pipeline of GitLab, each with what it extends."""
    pipeline = schemas.load("".join(recipes))
    return {name: pipeline.get(each.get("extends"), {}) | each for name, each in pipeline.items()}


def job(recipe: dict, rights: Rights, linkcond: str, network: Network, tests: Path, work: Path, **variables) -> tuple:
    """Runs the lines of a job of GitLab. Its artifacts are in work/artifacts, as are those of the jobs before it."""
    packages, artifacts = work / "packages", work / "artifacts"
    artifacts.mkdir(exist_ok=True)
    if not packages.exists():
        packages.mkdir()
        tarball(linkcond, packages, f"{recipe['variables']['PACKAGE']}")
    shim = work / "apt-get"
    shim.write_text(APT_GET)
    shim.chmod(0o755)
    lines = [f"trap 'cp -a {' '.join(recipe['artifacts']['paths'])} /artifacts' EXIT", "cp -a /artifacts/. ."]
    lines += ["rm -f /usr/bin/linkcond"] + recipe["before_script"] + recipe["script"]
    files = {"/packages": packages, "/usr/local/sbin/apt-get": shim, "/builds/project/run-tests": tests}
    variables |= recipe["variables"] | {"PACKAGES": "file:///packages"}
    return Container(
        rights,
        network.path,
        ["sh", "-ec", "\n".join(lines)],
        files,
        "/builds/project",
        environment=[f"{name}={value}" for name, value in variables.items()],
        volumes={"/artifacts": artifacts},
    ).run()


def tarball(linkcond: str, directory: Path, name: str) -> None:
    """Makes a tarball with what scripts/packages/tarball puts there to install it, and SHA256SUMS."""
    script = f"""
        mkdir -p {name}/bin {name}/share/doc/linkcond
        cp {linkcond} {name}/bin/linkcond
        cp {page.ROOT}/scripts/packages/tarball-install {name}/install
        tar -cf - {name} | gzip -1 >{name}.tar.gz
        rm -r {name}
        sha256sum {name}.tar.gz >SHA256SUMS
        echo "$(printf %064d 0)  another-file" >>SHA256SUMS
    """
    subprocess.run(["sh", "-e"], input=script, cwd=directory, check=True, text=True)


def check(checks, recipes, linkcond, network, tests, work, thorough) -> None:
    built = image(recipes["dockerfile"], linkcond, tests)
    compose, own = schemas.load(recipes["compose"])["services"], schemas.load(recipes["compose-tests"])["services"]
    gitlab = jobs(recipes["gitlab"])["slow-net"]
    runner = tomllib.loads(recipes["gitlab-runner"])["runners"]["docker"]

    def run(rights: Rights, command: list) -> str:
        result = Container(rights, network.path, command or built[2], built[0], built[1]).run()
        return "" if is_slow(result) else str(result)

    def run_job(rights: Rights) -> str:
        result = job(gitlab, rights, linkcond, network, tests, work)
        junit = work / "artifacts" / gitlab["artifacts"]["reports"]["junit"]
        return "" if is_slow(result) and junit.exists() else str(result)

    service = compose["slow-net"]
    checks.expect("the service shares its neighbour's network", service["network_mode"] == "service:api", service)
    checks.expect("the tests are in their directory", own["tests"]["volumes"] == [f"./report:{built[1]}/report"], own)
    cases = [
        ("compose: slow-net", Rights.of(service), lambda each: sidecar(each, service["command"], linkcond, network)),
        ("compose: tests", Rights.of(own["tests"]), lambda each: run(each, own["tests"]["command"])),
        ("gitlab", Rights.of(runner), run_job),
    ]
    for words in page.commands():
        if words[:2] == ["docker", "run"]:
            rights, name, command = Rights.of_command(words[2:])
            is_built = ["docker", "build", "-t", name, "."] in page.commands()
            checks.expect(f"{name} is the image that was built", is_built)
            cases.append((shlex.join(words), rights, lambda each, command=command: run(each, command)))
    right = "apparmor=unconfined"
    rest = next(rest for removed, rest in Rights.of(own["tests"]).each_removed() if removed == right)
    output = run(rest, [])
    checks.expect(f"the advice without {right}", "mounts private" in output and f"--security-opt {right}" in output, output)
    for name, rights, attempt in cases:
        problem = attempt(rights)
        checks.expect(name, not problem, problem)
        for right, rest in rights.each_removed() if thorough else ():
            checks.expect(f"{name}: needs {right}", bool(attempt(rest)))
