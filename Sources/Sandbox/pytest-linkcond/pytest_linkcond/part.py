# SPDX-License-Identifier: Apache-2.0
"""The part of the run that is one test's: its turn at the link, its conditions, and the verdicts on it."""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Callable, Dict, Iterator, List, NoReturn, Optional, Sequence

import pytest

from . import wider
from .control import Control, Refusal
from .markers import Markers
from .turn import turn
from .verdicts import Scope, Verdict, judge, run_time


class LinkWarning(UserWarning):
    """A verdict that is inconclusive."""


class Part:
    """One test: the set-up of its own fixtures, its function, and the teardown of these fixtures."""

    def __init__(self, control: Control, markers: Markers, item: pytest.Item) -> None:
        self._control = control
        self._markers = markers
        self._name = item.nodeid
        self._location = item.location
        self._since = self._begin = 0
        #: When the test function ended; None if it has not, or was skipped.
        self._until: Optional[int] = None
        self._has_failed = False
        self._notes: Sequence[str] = []
        self._verdicts: Sequence[Verdict] = []
        self._problem: Optional[str] = None
        #: Whether it has its turn.
        self.is_held = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """Has the turn at the link, and judges the test at the end. Nothing is raised: see `tell`."""
        with _first_refusal(self), turn(self._control.turn):
            # A test that was killed may have left its scenario playing. That of the run stays.
            with suppress(Refusal):
                self._control.end_scenario()
            # Children that outlive their parents are told from those of other workers.
            os.environ["LINKCOND_WORKER"] = str(os.getpid())
            self._since = run_time()
            wider.forget_times()
            self.is_held = True
            try:
                yield
            finally:
                self.is_held = False
            if self._until is not None and self._markers.expectations:
                self._judge(Scope(self._since, self._begin, self._until, wider.times(), test=self._name))
        if not self._since:
            # The test itself tells that there is no turn.
            yield

    def run(self, body: Callable[[], None]) -> None:
        """Runs the test function under its conditions."""
        __tracebackhide__ = True
        if self._problem is None:
            with _first_refusal(self):
                if self._markers.expectations:
                    self._control.observe()
                self._begin = run_time()
                with self._conditioned():
                    self._call(body)
                    # Before the verdicts: expectations may refer to steps that never began.
                    self._notes = self._control.end_scenario() if self._markers.scenario else []
                self._until = run_time()
        if self._problem is not None:
            _fail(self._problem)

    def _call(self, body: Callable[[], None]) -> None:
        # A bad link fails assertions, too: the verdicts often say why.
        __tracebackhide__ = True
        try:
            body()
        except Refusal:
            raise
        except (Exception, pytest.fail.Exception):
            (self._has_failed, self._until) = (True, run_time())
            raise

    @property
    def explanation(self) -> str:
        """The verdicts on a test that has failed itself, but for those that it has passed; empty if there are none."""
        if not self._has_failed:
            return ""
        return "\n".join(str(each) for each in self._verdicts if each.verdict != "pass")

    @property
    def counts(self) -> Optional[Dict[str, int]]:
        """How many verdicts of each kind there are; None if the test function has not run."""
        if self._until is None:
            return None
        verdicts = [each.verdict for each in self._verdicts]
        return {verdict: verdicts.count(verdict) for verdict in verdicts}

    def tell(self) -> None:
        """Warns of what is inconclusive, and fails for what was not as expected, unless the test has failed itself."""
        if self._until is None or self._has_failed:
            return
        if self._problem is not None:
            _fail(self._problem)
        unsure = [str(each) for each in self._verdicts if each.verdict in ("inconclusive", "skipped")]
        path, line, _ = self._location
        for text in [*self._notes, *unsure]:
            warnings.warn_explicit(LinkWarning(text), None, path, (line or 0) + 1)
        failed: List[str] = [str(each) for each in self._verdicts if each.verdict == "fail"]
        if failed:
            worker = os.environ.get("PYTEST_XDIST_WORKER")
            failed += [f"worker: {worker} (process {os.getpid()})"] if worker else []
            _fail("\n".join(failed))

    def _judge(self, scope: Scope) -> None:
        # Kept before the search, which looks at objects of others.
        self._verdicts = verdicts = judge(self._control, self._markers.expectations, scope)
        left = [each.expectation for each in verdicts if each.verdict == "fail" and each.is_about_open_connections]
        sockets = wider.sockets() if left else []
        if sockets:
            # A pool of the session opens connections when tests need them, and keeps them.
            others = iter(judge(self._control, left, replace(scope, shared_sockets=sockets)))
            self._verdicts = [next(others) if each.expectation in left else each for each in verdicts]

    @contextmanager
    def _conditioned(self) -> Iterator[None]:
        outer = self._control.conditions()
        if self._markers.profile is not None:
            self._control.change(self._markers.profile)
        if self._markers.scenario is not None:
            self._control.play(self._markers.scenario)
        try:
            yield
        finally:
            if self._markers.scenario is not None:
                self._control.end_scenario()
            self._control.change(outer or {"name": "no conditions"})

    def refuse(self, problem: str) -> None:
        """Notes why the test cannot be run or judged."""
        self._problem = self._problem or problem


def _fail(text: str) -> NoReturn:
    # In frames that are not hidden: below a failure that has none, pytest prints how to see the hidden ones.
    pytest.fail(text, pytrace=False)


@contextmanager
def _first_refusal(part: Part) -> Iterator[None]:
    try:
        yield
    except Refusal as refusal:
        # Not raised while it is handled, or pytest would print both.
        part.refuse(str(refusal))
