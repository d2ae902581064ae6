# SPDX-License-Identifier: Apache-2.0
"""Serves a page, has a browser load it, and compares its own times with the arithmetic of Slow Net: load.py BROWSER TIMES

The page tells its server when it was there. The server knows the bytes of request and answer. A page before it, on another
connection, leads there: a browser's first is late, as the browser itself still loads."""
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

DELAY = 100  # of Slow Net, each way, in ms
RATE = 32  # kbit/s
# Of a segment: Ethernet, IPv4, TCP with timestamps; a SYN has 8 bytes more of options. On loopback all of a page is one flight.
HEADERS, SYN, SEGMENT = 14 + 20 + 32, 14 + 20 + 40, 1448

PAGE = b"""<!doctype html><title>page</title><p>%s</p><script>
addEventListener("DOMContentLoaded", () => {
    const entry = performance.getEntriesByType("navigation")[0];
    const times = {connect: entry.connectEnd - entry.connectStart, request: entry.requestStart,
        there: entry.domContentLoadedEventStart};
    setTimeout(() => fetch("/times", {method: "POST", body: JSON.stringify(times)}));
});
</script>""" % (b"word " * 800)

# Not at once: what follows the first page, as its icon, is over by then.
FIRST = b"""<!doctype html><title>first</title><script>setTimeout(() => location = "/page", 2500)</script>"""

WORDS = {
    "chromium": ["chromium", "--headless", "--no-first-run", "--disable-background-networking", "--disable-sync"],
    "firefox": ["firefox-esr", "--headless", "--no-remote"],
}


class Selenium:
    """Chromium by its driver, as the guide starts it."""

    def __init__(self, profile, address):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for each in [*WORDS["chromium"][1:], f"--user-data-dir={profile}", "--remote-debugging-pipe"]:
            options.add_argument(each)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        self.driver = webdriver.Chrome(options, Service("/usr/bin/chromedriver", port=9515))
        self.driver.get(address)

    def terminate(self):
        # What has no conditions takes less than twice the link's delay.
        start = time.monotonic()
        self.driver.execute_script("return 1")
        took = (time.monotonic() - start) * 1000
        self.driver.quit()
        if took > 2 * DELAY:
            sys.exit(f"a command of Selenium has taken {took:.0f} ms")

    def wait(self, limit=None):
        pass


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests, told = [], None

    def do_GET(self):
        if self.path == "/":
            self.close_connection = True
            return self.answer(200, FIRST, b"Connection: close\r\n")
        if self.path != "/page":
            return self.answer(404, b"")
        # A head as it was sent: the line, the fields, and an empty line.
        Site.requests.append(len(self.raw_requestline) + len(bytes(self.headers)))
        Site.page = self.answer(200, PAGE)

    def do_POST(self):
        Site.times = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(200, b"")
        Site.told.set()

    def answer(self, status, body, fields=b""):
        head = b"HTTP/1.1 %d OK\r\nContent-Type: text/html\r\n%sContent-Length: %d\r\n\r\n" % (status, fields, len(body))
        return self.wfile.write(head + body)

    def log_message(self, *words):
        pass


def on_the_wire(size):
    """How long the bytes of a message are on the link's slowest part, in ms."""
    segments = -(-size // SEGMENT)
    return (size + segments * HEADERS) * 8 / RATE


def load(browser, address):
    """The times that the page tells, and those that the link's figures say."""
    Site.told, Site.requests = threading.Event(), []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        words = list(WORDS.get(browser, []))
        words += [f"--user-data-dir={profile}"] if browser == "chromium" else ["--profile", profile]
        # Chromium's own sandbox is not for root.
        words += ["--no-sandbox"] if browser == "chromium" and os.geteuid() == 0 else []
        if browser == "selenium":
            process = Selenium(profile, address)
        else:
            process = subprocess.Popen([*words, address], stdin=subprocess.DEVNULL, stdout=sys.stderr,
                                       start_new_session=True)
        told = Site.told.wait(60)
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if not told:
        sys.exit(f"{browser} has not loaded the page within 60 s")
    # A browser may have opened its connection before.
    handshake = 2 * DELAY + 2 * SYN * 8 / RATE if Site.times["connect"] > 0 else 0
    expected = handshake + 2 * DELAY + on_the_wire(Site.requests[0]) + on_the_wire(Site.page)
    # Between both, a browser that is busy may wait.
    return Site.times["connect"] + Site.times["there"] - Site.times["request"], expected


def main():
    browser, times = sys.argv[1], int(sys.argv[2])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    wrong = 0
    found = []
    for _ in range(times):
        measured, expected = load(browser, f"http://127.0.0.1:{server.server_port}/")
        found.append(measured / expected)
        wrong += abs(measured / expected - 1) > 0.1
    user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
    print(f"{browser} as {user}: the page is there after {measured:.0f} ms, by the link's figures {expected:.0f} ms; "
          f"{times} times {min(found):.3f} to {max(found):.3f} of that, {wrong} outside of 10 %")
    sys.exit(1 if wrong else 0)


main()
