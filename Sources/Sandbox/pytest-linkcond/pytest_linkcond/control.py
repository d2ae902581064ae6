# SPDX-License-Identifier: Apache-2.0
"""The control socket of the sandbox that this process is in: HTTP over a unix socket."""

from __future__ import annotations

import http.client
import json
import os
import socket
from typing import Any, Mapping, Optional, Sequence, Union

#: A profile: its name, or the object that a profile's file holds.
Profile = Union[str, Mapping[str, Any]]
#: A scenario: the object that a scenario's file holds, with names or objects for its profiles.
Scenario = Mapping[str, Any]


class Refusal(Exception):
    """The sandbox cannot do what was asked; the message says why."""


class Control:
    """Asks the supervisor of a sandbox."""

    def __init__(self, path: str) -> None:
        self._path = path

    @classmethod
    def of_this_sandbox(cls) -> Optional[Control]:
        """The sandbox that the environment names; None outside of one."""
        path = os.environ.get("LINKCOND_SOCKET")
        return cls(path) if path else None

    @property
    def turn(self) -> str:
        """The path of the file that a test locks while it uses the link."""
        return os.path.join(os.path.dirname(self._path), "turn")

    def conditions(self) -> Optional[Profile]:
        """The profile that is in effect; None before the first."""
        answer: Optional[Profile] = self._ask("GET", "/v1/conditions")
        return answer

    def change(self, profile: Profile) -> None:
        """Replaces the conditions by those of the profile."""
        self._ask("PUT", "/v1/conditions", profile)

    def mark(self, name: str) -> None:
        """Tells that the client has reached the point."""
        self._ask("POST", "/v1/marks", {"name": name})

    def play(self, scenario: Scenario) -> None:
        """Plays the scenario from now on."""
        self._ask("PUT", "/v1/scenario", scenario)

    def end_scenario(self) -> Sequence[str]:
        """Ends the scenario, and says which steps never began, or failed. The conditions in effect stay."""
        notes: Sequence[str] = self._ask("DELETE", "/v1/scenario")["notes"]
        return notes

    def observe(self) -> None:
        """Has this network observed from now on, if it is not yet."""
        self._ask("POST", "/v1/observation")

    def judge(
        self, expectations: Sequence[str], since: int, scope: Mapping[str, Any], test: str
    ) -> Sequence[Mapping[str, Any]]:
        """The verdicts on a part of the run, from a moment of `run_time()` until now, as `linkcond judge --json` has them.

        The report of the run has them, too, under the name of the test.
        """
        request = {"expectations": list(expectations), "since": since, "scope": scope, "test": test}
        verdicts: Sequence[Mapping[str, Any]] = self._ask("POST", "/v1/judge", request)["expectations"]
        return verdicts

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        content = None if body is None else json.dumps(body)
        connection = _Connection(self._path)
        try:
            connection.request(method, path, content)
            answer = connection.getresponse()
            text = answer.read()
            value = json.loads(text) if text else None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Refusal(f"cannot reach {self._path}: {getattr(error, 'strerror', None) or error}") from None
        finally:
            connection.close()
        if answer.status >= 400:
            raise Refusal(value["error"] if isinstance(value, dict) else f"the supervisor answered {answer.status}")
        return value


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("linkcond")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)
