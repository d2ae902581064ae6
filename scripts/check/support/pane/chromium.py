# SPDX-License-Identifier: Apache-2.0
"""Chromium without a screen, by the DevTools protocol over two pipes; needs nothing but Python."""
import base64
import fcntl
import itertools
import json
import os
import select
import subprocess
import tempfile
import time

from browser import Browser

# Chromium asks its vendor for much by itself; these are not the page's requests, and must not leave this machine.
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
         "--disable-default-apps", "--disable-domain-reliability", "--no-default-browser-check", "--mute-audio",
         "--no-proxy-server"]


class Connection:
    """The pipes to the browser: JSON, each message ended by a zero."""

    def __init__(self, words, log):
        reader, self.output = os.pipe()
        self.input, writer = os.pipe()
        # DevTools reads from descriptor 3 and writes to 4.
        inner = [fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in (reader, writer)]
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec 3<&"$0" 4>&"$1"; shift; exec "$@"', *map(str, inner), *words],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=inner, start_new_session=True)
        for each in (reader, writer, *inner):
            os.close(each)
        self.rest, self.numbers, self.results, self.tabs = b"", itertools.count(1), {}, {}
        self.trace, self.traced = [], False

    def receive(self, limit):
        """Hands on what comes within the limit, until there is something."""
        if not select.select([self.input], [], [], max(limit, 0))[0]:
            return
        more = os.read(self.input, 1 << 20)
        if not more:
            raise EOFError("Chromium has ended")
        *messages, self.rest = (self.rest + more).split(b"\0")
        for each in messages:
            message = json.loads(each)
            if "id" in message:
                self.results[message["id"]] = message
            elif message.get("sessionId") in self.tabs:
                self.tabs[message["sessionId"]].event(message["method"], message["params"])
            elif message["method"] == "Tracing.dataCollected":
                self.trace += message["params"]["value"]
            elif message["method"] == "Tracing.tracingComplete":
                self.traced = True

    def call(self, method, session=None, limit=60, **params):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params, **({"sessionId": session} if session else {})}
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        end = time.monotonic() + limit
        while number not in self.results:
            if time.monotonic() > end:
                raise TimeoutError(f"{method}: no answer within {limit} s")
            self.receive(end - time.monotonic())
        answer = self.results.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]


class Chromium:
    """The browser; `tab()` opens a page in a profile of its own, without the others' cookies."""

    def __init__(self, log):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        words = ["chromium", "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
                 "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--enable-precise-memory-info",
                 # A page that is not in front would be slowed down.
                 "--disable-renderer-backgrounding", "--disable-background-timer-throttling",
                 "--disable-backgrounding-occluded-windows", *QUIET]
        words += ["--no-sandbox"] if os.geteuid() == 0 else []
        self.connection = Connection(words, log)
        self.version = self.connection.call("Browser.getVersion")["product"]

    def tab(self):
        context = self.connection.call("Target.createBrowserContext")["browserContextId"]
        target = self.connection.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.connection.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Tab(self.connection, session, context)

    def start_trace(self):
        self.connection.trace, self.connection.traced = [], False
        categories = ["toplevel", "blink.user_timing", "disabled-by-default-devtools.timeline"]
        self.connection.call("Tracing.start", transferMode="ReportEvents",
                             traceConfig={"includedCategories": categories, "excludedCategories": ["*"]})

    def end_trace(self):
        """The events since `start_trace`, in the order of their starts."""
        self.connection.call("Tracing.end")
        while not self.connection.traced:
            self.connection.receive(10)
        return sorted((each for each in self.connection.trace if "ts" in each), key=lambda each: each["ts"])

    def close(self):
        try:
            self.connection.call("Browser.close", limit=5)
            self.connection.process.wait(5)
        except (TimeoutError, EOFError, BrokenPipeError, subprocess.TimeoutExpired):
            self.connection.process.kill()
        self.connection.process.wait()
        self.profile.cleanup()


class Tab(Browser):
    KEYS = {"Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), "Tab": ("Tab", 9, ""), " ": ("Space", 32, " "),
            "ArrowDown": ("ArrowDown", 40, ""), "ArrowUp": ("ArrowUp", 38, ""), "Home": ("Home", 36, ""),
            "End": ("End", 35, ""), "Backspace": ("Backspace", 8, "")}

    def __init__(self, connection, session, context):
        super().__init__("Chromium")
        self.connection, self.session, self.context = connection, session, context
        connection.tabs[session] = self
        for domain in ("Page", "Runtime", "Log", "Network", "Performance"):
            self.call(f"{domain}.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=self.ROLES)

    def call(self, method, **params):
        return self.connection.call(method, self.session, **params)

    def event(self, method, params):
        if method == "Runtime.consoleAPICalled":
            words = [str(each.get("value", each.get("description"))) for each in params["args"]]
            self.messages.append(f"{params['type']}: {' '.join(words)}")
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.messages.append(f"exception: {details.get('exception', {}).get('description', details['text'])}")
        elif method == "Log.entryAdded":
            entry = params["entry"]
            # The browser's own line for each answer that is not a success, and for each request that fails.
            kind = self.refusals if entry["source"] == "network" else self.messages
            kind.append(f"{entry['level']}: {entry['text']} {entry.get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(params["url"])
        elif method == "Page.javascriptDialogOpening":
            self.dialogs.append(params["message"])
            # Not awaited: this is called from within a call.
            os.write(self.connection.output, json.dumps({"id": next(self.connection.numbers), "sessionId": self.session,
                     "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}).encode() + b"\0")

    def pause(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.connection.receive(left)

    def open(self, address):
        if error := self.call("Page.navigate", url=address).get("errorText"):
            raise RuntimeError(f"{address}: {error}")
        self.until("document.readyState === 'complete'", 30)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return answer["result"].get("value")

    def click_at(self, x, y):
        for kind, buttons in (("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)):
            is_button = kind != "mouseMoved"
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if is_button else "none",
                      buttons=buttons, clickCount=int(is_button))

    def press(self, key, shift=False, control=False):
        code, number, text = self.KEYS.get(key, (f"Key{key.upper()}", ord(key[0].upper()), key))
        words = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": 8 * shift + 2 * control}
        if text and not control:
            words["text"] = text
        if control and key == "a":
            words["commands"] = ["selectAll"]
        self.call("Input.dispatchKeyEvent", type="keyDown", **words)
        words.pop("text", None), words.pop("commands", None)
        self.call("Input.dispatchKeyEvent", type="keyUp", **words)

    def insert(self, text):
        self.call("Input.insertText", text=text)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        """Shows light or dark colours, and without transitions: in a part that was out of view, they start with a look."""
        features = {"prefers-color-scheme": name, "prefers-reduced-motion": "reduce"}
        self.call("Emulation.setEmulatedMedia", features=[{"name": each, "value": features[each]} for each in features])

    def picture(self, path):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def downloads(self, folder):
        self.connection.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder),
                             browserContextId=self.context)

    def heap(self):
        """Bytes of JavaScript that are still in use, after a collection."""
        self.call("HeapProfiler.collectGarbage")
        metrics = self.call("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "JSHeapUsedSize")

    def close(self):
        self.connection.tabs.pop(self.session)
        self.connection.call("Target.disposeBrowserContext", browserContextId=self.context)
