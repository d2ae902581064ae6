# SPDX-License-Identifier: Apache-2.0
"""The turn of a test at the link that all tests of a sandbox share, those of other processes among them."""

from __future__ import annotations

import errno
import socket
import time
from contextlib import contextmanager
from typing import Iterator

# An abstract name (unix(7)) belongs to the network, and the kernel frees it with its holder. Tests in Swift use it, too.
_NAME = b"\0linkcond-link-turn"


@contextmanager
def turn() -> Iterator[None]:
    """Waits until no other test uses the link, and has others wait until the end of the block."""
    holder = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        while True:
            try:
                holder.bind(_NAME)
                break
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                time.sleep(0.005)
        yield
    finally:
        holder.close()
