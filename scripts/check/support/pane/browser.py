# SPDX-License-Identifier: Apache-2.0
"""What the suite does in each browser: finds by role and name, clicks, types, waits."""
import json
import time
from pathlib import Path

FIELDS = ["textbox", "searchbox", "combobox", "spinbutton"]


class Missing(AssertionError):
    """What a user would look for is not there."""


class Browser:
    ROLES = (Path(__file__).parent / "roles.js").read_text()

    def __init__(self, name):
        self.name = name
        # Of the console; the browser's own lines about answers that are no success; addresses asked for; alerts.
        self.messages, self.refusals, self.requests, self.dialogs = [], [], [], []

    def until(self, expression, limit=10, what=""):
        """The expression's value once it is true; seconds until then are in `waited`."""
        start = time.monotonic()
        while True:
            value = self.evaluate(expression)
            self.waited = time.monotonic() - start
            if value:
                return value
            if self.waited > limit:
                raise Missing(f"{what or expression}: not within {limit} s")
            self.pause(0.02)

    @staticmethod
    def found(roles, name):
        roles = [roles] if isinstance(roles, str) else roles
        return f"suite.find({json.dumps(roles)}, {json.dumps(name)})"

    def there(self, roles, name, limit=10):
        """An expression for the element, once it is there."""
        node = self.found(roles, name)
        self.until(f"Boolean({node})", limit, f"{roles} '{name}'")
        return node

    def is_there(self, roles, name):
        return self.evaluate(f"Boolean({self.found(roles, name)})")

    def click(self, roles, name, limit=10):
        node = self.there(roles, name, limit)
        self.until(f"!{node}.disabled", limit, f"{roles} '{name}' enabled")
        point = self.evaluate(f"suite.point({node})")
        self.click_at(point["x"], point["y"])

    def fill(self, name, text, roles=FIELDS):
        """Replaces a field's text, as a user does: click, select all, type."""
        node = self.there(roles, name)
        if self.evaluate(f"{node}.localName") == "select":
            return self.choose(name, text)
        self.click(roles, name)
        self.press("a", control=True)
        self.insert(text) if text else self.press("Backspace")
        self.until(f"{node}.value === {json.dumps(text)}", 5, f"'{text}' in the field '{name}'")

    def choose(self, name, start):
        """Takes the option of a list that begins so."""
        node = self.there(["combobox"], name)
        done = self.evaluate(f"""(() => {{ const list = {node}, start = {json.dumps(start)};
            const wanted = [...list.options].find((each) => each.label.startsWith(start) || each.value === start);
            if (!wanted) return false;
            list.value = wanted.value;
            list.dispatchEvent(new Event("input", {{bubbles: true}}));
            list.dispatchEvent(new Event("change", {{bubbles: true}}));
            return true; }})()""")
        if not done:
            raise Missing(f"no '{start}' in the list '{name}'")

    def tab_to(self, roles, name, limit=120):
        """Goes there by the Tab key alone, backwards where that is nearer: past the page's end is the browser's own."""
        self.there(roles, name)
        for _ in range(limit):
            way = self.evaluate(f"""(() => {{ const node = {self.found(roles, name)}, now = document.activeElement;
                return node === now ? "there"
                    : now.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING ? "back" : "on"; }})()""")
            if way == "there":
                return
            self.press("Tab", shift=way == "back")
        raise Missing(f"{roles} '{name}' is not reached by {limit} times Tab")

    def text(self, roles="banner", name=""):
        node = self.found(roles, name)
        return self.evaluate(f"({node}?.innerText ?? '').replace(/[\\u2066-\\u2069]/g, '')")

    def title(self):
        return self.evaluate("document.title.replace(/[\\u2066-\\u2069]/g, '')")

    def forget(self):
        for each in (self.messages, self.refusals, self.requests, self.dialogs):
            each.clear()
