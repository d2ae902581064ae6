# SPDX-License-Identifier: Apache-2.0
"""Holds the YAML of the page, and the action, against the schemas of GitHub, GitLab and Compose.

The schemas come from a wheel of check-jsonschema, which has copies of them.
"""

import json
import re
import zipfile

import yaml
from jsonschema import Draft7Validator, validators

FOLDER = "check_jsonschema/builtin_schemas/vendor"


class Loader(yaml.SafeLoader):
    """YAML 1.2, where "on" is a string."""


Loader.yaml_implicit_resolvers = {
    first: [each for each in resolvers if each[0] != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


def load(text: str) -> dict:
    return yaml.load(text, Loader)


def mistakes(wheel: str, name: str, document: dict) -> list:
    """What the schema has against the document."""
    with zipfile.ZipFile(wheel) as archive:
        schema = json.loads(archive.read(f"{FOLDER}/{name}.json"))
    validator = validators.validator_for(schema, Draft7Validator)(schema)
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(document)]
