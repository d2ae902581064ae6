# SPDX-License-Identifier: Apache-2.0
"""A user of the page: by mouse, or by the keyboard alone. The names of its fields are here."""
import json
import time

from browser import FIELDS, Missing

SEARCH, WHERE, COMMAND = "Search profiles", "Where", "Command line"
COMBO = ["combobox"]


class User:
    def __init__(self, tab, keyboard=False):
        self.tab, self.keyboard = tab, keyboard
        self.name = f"{tab.name}, {'keyboard' if keyboard else 'mouse'}"

    def go(self, roles, name):
        """Brings the focus there."""
        self.tab.tab_to(roles, name) if self.keyboard else self.tab.click(roles, name)

    def fill(self, name, text):
        node = self.tab.there(FIELDS, name)
        self.go(FIELDS, name)
        self.tab.press("a", control=True)
        self.tab.press("Backspace")
        self.tab.insert(text)
        self.tab.until(f"{node}.value === {json.dumps(text)}", 5, f"'{text}' in the field '{name}'")

    def do(self, name):
        """Uses a button."""
        if not self.keyboard:
            return self.tab.click("button", name)
        self.tab.tab_to("button", name)
        self.tab.press("Enter")

    def choose(self, profile):
        """Finds a profile by typing, and takes it."""
        chosen = f"{self.tab.found('option', profile)}?.getAttribute('aria-selected') === 'true'"
        self.fill(SEARCH, profile)
        option = self.tab.there("option", profile)
        if self.keyboard:
            for key in ["ArrowUp"] * 20 + ["ArrowDown"] * 20:
                if self.tab.evaluate(chosen):
                    break
                self.tab.press(key)
                self.tab.pause(0.05)
        else:
            point = self.tab.evaluate(f"suite.point({option})")
            self.tab.click_at(point["x"], point["y"])
        self.tab.until(chosen, 5, f"{profile} chosen")

    def place(self, interface):
        """Takes an interface by its first letters: a list that a mouse opens is the system's, not the page's."""
        node = self.tab.there(COMBO, WHERE)
        start = json.dumps(interface)
        self.tab.until(f"[...{node}.options].some((each) => each.label.startsWith({start}))", 10, interface)
        self.tab.tab_to(COMBO, WHERE) if self.keyboard else self.tab.evaluate(f"void {node}.focus()")
        for letter in interface:
            self.tab.press(letter)
        self.tab.until(f"{node}.selectedOptions[0]?.label.startsWith({start})", 5, f"{interface} chosen")

    def apply(self):
        """Enter in a field applies, and so does the button."""
        if self.keyboard:
            self.tab.tab_to(FIELDS, "Time limit")
            self.tab.press("Enter")
        else:
            self.tab.click("button", "Apply")

    def drop(self):
        self.tab.press("Escape") if self.keyboard else self.tab.click("button", "Drop")

    def switch(self, name):
        """Off or On: one click, or one key outside of fields."""
        self.tab.there("button", name)
        if self.keyboard:
            self.tab.evaluate("void document.activeElement?.blur()")
            self.tab.press("o")
        else:
            self.tab.click("button", name)

    def command(self, *words, limit=5):
        """The command line of the page, once it has these words, in any case; a space may be a hyphen."""
        node = self.tab.there(["code", "group", "textbox", "region"], COMMAND)
        plain = f"{node}.textContent.toLowerCase().replaceAll('-', ' ')"
        tests = "".join(f" && {plain}.includes({json.dumps(each.lower())})" for each in words)
        found = f"{node}.textContent{tests} ? {node}.textContent : ''"
        return self.tab.until(found, limit, f"{words} in the command line")

    def until_on(self, profile, limit=10):
        self.tab.until(shows(profile), limit, f"{profile} on, in the top bar and the title")

    def until_suspended(self, limit=10):
        self.tab.until(SUSPENDED, limit, "suspended, in the top bar")

    def until_off(self, limit=10):
        self.tab.until(OFF, limit, "nothing on, in the top bar")

    def unapplied(self, limit=5):
        self.tab.until("document.body.innerText.toLowerCase().includes('unapplied')", limit, "unapplied changes")

    def complaint(self, name, text, limit=5):
        """The message at a field, once it is about this text: what stood there while one typed was wrong, too."""
        node = self.tab.there(FIELDS, name)
        found = f"suite.complaint({node})"
        return self.tab.until(f"{node}.getAttribute('aria-invalid') === 'true' && {found}.includes({json.dumps(text)})"
                              f" && {found}", limit, f"a message about '{text}' at '{name}'")

    def value(self, name):
        return self.tab.evaluate(f"{self.tab.there(FIELDS, name)}.value")

    def observe(self, test):
        """Has the page note when the test is true; `observed` waits for that."""
        self.tab.evaluate(f"void (suite.at = suite.watch(() => {test}))")

    def observed(self, limit=10):
        start = time.time()
        found = self.tab.evaluate(
            f"Promise.race([suite.at, new Promise((done) => setTimeout(() => done(null), {limit * 1000}))])")
        if found is None:
            raise Missing(f"the page has not changed within {time.time() - start:.1f} s")
        return found


BAR = "(suite.find(['banner'], '')?.innerText ?? '')"
SUSPENDED = f"{BAR}.includes('suspended')"
OFF = f"{BAR}.includes('No conditions')"


def shows(profile):
    """An expression: the profile is on, in the top bar and in the tab's title."""
    name = json.dumps(profile)
    return f"({BAR}.includes({name}) && !{SUSPENDED} && document.title.includes({name}))"
