# SPDX-License-Identifier: Apache-2.0
"""Network conditions of a test, and a verdict on what it did: for pytest, inside of `linkcond run`."""

from .control import Profile, Refusal
from .plugin import Link, LinkWarning

__all__ = ["Link", "LinkWarning", "Profile", "Refusal"]
