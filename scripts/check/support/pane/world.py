# SPDX-License-Identifier: Apache-2.0
"""A network namespace with an interface to condition, a far host to ping, and the program under test."""
import os
import re
import selectors
import signal
import statistics
import subprocess
import threading
import time


def run(*words, limit=60, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit, **options)


def must(*words, **options):
    done = run(*words, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: status {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


class World:
    """This process is in a namespace of its own; the far host is a second one at the other end of near0."""
    INTERFACE, NEAR, FAR = "near0", "192.0.2.1", "192.0.2.2"

    def __init__(self, program, work):
        self.program, self.work = program, work
        home = work / "home"
        home.mkdir()
        self.environment = {**os.environ, "HOME": str(home), "LINKCOND_STATE_DIR": "/run/linkcond"}
        for name in ("XDG_CONFIG_HOME", "SUDO_USER"):
            self.environment.pop(name, None)
        self.far = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        end = time.monotonic() + 5
        while os.readlink(f"/proc/{self.far.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            if time.monotonic() > end:
                raise RuntimeError("no second namespace")
            time.sleep(0.01)
        must("ip", "link", "set", "lo", "up")
        must("ip", "link", "add", self.INTERFACE, "type", "veth", "peer", "name", "far0", "netns", str(self.far.pid))
        # When an address comes later, Chromium gives up what it has asked for: ERR_NETWORK_CHANGED.
        must("ip", "link", "set", self.INTERFACE, "addrgenmode", "none")
        must("ip", "address", "add", f"{self.NEAR}/24", "dev", self.INTERFACE)
        must("ip", "link", "set", self.INTERFACE, "up")
        for words in ("link set far0 addrgenmode none", f"address add {self.FAR}/24 dev far0", "link set far0 up",
                      "link set lo up"):
            must("nsenter", "-t", str(self.far.pid), "-n", "ip", *words.split())
        self.panes = []

    def linkcond(self, *words, limit=60):
        return must(self.program, *words, env=self.environment, limit=limit)

    def pane(self, *words):
        pane = Pane([self.program, "pane", *words], self.environment, self.work)
        self.panes.append(pane)
        return pane

    def at_far(self, *words):
        """A server at the far host, once it has printed a line."""
        server = subprocess.Popen(["nsenter", "-t", str(self.far.pid), "-n", *words], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE)
        if not server.stdout.readline():
            raise RuntimeError(f"a server has ended with status {server.wait()}")
        return server

    def ping(self, count=5):
        """The median round trip in ms, and the share that was lost."""
        text = run("ping", "-n", "-c", str(count), "-i", "0.2", "-W", "3", self.FAR).stdout
        times = [float(each) for each in re.findall(r"time=([0-9.]+) ms", text)]
        return (statistics.median(times) if times else None), 1 - len(times) / count

    def close(self):
        for pane in self.panes:
            pane.kill()
        run(self.program, "reset", "--now", env=self.environment)
        self.far.kill()
        self.far.wait()


class Pane:
    """A running `linkcond pane`, or a run that shows one: what prints the page's address."""

    def __init__(self, words, environment, work):
        self.log = open(work / f"pane-{time.monotonic_ns()}.log", "wb")
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        start, self.said = time.monotonic(), ""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while not (found := re.search(r"http://[\w.:[\]]+:(\d+)/[\w?=&%./-]*(?=\W)", self.said)):
                if not selector.select(max(0, start + 20 - time.monotonic())):
                    raise RuntimeError(f"{' '.join(words)}: no address within 20 s: {self.said}")
                more = os.read(self.process.stdout.fileno(), 65536)
                if not more:
                    raise RuntimeError(f"{' '.join(words)}: status {self.process.wait()}: {self.said.strip()}")
                self.said += more.decode(errors="replace")
        self.address, self.port = found[0], int(found[1])
        self.origin = f"http://127.0.0.1:{self.port}"
        # What it says later must not block it.
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self):
        while more := os.read(self.process.stdout.fileno(), 65536):
            self.log.write(more)
            self.log.flush()

    def processor_time(self):
        """Seconds of the processor that the process has used."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            words = file.read().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def signal(self, number):
        os.killpg(self.process.pid, number)

    def kill(self):
        if self.process.poll() is None:
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.signal(signal.SIGKILL)
                self.process.wait()


class Lateness:
    """How late this machine wakes a process that sleeps: what it adds to any time that is measured on it."""

    def __enter__(self):
        self.most, self.ended = 0.0, threading.Event()
        self.thread = threading.Thread(target=self.measure, daemon=True)
        self.thread.start()
        return self

    def measure(self):
        while not self.ended.is_set():
            start = time.monotonic()
            time.sleep(0.01)
            self.most = max(self.most, time.monotonic() - start - 0.01)

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
