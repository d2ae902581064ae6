# SPDX-License-Identifier: Apache-2.0
"""The recipes that divide a matrix among jobs: the merged report must be that of a single job."""

import fnmatch
import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import action
import docker_cases
import page
import schemas
from container import Container
from rights import Rights

# The lines of shell that are run here.
KNOWN = {("parallel", "--sshlogin"), ("linkcond", "merge")}
# With it, some pings are lost, and some are not.
SEED = 1
TESTS = "#!/bin/sh\nhostname\nexec ping -n -c 1 -W 2 127.0.0.1\n"


def results(report: Path) -> tuple:
    """The verdict of a report, and of each run the status and the verdicts, by its name. Each must have its files."""
    summary = json.loads((report / "summary.json").read_text())
    runs = {}
    for run in summary["runs"]:
        verdicts = [each["verdict"] for each in run["report"]["expectations"]]
        runs[run["name"]] = run["status"], verdicts
        if not (report / run["directory"] / "report.json").exists():
            raise FileNotFoundError(run["directory"])
    return summary["verdict"], runs


def check(checks, recipes, linkcond, network, tests, work, thorough) -> None:
    local = work / "run-local-tests"
    local.write_text(TESTS)
    local.chmod(0o755)
    check_github(checks, recipes["github-shards"], linkcond, local, work)
    check_gitlab(checks, recipes, linkcond, network, local, work)
    check_kubernetes(checks, recipes, linkcond, network, local, work, thorough)
    check_ssh(checks, linkcond, local, work)


def expect_whole(checks, name: str, merged: Path, whole: Path) -> None:
    """Expects a merged report to be that of a single job. It has runs that passed, and runs that failed."""
    merged, whole = results(merged), results(whole)
    checks.expect(f"{name}: the merged report is that of a single job", merged == whole, f"{merged}\n{whole}")
    statuses = {status for status, _ in whole[1].values()}
    checks.expect(f"{name}: some runs pass, and some fail", len(statuses) > 1, whole)


def check_github(checks, workflow: str, linkcond: str, tests: Path, work: Path) -> None:
    jobs = schemas.load(workflow)["jobs"]
    shards, verdict = jobs["shards"], jobs["verdict"]
    alive = shards["strategy"]["fail-fast"] is False and verdict["needs"] == "shards" and verdict["if"] == "always()"
    checks.expect("github: failed shards are merged", alive, jobs)
    packages = work / "shard-releases"
    packages.mkdir()
    docker_cases.tarball(linkcond, packages, "linkcond")
    environment = {"PATH": "/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(work)}
    numbers = shards["strategy"]["matrix"]["shard"]

    def run(job: dict, directory: Path, number: int = 0, **changed) -> action.Result:
        context = {"matrix.shard": number, "strategy.job-total": len(numbers), "github.run_id": SEED}
        inputs = {
            name: re.sub(r"\$\{\{ (\S+) \}\}", lambda match: str(context[match[1]]), text)
            for name, text in job["steps"][-1]["with"].items()
        }
        directory.mkdir(exist_ok=True)
        shutil.copy(tests, directory / "run-tests")
        inputs |= {"package": str(packages / "linkcond.tar.gz")} | changed
        return action.run(inputs, directory, environment)

    uploaded = {}
    for number in numbers:
        result = run(shards, work / f"github-{number}", number)
        uploaded[result.uploaded["name"]] = result.uploaded["path"]
    checks.expect("github: each artifact has its name", len(uploaded) == len(numbers), uploaded)

    def merge(name: str, artifacts: dict) -> action.Result:
        directory, download = work / name, verdict["steps"][0]["with"]
        directory.mkdir()
        for artifact, path in artifacts.items():
            if fnmatch.fnmatch(artifact, download["pattern"]):
                # As the action does, which makes no directory for a single artifact.
                below = artifact if len(artifacts) > 1 else ""
                shutil.copytree(path, directory / download["path"] / below)
        return run(verdict, directory)

    result = merge("github-verdict", uploaded)
    whole = run(shards, work / "github-whole", shard="")
    checks.expect("github: status", result.status == whole.status == 1, f"{result}\n{whole}")
    expect_whole(checks, "github", Path(result.uploaded["path"]), Path(whole.uploaded["path"]))
    for count in (len(numbers) - 1, 1):
        result = merge(f"github-{count}-shards", dict(list(uploaded.items())[:count]))
        names = result.status == 1 and f"{len(numbers)}/{len(numbers)}" in result.log
        checks.expect(f"github: {count} shards of {len(numbers)}", names, result)
    result = merge("github-nothing", {})
    checks.expect("github: no shard", result.status != 0 and "shards" in result.log, result)


def check_gitlab(checks, recipes: dict, linkcond: str, network, tests: Path, work: Path) -> None:
    jobs = docker_cases.jobs(recipes["gitlab"], recipes["gitlab-shards"])
    shards, verdict = jobs["shards"], jobs["verdict"]
    rights = Rights.of(tomllib.loads(recipes["gitlab-runner"])["runners"]["docker"])
    checks.expect("gitlab: failed shards are merged", verdict["when"] == "always" and verdict["needs"] == ["shards"])

    def run(job: dict, place: str, **variables) -> tuple:
        (work / place).mkdir(exist_ok=True)
        return docker_cases.job(job, rights, linkcond, network, tests, work / place, CI_PIPELINE_ID=SEED, **variables)

    count = shards["parallel"]
    outputs = [run(shards, "gitlab", CI_NODE_INDEX=number, CI_NODE_TOTAL=count) for number in range(1, count + 1)]
    result = run(verdict, "gitlab")
    whole = run(shards, "gitlab-whole", CI_NODE_INDEX=1, CI_NODE_TOTAL=1)
    checks.expect("gitlab: status", result[0] == whole[0] == 1, f"{outputs}\n{result}\n{whole}")
    artifacts = work / "gitlab/artifacts"
    checks.expect("gitlab: junit", (artifacts / verdict["artifacts"]["reports"]["junit"]).exists(), result)
    run({**verdict, "script": ["linkcond merge shards/1 --report report"]}, "gitlab-whole")
    expect_whole(checks, "gitlab", artifacts / "report", work / "gitlab-whole/artifacts/report")


def pod_rights(pod: dict) -> Rights:
    """The rights of a pod's container, in Docker's words."""
    container = pod["containers"][0]
    context = container.get("securityContext", {})
    unconfined = context.get("appArmorProfile") == {"type": "Unconfined"}
    devices = {each["name"]: each["hostPath"]["path"] for each in pod["volumes"] if "hostPath" in each}
    mounts = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
    return Rights(
        capabilities=tuple(context.get("capabilities", {}).get("add", ())),
        devices=tuple(path for name, path in devices.items() if mounts[name] == path),
        security=("apparmor=unconfined",) if unconfined else (),
    )


def check_kubernetes(checks, recipes: dict, linkcond, network, tests, work, thorough) -> None:
    job, merge = (schemas.load(recipes[name])["spec"] for name in ("kubernetes", "kubernetes-merge"))
    pod, reports = job["template"]["spec"], work / "claim"
    files, directory, _ = docker_cases.image(recipes["dockerfile"], linkcond, tests)
    reports.mkdir()
    count = job["completions"]
    together = count == job["parallelism"] and job["completionMode"] == "Indexed" and job["backoffLimitPerIndex"] == 0
    checks.expect("kubernetes: each shard once", together, job)

    def shard(index: int, rights: Rights, change=lambda words: words) -> tuple:
        # The kubelet expands $(NAME).
        container = pod["containers"][0]
        words = [word.replace("$(JOB_COMPLETION_INDEX)", str(index)) for word in container["command"]]
        mounts = {each["mountPath"]: reports for each in container["volumeMounts"] if each["name"] == "reports"}
        environment = [f"JOB_COMPLETION_INDEX={index}"]
        return Container(
            rights, network.path, change(words), files, directory, environment=environment, volumes=mounts
        ).run()

    rights = pod_rights(pod)
    outputs = [shard(index, rights) for index in range(count)]
    container = merge["template"]["spec"]["containers"][0]
    volumes = {container["volumeMounts"][0]["mountPath"]: reports}
    # The image has nothing but the program, which is its entry point.
    result = Container(
        pod_rights(merge["template"]["spec"]),
        network.path,
        ["linkcond", *container["args"]],
        {"/usr/bin/linkcond": linkcond},
        whole=False,
        volumes=volumes,
    ).run()

    def single(words: list) -> list:
        """The command of the Job without --shard."""
        place = words.index("--shard")
        return words[:place] + words[place + 2 :]

    whole = shard(count, rights, single)
    checks.expect("kubernetes: status", result[0] == whole[0] == 1, f"{outputs}\n{result}\n{whole}")
    expect_whole(checks, "kubernetes", reports / Path(container["args"][-1]).name, reports / str(count))
    for right, rest in rights.each_removed() if thorough else ():
        checks.expect(f"kubernetes: needs {right}", shard(0, rest)[0] == 125)


def check_ssh(checks, linkcond: str, tests: Path, work: Path) -> None:
    lines = [line for line in page.lines() if line.startswith(("parallel ", "linkcond merge "))]
    directory = work / "ssh"
    project = directory / "project"
    project.mkdir(parents=True)
    shutil.copy(tests, project / "run-tests")
    names = re.findall(r"\d/(\w+)", next(word for word in page.commands() if word[0] == "parallel")[2])
    fleet = Path(__file__).parent / "fleet"
    single = re.search(r"'(linkcond .*)'", lines[0])[1]
    single = re.sub("--shard [^ ]*", "", single).replace("shards/{}", "whole")
    isolated = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    process = subprocess.run(
        [*isolated, fleet, linkcond, directory, *names],
        input="\n".join([single, *lines]),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    checks.expect("ssh: status", process.returncode == 1, process.stdout)
    hosts = {path.read_text().split()[0] for path in (project / "report").glob("*/*/output.log")}
    checks.expect("ssh: each machine takes part", hosts == set(names), hosts)
    expect_whole(checks, "ssh", project / "report", project / "whole")
