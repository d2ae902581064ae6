# SPDX-License-Identifier: Apache-2.0
"""What belongs to several tests: fixtures of a class, a module, a package or the session."""

from __future__ import annotations

import asyncio
import gc
import os
import selectors
import socket
import types
from contextlib import suppress
from typing import Any, Dict, List, Sequence, Tuple

from .verdicts import run_time

# The fixtures that are made, and when some were made while a test had its turn.
_made: Dict[int, Any] = {}
_times: List[Tuple[int, int]] = []

# Objects that refer to the whole program: what they refer to does not belong to the fixture. An event loop knows the
# sockets of every test.
_OPEN = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.FrameType,
    types.CodeType,
    types.GeneratorType,
    types.CoroutineType,
    asyncio.AbstractEventLoop,
    selectors.BaseSelector,
)
_FOREIGN = ("_pytest", "pytest", "pluggy", "pytest_linkcond", "xdist", "execnet")
_MOST = 200_000


def made(fixture: Any, begin: int) -> None:
    """Notes that a fixture was made, since `begin`."""
    _made[id(fixture)] = fixture
    _times.append((begin, run_time()))


def finished(fixture: Any) -> None:
    """Notes that a fixture is no more."""
    _made.pop(id(fixture), None)


def forget_times() -> None:
    """Forgets when fixtures were made: a test begins."""
    _times.clear()


def times() -> Sequence[Tuple[int, int]]:
    """When fixtures were made since the test began."""
    return list(_times)


def sockets() -> List[int]:
    """The inodes of the connected sockets that these fixtures hold."""
    results = [getattr(fixture, "cached_result", None) for fixture in _made.values()]
    rest: List[Any] = [result[0] for result in results if result is not None]
    seen = {id(one) for one in rest}
    found: List[int] = []
    while rest and len(seen) < _MOST:
        one = rest.pop()
        # Not isinstance: mocks and proxies claim to be what they are not.
        kind = type(one)
        if issubclass(kind, _OPEN) or str(kind.__module__).partition(".")[0] in _FOREIGN:
            continue
        if issubclass(kind, socket.socket) and one.fileno() >= 0:
            # It may be closed meanwhile.
            with suppress(OSError):
                found.append(os.fstat(one.fileno()).st_ino)
        for other in gc.get_referents(one):
            if id(other) not in seen:
                seen.add(id(other))
                rest.append(other)
    return found
