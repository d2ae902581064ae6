# SPDX-License-Identifier: Apache-2.0
"""What the markers of a test ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Mapping, Optional, Sequence

import pytest

from .control import Profile, Refusal, Scenario


@dataclass(frozen=True)
class Markers:
    """What the markers of a test, of its class and of its module ask for together."""

    profile: Optional[Profile]
    scenario: Optional[Scenario]
    expectations: Sequence[str]

    @classmethod
    def of(cls, item: pytest.Item) -> Optional[Markers]:
        """None for a test that has nothing to do with the link."""
        profiles: List[Profile] = []
        scenarios: List[Scenario] = []
        expectations: List[str] = []
        for marker in item.iter_markers("linkcond"):
            if len(marker.args) > 1 or set(marker.kwargs) - {"expect", "scenario"}:
                raise Refusal('a marker of linkcond is: linkcond("Slow Net", expect=["at most 1 connection"])')
            if marker.args and "scenario" in marker.kwargs:
                raise Refusal("a marker of linkcond has a profile or a scenario, not both")
            # The nearest marker comes first, and counts whichever of both it names.
            if not profiles and not scenarios:
                profiles += [profile for profile in marker.args if profile is not None]
                scenarios += [marker.kwargs["scenario"]] if "scenario" in marker.kwargs else []
            more = marker.kwargs.get("expect", [])
            expectations += [more] if isinstance(more, str) else list(more)
        scenario = scenarios[0] if scenarios else None
        if scenario is not None and not isinstance(scenario, Mapping):
            raise Refusal("the scenario of a marker is an object, as its file holds it: json.load(...)")
        for text in expectations:
            if not isinstance(text, str):
                raise Refusal(f'an expectation is a text such as "at most 1 connection", not {text!r}')
        # The command goes on after the test. What is no text is the supervisor's to refuse.
        texts = [text for text in (scenario or {}).get("expect", []) if isinstance(text, str)]
        expectations += [text for text in texts if not text.startswith("exits ")]
        if not profiles and scenario is None and not expectations and "linkcond" not in getattr(item, "fixturenames", []):
            return None
        return cls(profiles[0] if profiles else None, scenario, expectations)
