# SPDX-License-Identifier: Apache-2.0
"""What a container may do beyond Docker's defaults, as a recipe names it."""

import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True)
class Rights:
    capabilities: tuple = ()
    devices: tuple = ()
    security: tuple = ()

    @classmethod
    def of(cls, settings: dict) -> "Rights":
        """Of a service of Compose, or of a runner's [runners.docker]: both have the same keys."""
        keys = ("cap_add", "devices", "security_opt")
        return cls(*(tuple(settings.get(key, ())) for key in keys))

    @classmethod
    def of_command(cls, words: list) -> tuple:
        """Of the words of "docker run", with the image and the command that follow."""
        found = {"--cap-add": [], "--device": [], "--security-opt": []}
        rest = iter(words)
        for word in rest:
            if word in found:
                found[word].append(next(rest))
            elif word != "--rm":
                return cls(*map(tuple, found.values())), word, list(rest)
        raise ValueError(f"no image in {words}")

    def each_removed(self):
        """Each right with the rights that are left without it."""
        for field in dataclasses.fields(self):
            values = getattr(self, field.name)
            for value in values:
                yield value, dataclasses.replace(self, **{field.name: tuple(each for each in values if each != value)})
