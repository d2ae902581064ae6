# SPDX-License-Identifier: Apache-2.0
# See scripts/check/containers. Arguments: the program, a directory for bundles, options.
import argparse
import importlib.util
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

# The tests' stand-in for Docker's daemon.
STAND_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../Tests/Programs/Scripts/docker-api.py")
specification = importlib.util.spec_from_file_location("engine", STAND_IN)
engine = importlib.util.module_from_spec(specification)
specification.loader.exec_module(engine)

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("work")
parser.add_argument("--starts", type=int, default=300)
parser.add_argument("--slots", type=int, default=20)
parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
options = parser.parse_args()
chance = random.Random(options.seed)
print("seed %d" % options.seed)

# Of labels, and what they mean: the profile, or None where nothing may be done.
KINDS = [({"linkcond.profile": "LTE"}, "LTE"), ({"linkcond.profile": "wi-fi", "linkcond.interface": "eth0"}, "Wi-Fi"),
         ({"linkcond.profile": "Slow Net"}, "Slow Net"), ({}, None), ({"com.example": "3G"}, None),
         ({"linkcond.profile": "LTF"}, None), ({"linkcond.profile": "3G", "linkcond.interface": "eth9"}, None)]
# A container that lives longer than this must have its profile.
PATIENCE = 30
failures = []


def fail(words):
    failures.append(words)
    print("FAILED: " + words, flush=True)


def run(*arguments, check=True):
    return subprocess.run(arguments, check=check, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True).stdout


def processes(wanted):
    found = []
    for each in os.listdir("/proc"):
        try:
            with open("/proc/%s/comm" % each) as file:
                if each.isdigit() and file.read().strip() == wanted:
                    found.append(int(each))
        except OSError:
            pass
    return found


class Container:
    """A container of runc in a network of its own, joined to this one by a veth pair."""
    number = 0
    # How many have been given the process ID of one that has ended, and that the engine still has for running.
    mistakable = 0
    # Of one that has just ended: its process ID; and how many IDs a start takes.
    vacant = None
    span = 30

    def __init__(self, ends=False):
        Container.number += 1
        self.number = Container.number
        self.name = "c%d" % self.number
        self.identity = "%08x" % self.number * 8
        self.labels, self.profile = chance.choice([each for each in KINDS if each[1] or not ends])
        self.conditioned = None
        self.end = None
        # The IDs of processes that have ended come again.
        last = chance.randrange(400, 600)
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", "v%d" % self.number, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        run("ip", "-n", self.name, "link", "set", "eth0", "up")
        bundle = "%s/%s" % (options.work, self.name)
        os.makedirs(bundle)
        kinds = [{"type": each} for each in ("pid", "mount")]
        kinds.append({"type": "network", "path": "/run/netns/" + self.name})
        with open(bundle + "/config.json", "w") as file:
            json.dump({"ociVersion": "1.0.2", "root": {"path": options.work + "/root", "readonly": True},
                       "linux": {"namespaces": kinds, "cgroupsPath": "/docker/" + self.identity},
                       "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"}],
                       "process": {"args": ["/usr/bin/sleep", "10000"], "cwd": "/", "env": [],
                                   "user": {"uid": 0, "gid": 0}}}, file)
        if Container.vacant:
            last = Container.vacant - Container.span + chance.randrange(-2, 3)
            Container.vacant = None
        with open("/proc/sys/kernel/ns_last_pid", "w") as file:
            file.write(str(last))
        subprocess.run(["runc", "--root", options.work + "/runc", "run", "--detach", "--pid-file", bundle + "/pid",
                        "--bundle", bundle, self.name], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(bundle + "/pid") as file:
            self.process = int(file.read())
        if 0 < self.process - last < 100:
            Container.span = self.process - last
        self.start = time.monotonic()
        if any(each["State"]["Pid"] == self.process for each in list(engine.containers.values())):
            Container.mistakable += 1
        engine.hold(self.identity, engine.describe(self.identity, self.name, self.process, self.labels, self.identity))

    def check(self):
        """Compares what is applied in its network with its labels."""
        text = run("ip", "-n", self.name, "-d", "link", "show", check=False)
        found = set(re.findall(r"alias linkcond eth0 .* profile=(.*)$", text, re.M))
        age = time.monotonic() - self.start
        if found - {self.profile}:
            fail("%s (%s) has %s after %.1f s" % (self.name, self.labels, found, age))
        if found and self.conditioned is None:
            self.conditioned = age
        if self.profile and not found and age > PATIENCE:
            fail("%s (%s) has nothing after %.1f s" % (self.name, self.labels, age))
            self.profile = None

    def stop(self, late=False):
        os.kill(self.process, signal.SIGKILL)
        self.end = time.monotonic()
        # The engine does not know it at once, and another process may have the ID by then.
        if late or chance.random() < 0.5:
            threading.Timer(chance.uniform(1, 3) if late else chance.uniform(0, 1), engine.containers.pop, [self.identity, None]).start()
        else:
            engine.containers.pop(self.identity, None)
        run("runc", "--root", options.work + "/runc", "delete", "--force", self.name, check=False)
        # As engines do: the interface goes, the namespace once it is not used.
        run("ip", "link", "delete", "v%d" % self.number, check=False)
        run("ip", "netns", "delete", self.name)


def facts(process):
    """The descriptors, the memory in kB and the threads of a process."""
    with open("/proc/%d/status" % process) as file:
        status = dict(line.split(":", 1) for line in file if ":" in line)
    return (len(os.listdir("/proc/%d/fd" % process)), int(status["VmRSS"].split()[0]), int(status["Threads"]))


def main():
    os.makedirs(options.work + "/root/usr")
    os.makedirs(options.work + "/root/proc")
    run("mount", "--bind", "/usr", options.work + "/root/usr")
    for each in "lib", "lib64", "bin":
        os.symlink("usr/" + each, options.work + "/root/" + each)
    run("ip", "link", "set", "lo", "up")
    links = run("ip", "-o", "link", "show")
    said = open(options.work + "/said", "w+")
    watch = subprocess.Popen([options.program, "containers", "--watch", "--json"], stdin=subprocess.DEVNULL,
                             stdout=said, stderr=said)
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for each in range(2)]
    time.sleep(2)
    before = facts(watch.pid)
    running, ended = [], []
    begin = time.monotonic()
    while Container.number < options.starts or running:
        if watch.poll() is not None:
            fail("the watch has ended with %d" % watch.returncode)
            break
        if Container.number < options.starts and len(running) < options.slots:
            # Some end before anything else can have seen them.
            ends = chance.random() < 0.3
            newest = Container(ends)
            if ends:
                newest.stop(late=True)
                Container.vacant = newest.process
                ended.append(newest)
            else:
                running.append(newest)
            if Container.number % 50 == 0:
                print("%d starts, %.0f s, descriptors, kB and threads of the watch: %s"
                      % (Container.number, time.monotonic() - begin, facts(watch.pid)), flush=True)
        for each in running:
            each.check()
        # Some live long enough for certain; most go at any moment.
        full = len(running) >= options.slots or Container.number >= options.starts
        for each in list(running):
            if full and chance.random() < 0.15:
                each.stop()
                running.remove(each)
                ended.append(each)
    seconds = time.monotonic() - begin
    deadline = time.monotonic() + 60
    while processes("lc-container") and time.monotonic() < deadline:
        time.sleep(0.2)
    left = {each: len(processes(each)) for each in ("lc-container", "lc-guardian", "lc-standby", "lc-pump")}
    if any(left.values()):
        fail("processes are left: %s" % left)
    # What was refused is forgotten with the next list.
    time.sleep(12)
    after = facts(watch.pid)
    if after[0] > before[0] + 1:
        fail("%d descriptors instead of %d" % (after[0], before[0]))
    watch.send_signal(signal.SIGTERM)
    status = watch.wait(60)
    if status != 0:
        fail("the watch ended with %d" % status)
    for each in load:
        each.kill()
    if run("ip", "-o", "link", "show") != links:
        fail("devices are left: " + run("ip", "-br", "link", "show"))
    files = [each for each in os.listdir("/run/linkcond")] if os.path.exists("/run/linkcond") else []
    if files:
        fail("files are left: %s" % files)
    said.seek(0)
    events = [json.loads(line) for line in said if line.startswith("{")]
    count = {}
    for each in events:
        count[each["event"]] = count.get(each["event"], 0) + 1
    for each in events:
        if each["event"] == "note":
            print("note: %s: %s" % (each.get("container"), each["text"]))
    wanted = {each.name: each for each in ended}
    for each in events:
        if each["event"] == "applied" and each["profile"].lower() != (wanted[each["container"]].profile or "").lower():
            fail("applied %s to %s" % (each["profile"], wanted[each["container"]].labels))
    times = [each.conditioned for each in ended if each.conditioned is not None]
    labelled = [each for each in ended if each.profile]
    print("%d starts in %.0f s, %d with a label; %s" % (len(ended), seconds, len(labelled), count))
    print("%d had the process ID of one that the engine took for running" % Container.mistakable)
    if times:
        print("conditioned after %.2f s (median), %.2f s at most" % (statistics.median(times), max(times)))
    print("descriptors %d before, %d after; memory %d kB before, %d kB after; processes left: %d"
          % (before[0], after[0], before[1], after[1], sum(left.values())))
    print("%d failures" % len(failures))
    sys.exit(1 if failures else 0)


engine.serve("/run/docker.sock")
main()
