# SPDX-License-Identifier: Apache-2.0
"""Holds the YAML of the page, and the action, against the schemas of GitHub, GitLab, Compose and Kubernetes.

The schemas come from the wheels of check-jsonschema and kubernetes-validate, which have copies of them.
"""

import json
import re
import zipfile
from pathlib import Path

import yaml
from jsonschema import Draft7Validator, RefResolver, validators

FOLDER = "check_jsonschema/builtin_schemas/vendor"
# Refuses members that it does not know.
KUBERNETES = "kubernetes_validate/kubernetes-json-schema/v1.37.0-local-strict"


class Loader(yaml.SafeLoader):
    """YAML 1.2, where "on" is a string."""


Loader.yaml_implicit_resolvers = {
    first: [each for each in resolvers if each[0] != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


def load(text: str) -> dict:
    return yaml.load(text, Loader)


def mistakes(wheels: str, name: str, document: dict) -> list:
    """What the schema has against the document."""
    schema = read(wheels, f"{FOLDER}/{name}.json")
    validator = validators.validator_for(schema, Draft7Validator)(schema)
    return found(validator, document)


def kubernetes_mistakes(wheels: str, document: dict) -> list:
    """What Kubernetes' schema has against a manifest."""
    name = f"{document['kind'].lower()}-{document['apiVersion'].replace('/', '-')}"
    schema, definitions = (read(wheels, f"{KUBERNETES}/{each}.json") for each in (name, "_definitions"))
    resolver = RefResolver(schema["$id"], schema, {definitions["$id"]: definitions})
    return found(validators.validator_for(schema)(schema, resolver=resolver), document)


def read(wheels: str, path: str) -> dict:
    """A file of that wheel in the directory which has it."""
    wheel = next(Path(wheels).glob(f"{path.partition('/')[0]}-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        return json.loads(archive.read(path))


def found(validator, document: dict) -> list:
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(document)]
