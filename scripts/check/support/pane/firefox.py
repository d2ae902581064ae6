# SPDX-License-Identifier: Apache-2.0
"""Debian's Firefox without a screen, by WebDriver BiDi, its own protocol."""
import base64
import itertools
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

import websocket

from browser import Browser

# What Firefox would ask its vendor for.
PREFERENCES = {
    "app.update.enabled": False, "app.normandy.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "browser.shell.checkDefaultBrowser": False, "toolkit.telemetry.reportingpolicy.firstRun": False,
    "services.settings.server": "", "browser.safebrowsing.downloads.remote.url": "", "remote.active-protocols": 1,
    "browser.startup.page": 0, "focusmanager.testmode": True, "browser.aboutwelcome.enabled": False,
    "extensions.getAddons.cache.enabled": False,
}
KEYS = {"Enter": "\ue006", "Escape": "\ue00c", "Tab": "\ue004", "ArrowDown": "\ue015", "ArrowUp": "\ue013", 
        "Home": "\ue011", "End": "\ue010", "Backspace": "\ue003"}
SHIFT, CONTROL = "\ue008", "\ue009"


class Firefox:
    def __init__(self, log):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        (pathlib.Path(self.profile.name) / "user.js").write_text("\n".join(lines))
        environment = {**os.environ, "HOME": self.profile.name, "MOZ_CRASHREPORTER_DISABLE": "1"}
        output = pathlib.Path(self.profile.name) / "output"
        # Firefox says on standard error where it listens.
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--profile", self.profile.name, "--remote-debugging-port=0"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=output.open("wb"), env=environment, start_new_session=True)
        end = time.monotonic() + 60
        while not (found := re.search(r"WebDriver BiDi listening on (ws://\S+)", output.read_text(errors="replace"))):
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("Firefox has not started: " + output.read_text(errors="replace")[-2000:])
            time.sleep(0.1)
        self.socket = websocket.create_connection(found[1] + "/session", timeout=60, suppress_origin=True)
        self.numbers, self.tabs = itertools.count(1), {}
        wanted = {"alwaysMatch": {"unhandledPromptBehavior": {"default": "accept"}}}
        session = self.call("session.new", capabilities=wanted)
        self.version = "Firefox " + session["capabilities"]["browserVersion"]
        events = ["log.entryAdded", "network.beforeRequestSent", "browsingContext.userPromptOpened"]
        self.call("session.subscribe", events=events)

    def receive(self, limit):
        self.socket.settimeout(max(limit, 0.001))
        try:
            message = json.loads(self.socket.recv())
        except websocket.WebSocketTimeoutException:
            return None
        if message.get("type") == "event":
            params = message["params"]
            context = params.get("context") or params.get("source", {}).get("context")
            if context in self.tabs:
                self.tabs[context].event(message["method"], params)
        return message

    def call(self, method, limit=60, **params):
        number = next(self.numbers)
        self.socket.settimeout(limit)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        end = time.monotonic() + limit
        while time.monotonic() < end:
            message = self.receive(end - time.monotonic())
            if message and message.get("id") == number:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['error']}: {message['message']}")
                return message["result"]
        raise TimeoutError(f"{method}: no answer within {limit} s")

    def tab(self):
        user = self.call("browser.createUserContext")["userContext"]
        return Tab(self, self.call("browsingContext.create", type="tab", userContext=user)["context"])

    def close(self):
        try:
            self.call("browser.close", limit=5)
            self.process.wait(10)
        except (TimeoutError, OSError, websocket.WebSocketException, subprocess.TimeoutExpired):
            self.process.kill()
        self.process.wait()
        self.profile.cleanup()


class Tab(Browser):
    def __init__(self, firefox, context):
        super().__init__("Firefox")
        self.firefox, self.context = firefox, context
        firefox.tabs[context] = self
        firefox.call("script.addPreloadScript", functionDeclaration=f"() => {{ {self.ROLES} }}", contexts=[context])

    def event(self, method, params):
        if method == "log.entryAdded":
            self.messages.append(f"{params['level']}: {params['text']}")
        elif method == "network.beforeRequestSent":
            self.requests.append(params["request"]["url"])
        elif method == "browsingContext.userPromptOpened":
            self.dialogs.append(params["message"])

    def pause(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.firefox.receive(left)

    def open(self, address):
        self.firefox.call("browsingContext.navigate", context=self.context, url=address, wait="complete")
        # Else the focus may be in the field of the address: keys reach the page, and activate no button.
        self.firefox.call("browsingContext.activate", context=self.context)
        self.until("document.hasFocus()", 10, "the focus in the page")

    def evaluate(self, expression):
        # As JSON: BiDi's own form of values is another one for each type.
        answer = self.firefox.call(
            "script.evaluate", target={"context": self.context}, awaitPromise=True,
            expression=f"(async () => JSON.stringify([await ({expression})]))()")
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])[0]

    def act(self, kind, actions, **words):
        source = {"type": kind, "id": kind, "actions": actions, **words}
        self.firefox.call("input.performActions", context=self.context, actions=[source])

    def click_at(self, x, y):
        self.act("pointer", [{"type": "pointerMove", "x": round(x), "y": round(y)},
                             {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

    def press(self, key, shift=False, control=False):
        held = [SHIFT] * shift + [CONTROL] * control
        keys = [*held, KEYS.get(key, key)]
        self.act("key", [{"type": "keyDown", "value": each} for each in keys]
                 + [{"type": "keyUp", "value": each} for each in reversed(keys)])

    def insert(self, text):
        self.act("key", [{"type": kind, "value": each} for each in text for kind in ("keyDown", "keyUp")])

    def resize(self, width, height):
        size = {"width": width, "height": height}
        self.firefox.call("browsingContext.setViewport", context=self.context, viewport=size)

    def picture(self, path):
        data = self.firefox.call("browsingContext.captureScreenshot", context=self.context, origin="document")["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self):
        self.firefox.tabs.pop(self.context)
        self.firefox.call("browsingContext.close", context=self.context)
