# SPDX-License-Identifier: Apache-2.0
"""Runs the recipes of the guide's page on continuous integration: recipes.py LINKCOND WHEELS [--each-right]"""

import sys
import tempfile
import time
import tomllib
from pathlib import Path

import action_cases
import docker_cases
import page
import schemas
import shard_cases
import unit_cases
from network import Network

# What the recipes call their tests: they print a round trip, by which it is known what link they were on.
TESTS = """\
#!/bin/sh
if [ "$1" = --local ]; then exec ping -n -c 1 -W 10 127.0.0.1; fi
exec ping -n -c 1 -W 10 10.98.0.2
"""


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, what: str, holds: bool, detail: object = "") -> None:
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"{what}: wrong\n{detail}", file=sys.stderr)


def check_documents(checks: Checks, recipes: dict, wheels: str) -> None:
    named = {
        "github": "github-workflows",
        "github-shards": "github-workflows",
        "gitlab": "gitlab-ci",
        "compose": "compose-spec",
        "compose-tests": "compose-spec",
    }
    documents = {name: (schema, schemas.load(recipes[name])) for name, schema in named.items()}
    documents["gitlab-shards"] = "gitlab-ci", schemas.load(recipes["gitlab"] + recipes["gitlab-shards"])
    documents["action.yml"] = "github-actions", schemas.load((action_cases.action.ACTION / "action.yml").read_text())
    for name, (schema, document) in documents.items():
        found = schemas.mistakes(wheels, schema, document)
        checks.expect(f"{name} by the schema {schema}", not found, "\n".join(found))
        broken = schemas.mistakes(wheels, schema, document | {"jobz": 1, "runs": 1})
        checks.expect(f"the schema {schema} refuses something", bool(broken))
    for name in ("kubernetes", "kubernetes-merge"):
        document = schemas.load(recipes[name])
        found = schemas.kubernetes_mistakes(wheels, document)
        checks.expect(f"{name} by the schema of Kubernetes", not found, "\n".join(found))
        document["spec"]["template"]["spec"]["containers"][0]["imag"] = "tests"
        checks.expect("the schema of Kubernetes refuses something", bool(schemas.kubernetes_mistakes(wheels, document)))
    known = {"cap_add", "devices", "security_opt"}
    runner = tomllib.loads(recipes["gitlab-runner"])["runners"]["docker"]
    checks.expect("gitlab-runner", runner.keys() == known, runner)


def main() -> None:
    linkcond, wheels, thorough = sys.argv[1], sys.argv[2], "--each-right" in sys.argv
    checks, recipes = Checks(), page.recipes()
    checks.expect("each recipe has a name", not page.unnamed(), page.unnamed())
    check_documents(checks, recipes, wheels)
    with tempfile.TemporaryDirectory(prefix="recipes-") as work, Network() as network:
        work = Path(work)
        tests = work / "run-tests"
        tests.write_text(TESTS)
        tests.chmod(0o755)
        start = time.monotonic()
        for cases in (docker_cases, unit_cases, action_cases, shard_cases):
            cases.check(checks, recipes, linkcond, network, tests, work, thorough)
            print(f"{cases.__name__}: {time.monotonic() - start:.1f} s", file=sys.stderr)
            start = time.monotonic()
    known = docker_cases.KNOWN | unit_cases.KNOWN | shard_cases.KNOWN
    left = [words for words in page.commands() if tuple(words[:2]) not in known]
    checks.expect("each line of shell is run", not left, left)
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


main()
