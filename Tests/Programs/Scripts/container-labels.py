# SPDX-License-Identifier: Apache-2.0
# What ContainerTests.swift does with the labels of containers, one function a test.


class Watch:
    """A `containers --watch` with what it says."""
    def __init__(self, *options):
        self.process = subprocess.Popen([PROGRAM, "containers", "--watch"] + list(options), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.text = ""
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.text += line

    def says(self, words, limit=HANG):
        until(lambda: words in self.text, "\"%s\"; it said: %s" % (words, self.text), limit)

    def end(self, number=15):
        self.process.send_signal(number)
        status = self.process.wait(HANG)
        # Its first thread may not have read all.
        time.sleep(0.2)
        return status


def start(name, identity, network="near", **labels):
    """A container that starts: its process, and then what the engine says of it."""
    process = subprocess.Popen(["ip", "netns", "exec", network, "sleep", "1000"])
    until(lambda: read("/proc/%d/comm" % process.pid) == b"sleep\n", "a container's process")
    contain(name, identity, process.pid, **labels)
    return process


def stop(name, process):
    process.kill()
    process.wait()
    containers.pop(name)


def followsLabels():
    serve()
    first = start("web", "5ca1ab1e", profile="LTE")
    plain = start("plain", "d00dfeed", network="far")
    watch = Watch()
    watch.says("web: near0 has \"LTE\"")
    expect(min(times()) >= 115, "the packets are not conditioned")
    stop("web", first)
    clean("the end of the container", 60)
    watch.says("web: conditions removed")
    # The link of those who talk to it: what the container sends is the profile's downlink.
    first = start("web", "5ca1ab1e", profile="Black Hole", facing="peer")
    watch.says("web: near0 has \"Black Hole\", facing the peer")
    expect(times() == [], "packets of the container arrive")
    stop("web", first)
    clean("the end of the container", 60)
    # The same name and ID again, with another process.
    first = start("web", "5ca1ab1e", profile="lte", interface="near0")
    until(lambda: watch.text.count("has \"LTE\"") + watch.text.count("has \"lte\"") == 2, "the second start: " + watch.text)
    expect(min(times()) >= 115, "the packets are not conditioned")
    expect(watch.end() == 0, watch.text)
    expect(watch.text.count("web: conditions removed") == 3, watch.text)
    clean("SIGTERM", 60)
    expect(not named("lc-container"), "a process is left")
    expect("plain" not in watch.text, watch.text)


def removesThemWhicheverProcessIsKilled(victim):
    serve()
    start("web", "5ca1ab1e", profile="LTE")
    watch = Watch("--json")
    watch.says('"event": "applied"')
    expect(min(times()) >= 115, "the packets are not conditioned")
    os.kill(watch.process.pid if victim == "linkcond" else only(victim), 9)
    clean("the end of " + victim, 60)
    if victim != "linkcond":
        watch.says('"event": "note"')
        expect(watch.end() == 0, watch.text)
    until(lambda: not named("lc-container"), "the end of its processes")
    for line in watch.text.splitlines():
        expect("event" in json.loads(line), line)


def saysWhichLabelsAreWrong():
    global streams
    streams = False
    serve()
    watch = Watch()
    for number, (labels, words) in enumerate([
            ({"profile": "LTF"}, "LTE"), ({"profil": "LTE"}, "there is no label linkcond.profil"),
            ({"profile": "/etc/shadow"}, "not the name of a profile"), ({"profile": "-"}, "not the name of a profile"),
            ({"profile": "own.json"}, "not the name of a profile"), ({"profile": ""}, "not the name of a profile"),
            ({"interface": "near0"}, "needs linkcond.profile"),
            ({"profile": "LTE", "interface": "near9"}, "near9")]):
        name = "wrong%d" % number
        process = start(name, "0bad000%d" % number, **labels)
        watch.says("linkcond: %s: " % name)
        watch.says(words)
        time.sleep(1.5)
        expect(watch.text.count("linkcond: %s: " % name) <= 2, "said again: " + watch.text)
        expect(dump() == before, "something has changed")
        stop(name, process)
    contain("host", "ba5eba11", HERE.pid, "host", profile="LTE")
    watch.says("host: container host uses this machine's network")
    first = start("web", "5ca1ab1e", profile="LTE")
    watch.says("web: near0 has \"LTE\"")
    start("twin", "5ca1ab1f", profile="3G")
    watch.says("twin: it uses the network of container web")
    stop("web", first)
    clean("the end of the container", 60)
    # What a user has applied stays.
    outside(["apply", "Wi-Fi", "-i", "near0", "--container", "twin"])
    start("late", "1a7e0000", profile="LTE")
    watch.says("late: near0 already has \"Wi-Fi\"")
    watch.says("linkcond reset -i near0 --container late")
    expect(watch.end(2) == 0, watch.text)
    expect("near0: Wi-Fi" in outside(["status", "--container", "twin"])[1], "it is gone")
    outside(["reset", "--container", "twin"])
    clean("reset")


def waitsForAnEngineThatComesBack():
    serve()
    watch = Watch()
    watch.says("watching docker")
    os.rename("/run/docker.sock", "/run/away.sock")
    watch.says("docker: cannot reach /run/docker.sock", 30)
    os.rename("/run/away.sock", "/run/docker.sock")
    watch.says("docker at /run/docker.sock answers again", 30)
    start("web", "5ca1ab1e", profile="LTE")
    watch.says("web: near0 has")
    expect(watch.end() == 0, watch.text)
    clean("SIGTERM", 60)
