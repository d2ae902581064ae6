# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of scripts/action as a runner of GitHub Actions does, with an environment that is made up."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import schemas

ACTION = Path(__file__).resolve().parents[3] / "action"


@dataclass
class Result:
    status: int = 0
    log: str = ""
    summary: str = ""
    outputs: dict = field(default_factory=dict)
    # What would be uploaded, by the step's "with".
    uploaded: dict = field(default_factory=dict)
    ran: list = field(default_factory=list)


def run(inputs: dict, work: Path, environment: dict, within: list = ()) -> Result:
    """Runs the action. `work` holds the runner's files, and is the job's directory; `within` starts each step."""
    action = schemas.load((ACTION / "action.yml").read_text())
    unknown = inputs.keys() - action["inputs"].keys()
    if unknown:
        raise ValueError(f"the action has no input {unknown}")
    values = {name: inputs.get(name, each["default"]) for name, each in action["inputs"].items()}
    steps, result = {}, Result()

    def value(expression: str) -> str:
        kind, *rest = expression.strip().split(".")
        if kind == "inputs":
            return values[rest[0]]
        if kind == "steps":
            return steps.get(rest[0], {}).get(rest[2], "")
        return {"github.action_repository": "owner/linkcond"}[expression.strip()]

    def text(template: str) -> str:
        return re.sub(r"\$\{\{(.*?)\}\}", lambda match: value(match[1]), template)

    def holds(condition: str) -> bool:
        if result.status and "always()" not in condition:
            return False

        def is_true(term: str) -> bool:
            name, operator, text = re.fullmatch(r"(\S+) (!=|==) '(.*)'", term).groups()
            return (value(name) == text) == (operator == "==")

        terms = condition.replace("always() && ", "")
        either = [[is_true(term.strip()) for term in part.split("&&")] for part in terms.split("||") if part.strip()]
        return not either or any(all(each) for each in either)

    path = environment["PATH"]
    for step in action["runs"]["steps"]:
        if not holds(step.get("if", "")):
            continue
        result.ran.append(step["name"])
        if "uses" in step:
            result.uploaded = {name: text(each) for name, each in step["with"].items()}
            continue
        files = {name: work / f"{name}-{len(result.ran)}" for name in ("OUTPUT", "PATH", "STEP_SUMMARY", "ENV")}
        for each in files.values():
            each.touch()
        (work / "temporary").mkdir(exist_ok=True)
        variables = environment | {"PATH": path, "CI": "true", "GITHUB_ACTIONS": "true"}
        variables |= {"GITHUB_ACTION_PATH": str(ACTION), "RUNNER_TEMP": str(work / "temporary")}
        variables |= {f"GITHUB_{name}": str(each) for name, each in files.items()}
        variables |= {name: text(each) for name, each in step.get("env", {}).items()}
        (work / "step.sh").write_text(text(step["run"]))
        shell = [*within, "bash", "--noprofile", "--norc", "-eo", "pipefail", work / "step.sh"]
        process = subprocess.run(
            shell, cwd=work, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120
        )
        result.log += process.stdout
        result.status = result.status or process.returncode
        result.summary += files["STEP_SUMMARY"].read_text()
        path = os.pathsep.join(files["PATH"].read_text().split("\n")[:-1] + [path])
        if "id" in step:
            steps[step["id"]] = dict(line.split("=", 1) for line in files["OUTPUT"].read_text().splitlines())
    result.outputs = {name: text(each["value"]) for name, each in action["outputs"].items()}
    return result
