# SPDX-License-Identifier: Apache-2.0
"""The marker `linkcond`, and the fixture of the same name."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any, Iterator, Optional

import pytest
from _pytest.runner import call_and_report, show_test_item

from . import summary, wider
from .control import Control, Profile, Refusal
from .markers import Markers
from .part import LinkWarning, Part
from .verdicts import mistake, run_time

__all__ = ["Link", "LinkWarning"]


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


_UNAVAILABLE = "no conditioned network; type: linkcond run --offline -- pytest"
_PART = pytest.StashKey[Part]()
# The report of a test's call, which is sent after the verdicts on it. None is kept where another plugin runs the test.
_REPORT = pytest.StashKey[pytest.TestReport]()
# Plugins that run a test again if it fails, and have to see each of its reports.
_RUNNERS = ("rerunfailures", "flaky")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers",
        "linkcond(profile=None, scenario=None, expect=[]): run the test under these conditions, and judge what it did by its packets",
    )


@pytest.fixture(name="linkcond")
def link() -> Link:
    """The link of the running test: `linkcond.mark(name)`, `linkcond.switch(profile)`."""
    control = Control.of_this_sandbox()
    if control is None:
        pytest.fail(_UNAVAILABLE, pytrace=False)
    return Link(control)


@pytest.fixture(autouse=True)
def _linkcond_part(request: pytest.FixtureRequest) -> Iterator[None]:
    # The first fixture of its scope: what wider ones do comes before it, what the others do before its end.
    part = request.node.stash.get(_PART, None)
    if part is None:
        yield
        return
    try:
        with part.held():
            yield
    finally:
        _tell(request.node, part)


def _tell(item: pytest.Item, part: Part) -> None:
    report = item.stash.get(_REPORT, None)
    if report is None:
        part.tell()
        return
    if report.failed and part.explanation:
        report.sections.append(("linkcond", part.explanation))
    call = pytest.CallInfo.from_call(part.tell, "call")
    if call.excinfo is not None:
        judged = item.ihook.pytest_runtest_makereport(item=item, call=call)
        judged.duration = report.duration
        item.stash[_REPORT] = judged


def pytest_runtest_protocol(item: pytest.Item, nextitem: Optional[pytest.Item]) -> Optional[bool]:
    """Runs a test, and reports its call when the verdicts on it are known: after the teardown of its fixtures."""
    runs_again = any(item.config.pluginmanager.hasplugin(name) for name in _RUNNERS)
    if runs_again or item.get_closest_marker("linkcond") is None or Control.of_this_sandbox() is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    _run(item, nextitem)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _run(item: pytest.Item, nextitem: Optional[pytest.Item]) -> None:
    # As pytest's runtestprotocol, which sends the report of the call before the teardown.
    if getattr(item, "_request", None) is False:
        # The test runs again.
        getattr(item, "_initrequest")()
    is_judged = False
    try:
        if call_and_report(item, "setup").passed:
            if item.config.getoption("setupshow", False):
                show_test_item(item)
            if not item.config.getoption("setuponly", False):
                item.stash[_REPORT] = call_and_report(item, "call", log=False)
        if item.session.shouldfail or item.session.shouldstop:
            nextitem = None
        teardown = call_and_report(item, "teardown", log=False, nextitem=nextitem)
        is_judged = True
    finally:
        # A failure even if the teardown was interrupted; what was not judged has not passed.
        report = item.stash.get(_REPORT, None)
        if report is not None:
            del item.stash[_REPORT]
            if is_judged or report.failed:
                item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logreport(report=teardown)
    if hasattr(item, "_request"):
        setattr(item, "_request", False)
        setattr(item, "funcargs", None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test that needs a sandbox, or fails one whose marker is wrong, before its fixtures are made."""
    control, markers = Control.of_this_sandbox(), None
    problem: Optional[str] = None
    try:
        markers = Markers.of(item)
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
        pytest.fail(_UNAVAILABLE, pytrace=False)
    item.stash[_PART] = Part(control, markers, item)
    if markers.expectations:
        # Before the fixtures, which may connect. The test itself tells why it cannot be observed.
        with suppress(Refusal):
            control.observe()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Runs the test function under its conditions. Fixtures are made before, under those of the sandbox."""
    part = item.stash.get(_PART, None)
    if part is None:
        yield
        return
    body = item.runtest

    def run() -> None:
        __tracebackhide__ = True
        if part.is_held:
            return part.run(body)
        # What is no function has no fixtures.
        with part.held():
            part.run(body)
        part.tell()

    # The function itself is replaced: other hooks do not run under its conditions.
    setattr(item, "runtest", run)
    try:
        yield
    finally:
        delattr(item, "runtest")


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef: Any) -> Iterator[None]:
    """Notes which fixtures belong to several tests."""
    begin = run_time()
    yield
    if fixturedef.scope != "function":
        wider.made(fixturedef, begin)


def pytest_fixture_post_finalizer(fixturedef: Any) -> None:
    """Notes which of them are no more."""
    wider.finished(fixturedef)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Notes the verdicts on a test, for the summary."""
    outcome: Any = yield
    part = item.stash.get(_PART, None)
    if part is not None and call.when == "teardown":
        summary.note(outcome.get_result(), part.counts)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints how many tests were judged, and where the report of the run is."""
    lines = summary.lines(terminalreporter.stats)
    if lines:
        terminalreporter.section("linkcond")
    for line in lines:
        terminalreporter.line(line)
