# SPDX-License-Identifier: Apache-2.0
"""The turn of a test at the link that all tests of a sandbox share, those of other processes among them."""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import contextmanager
from typing import Iterator

from .control import Refusal

# Keeps the threads of this process from each other, which a lock on the file does not.
_threads = threading.Lock()


def _forget_threads() -> None:
    global _threads
    _threads = threading.Lock()


# Only the thread that forks lives on in the child.
os.register_at_fork(after_in_child=_forget_threads)


@contextmanager
def turn(path: str) -> Iterator[None]:
    """Waits until no other test uses the link, and has others wait until the end of the block.

    The lock on the file belongs to this process alone: children that a test leaves behind do not keep it, whichever way
    they were made, and it ends with the process. Tests in Swift lock the same file.
    """
    with _threads:
        try:
            file = open(path, "wb")
        except OSError as error:
            raise Refusal(f"cannot open {path}: {error.strerror}") from None
        with file:
            fcntl.lockf(file, fcntl.LOCK_EX)
            yield
