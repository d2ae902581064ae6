# SPDX-License-Identifier: Apache-2.0
"""One line a check, and the sum."""
import contextlib
import time
import traceback


class Checks:
    def __init__(self):
        self.passed = self.failed = 0
        self.start = time.monotonic()

    def check(self, what, is_right, details="", wrong=""):
        """`details` are said in any case, `wrong` only of a failure."""
        self.passed, self.failed = self.passed + bool(is_right), self.failed + (not is_right)
        words = f"{(not is_right and wrong) or details or ''}"[:1500]
        print(f"ok {what}{words and f' ({words})'}" if is_right else f"FAILED {what}: {words}", flush=True)
        return is_right

    @contextlib.contextmanager
    def part(self, name):
        """Steps that need each other: the first that cannot be done ends them, and is a failure."""
        try:
            yield
        except Exception as error:  # A browser that ends, a page without a button: all fail the part, none the suite.
            place = traceback.extract_tb(error.__traceback__)[1:2]
            where = "".join(f", line {each.lineno}: {each.line}" for each in place)
            self.check(name, False, f"{type(error).__name__}: {error}{where}")

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
