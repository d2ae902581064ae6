# SPDX-License-Identifier: Apache-2.0
"""The marker `linkcond`, and the fixture of the same name."""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Callable, Iterator, List, Mapping, Optional, Sequence

import pytest

from .control import Control, Profile, Refusal, Scenario
from .turn import turn
from .verdicts import Verdict, boot_time, judge, mistake


class LinkWarning(UserWarning):
    """A verdict that is inconclusive."""


class Link:
    """The link of the running test."""

    def __init__(self, control: Control) -> None:
        self._control = control

    def mark(self, name: str) -> None:
        """Tells that the client has reached a point; an expectation can refer to it: `... of 'NAME'`."""
        self._control.mark(name)

    def switch(self, profile: Profile) -> None:
        """Changes the conditions; those before the test are restored at its end."""
        self._control.change(profile)


@dataclass(frozen=True)
class _Markers:
    """What the markers of a test, of its class and of its module ask for together."""

    profile: Optional[Profile]
    scenario: Optional[Scenario]
    expectations: Sequence[str]

    @classmethod
    def of(cls, item: pytest.Item) -> Optional[_Markers]:
        """None for a test that has nothing to do with the link."""
        profiles: List[Profile] = []
        scenarios: List[Scenario] = []
        expectations: List[str] = []
        for marker in item.iter_markers("linkcond"):
            if len(marker.args) > 1 or set(marker.kwargs) - {"expect", "scenario"}:
                raise Refusal('a marker of linkcond is: linkcond("Slow Net", expect=["at most 1 connections"])')
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
                raise Refusal(f'an expectation is a text such as "at most 1 connections", not {text!r}')
        # The command goes on after the test. What is no text is the supervisor's to refuse.
        texts = [text for text in (scenario or {}).get("expect", []) if isinstance(text, str)]
        expectations += [text for text in texts if not text.startswith("exits ")]
        if not profiles and scenario is None and not expectations and "linkcond" not in getattr(item, "fixturenames", []):
            return None
        return cls(profiles[0] if profiles else None, scenario, expectations)


_UNAVAILABLE = "no conditioned network; type: linkcond run -- pytest"


def _control() -> Control:
    """The sandbox of this process; outside of one the test fails."""
    control = Control.of_this_sandbox()
    if control is None:
        pytest.fail(_UNAVAILABLE, pytrace=False)
    return control


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers",
        "linkcond(profile=None, scenario=None, expect=[]): run the test under these conditions, and judge what it did by its packets",
    )


@pytest.fixture(name="linkcond")
def link() -> Link:
    """The link of the running test: `linkcond.mark(name)`, `linkcond.switch(profile)`."""
    return Link(_control())


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test that needs a sandbox, or fails one whose marker is wrong, before its fixtures are made."""
    control, markers = Control.of_this_sandbox(), None
    problem: Optional[str] = None
    try:
        markers = _Markers.of(item)
        if markers is not None and markers.expectations and control is not None:
            problem = mistake(tuple(markers.expectations))
    except Refusal as refusal:
        problem = str(refusal)
    if problem is not None:
        path, line, _ = item.location
        pytest.fail(f"{path}:{(line or 0) + 1}:\n{problem}", pytrace=False)
    if markers is None:
        return
    if control is None:
        if os.environ.get("LINKCOND_REQUIRED") != "1":
            pytest.skip(_UNAVAILABLE)
    elif markers.expectations:
        # Before the fixtures, which may connect. The test itself tells why it cannot be observed.
        with suppress(Refusal):
            control.observe()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Runs the test function under its conditions. Fixtures are made before, under those of the sandbox."""
    markers = _Markers.of(item)
    if markers is None:
        yield
        return
    body = item.runtest
    # The function itself is replaced, so that a verdict is reported as its failure.
    setattr(item, "runtest", lambda: _run(body, markers))
    try:
        yield
    finally:
        delattr(item, "runtest")


def _run(body: Callable[[], None], markers: _Markers) -> None:
    __tracebackhide__ = True
    control = _control()
    problem: Optional[str] = None
    notes: Sequence[str] = []
    verdicts: Sequence[Verdict] = []
    try:
        with turn(control.turn):
            # A test that was killed may have left its scenario playing. That of the run stays.
            with suppress(Refusal):
                control.end_scenario()
            if markers.expectations:
                control.observe()
            since = boot_time()
            with _conditioned(control, markers):
                body()
                # Before the verdicts: expectations may refer to steps that never began.
                notes = control.end_scenario() if markers.scenario else []
                verdicts = judge(markers.expectations, since) if markers.expectations else []
    except Refusal as refusal:
        problem = str(refusal)
    # Not while the refusal is handled, or pytest would print both.
    if problem is not None:
        pytest.fail(problem, pytrace=False)
    failed = [str(each) for each in verdicts if each.verdict == "fail"]
    unsure = [str(each) for each in verdicts if each.verdict in ("inconclusive", "skipped")]
    for text in [*notes, *unsure]:
        warnings.warn(LinkWarning(text), stacklevel=1)
    if failed:
        pytest.fail("\n".join(failed), pytrace=False)


@contextmanager
def _conditioned(control: Control, markers: _Markers) -> Iterator[None]:
    outer = control.conditions()
    if markers.profile is not None:
        control.change(markers.profile)
    if markers.scenario is not None:
        control.play(markers.scenario)
    try:
        yield
    finally:
        if markers.scenario is not None:
            control.end_scenario()
        control.change(outer or {"name": "no conditions"})
