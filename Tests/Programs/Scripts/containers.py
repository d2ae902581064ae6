# SPDX-License-Identifier: Apache-2.0
# What ContainerTests.swift does with containers by their names, one function a test.
import shlex, tempfile


def conditionsAContainersNetwork():
    serve()
    contain("web", "5ca1ab1e", inner())
    for word in "web", "5ca1ab1e5ca", "docker://" + "5ca1ab1e" * 8:
        status, said = outside(["apply", "LTE", "-i", "near0", "--container", word])
        expect(status == 0 and "linkcond reset -i near0 --container " + word in said, said)
        expect(min(times()) >= 115, "packets of the container are not conditioned")
        expect("near0: LTE" in outside(["status", "--container", "web"])[1], "no status")
        expect("near0" not in outside(["status"])[1], "the machine's own network has it")
        expect(outside(["switch", "Wi-Fi", "--container", "web"])[0] == 0, "no switch")
        status, said = outside(["reset", "--container", "web"])
        expect(status == 0 and "restored near0" in said, said)
        clean("reset of " + word)


def runsACommandInAContainersNetwork():
    serve()
    contain("web", "5ca1ab1e", inner())
    lines = "cat /sys/class/net/near0/ifindex; ip -o link show near0; ping -n -c 3 -i 0.2 10.9.0.2; exit 3"
    status, said = outside(["run", "LTE", "--container", "web", "--", "sh", "-c", lines])
    trips = [float(each) for each in re.findall(r"time=([0-9.]+)", said)]
    expect(status == 3 and len(trips) == 3 and min(trips) >= 115, said)
    index = re.search(r"^([0-9]+): near0", said, re.M)
    expect(index and re.search("^%s$" % index.group(1), said, re.M), "/sys shows another network: " + said)
    clean("run --container")
    expect(not os.path.exists("/sys/class/net/near0"), "the machine's /sys has changed")
    refused(["run", "--container", "web", "--", "true"], 125, "--container needs a profile")
    refused(["run", "LTE", "--container", "web", "--offline", "--", "true"], 125, "cannot be combined with --container")
    refused(["run", "LTE", "--container", "wed", "--", "true"], 125, "no container is called wed")
    refused(["run", "LTE", "-i", "near9", "--container", "web", "--", "true"], 125, "near9")
    # Another interface, and it is not clear which one is meant.
    sh("ip link add near1 type veth peer name near2; ip link set near1 up")
    status, said = outside(["run", "LTE", "--container", "web", "--", "true"])
    expect(status == 125 and "several interfaces" in said and "-i near" in said, said)
    sh("ip link delete near1")


def monitorsFromAContainersNetwork():
    serve()
    contain("web", "5ca1ab1e", inner())
    watch = ["monitor", "--once", "icmp://10.9.0.2", "link:near0"]
    status, said = outside(watch + ["--container", "web"])
    expect(status == 0 and said.count("reachable") == 2, said)
    expect(outside(watch)[0] == 1, "the machine's own network has it")
    status, said = outside(["monitor", "--once", "link:near0", "--container", "wed"])
    expect(status == 66 and "no container is called wed" in said, said)
    # What the container's network has is what explains the verdict.
    outside(["apply", "Black Hole", "-i", "near0", "--container", "web"])
    status, said = outside(watch + ["--container", "web", "--json"])
    expect(status == 1 and '"profile":"Black Hole"' in said.replace('": "', '":"'), said)
    outside(["reset", "--container", "web"])


def saysWhatIsWrong():
    refused(["apply", "LTE", "-i", "near0", "--container", "web"], 69, "no container engine")
    serve()
    contain("web", "5ca1ab1e", inner())
    contain("twin", "5ca1ab1f", inner())
    contain("idle", "0ddba115", 0)
    contain("host", "ba5eba11", HERE.pid, "host")
    contain("plain", "d00dfeed", HERE.pid)
    apply = ["apply", "LTE", "-i", "near0", "--container"]
    refused(apply + ["wed"], 66, "no container is called wed", "docker at /run/docker.sock", "--container web")
    refused(apply + ["5ca1ab1"], 64, "web (5ca1ab1e5ca1", "twin (5ca1ab1f5ca1")
    refused(apply + ["idle"], 66, "idle does not run: exited")
    refused(apply + ["host"], 69, "uses this machine's network")
    refused(apply + ["plain"], 69, "uses this machine's network")
    refused(apply + ["../images"], 64, "cannot be the name")
    refused(apply + ["web", "--pid", "1"], 64, "cannot be combined")
    contain("side", "c0c0a000", inner(), "container:" + "5ca1ab1e" * 8)
    status, said = outside(apply + ["side", "--dry-run"])
    expect(status == 0 and "note: side uses the network of container 5ca1ab1e" in said, said)


def takesNoOtherProcessForTheContainer():
    """Between two questions the container is started anew; meanwhile its first process's ID is another's."""
    serve()
    contain("web", "5ca1ab1e", HERE.pid)
    containers["web"]["then"] = [lambda: contain("web", "5ca1ab1e", inner())]
    status, said = outside(["apply", "LTE", "-i", "near0", "--container", "web"])
    expect(status == 0 and min(times()) >= 115, said)
    outside(["reset", "--container", "web"])
    clean("reset")


def takesNoOtherContainersProcess():
    """A container has ended, its process's ID is one of another container, and the engine does not know it yet."""
    os.makedirs("/run/groups")
    subprocess.run(["mount", "-t", "cgroup2", "none", "/run/groups"], check=True)
    parent = tempfile.mkdtemp(prefix="linkcond-test.", dir="/run/groups")
    mine, others = (parent + "/docker-%s.scope" % (each * 8) for each in ("5ca1ab1e", "0ddba115"))

    def join(group):
        # The machine may delete empty ones.
        os.makedirs(group, exist_ok=True)
        with open(group + "/cgroup.procs", "w") as file:
            file.write(str(NEAR.pid))

    # Others see these groups, which outlive this world.
    atexit.register(lambda: subprocess.run(["rmdir", mine, others, parent], stderr=subprocess.DEVNULL))
    atexit.register(lambda: join("/run/groups"))
    serve()
    contain("web", "5ca1ab1e", inner(), profile="LTE")
    join(others)
    words = "container web has ended: its process %d is now one of container 0ddba1150ddb" % NEAR.pid
    for command in ["apply", "LTE", "-i", "near0"], ["status"], ["reset"], ["monitor", "--once", "link:near0"]:
        refused(command + ["--container", "web"], 66, words)
    refused(["run", "LTE", "--container", "web", "--", "true"], 125, words)
    refused(["capture", "--container", "web", "-w", "/run/packets"], 66, words)
    watch = Watch()
    watch.says("watching")
    time.sleep(2)
    expect(dump() == before, "the other container has conditions: " + watch.text)
    # As a container's first process, which is in its groups.
    join(mine)
    watch.says("web: near0 has", 30)
    expect(watch.end() == 0, watch.text)
    clean("SIGTERM", 60)


def tellsWhatToTypeInThatNetwork():
    """What is printed works as it stands, in the network that the command named."""
    serve()
    contain("web", "5ca1ab1e", inner())

    def typed(said, words):
        found = re.search(r'(?:try: |")(linkcond [^"\n]*)', said)
        expect(found and found.group(1) == words, "%s is not in: %s" % (words, said))
        status, said = outside(shlex.split(words)[1:])
        expect(status == 0, said)
        return said

    for place in "--container web", "--netns near", "--pid %d" % inner():
        option = place.split()
        apply = ["apply", "LTE", "-i", "near0"] + option
        expect(outside(apply)[0] == 0, "no conditions")
        status, said = outside(["run", "3G", "-i", "near0"] + option + ["--", "true"])
        expect(status == 125 and "already has" in said, said)
        typed(said, "linkcond reset -i near0 " + place)
        clean("what run said")
        typed(outside(apply)[1], "linkcond reset -i near0 " + place)
        clean("what apply said")
        typed(outside(apply + ["--confirm", "60s"])[1], "linkcond confirm " + place)
        typed(outside(["off"] + option)[1], "linkcond on " + place)
        outside(["off"] + option)
        typed(outside(["status"] + option)[1], "linkcond on " + place)
        expect("near0: LTE" in outside(["status"] + option)[1], "it has not come back")
        typed(outside(["confirm"] + option)[1], "linkcond status " + place)
        outside(["reset"] + option)
        clean("reset")
        status, said = outside(["switch", "3G"] + option)
        expect(status == 64 and "try: linkcond apply PROFILE -i DEV " + place in said, said)


def listsContainers():
    status, said = outside(["containers"])
    expect(status == 69 and "no container engine" in said, said)
    serve()
    expect("no container runs here" in outside(["containers"])[1], "there is one")
    contain("web", "5ca1ab1e", inner())
    contain("side", "c0c0a000", inner(), "container:" + "5ca1ab1e" * 8)
    contain("idle", "0ddba115", 0)
    contain("host", "ba5eba11", HERE.pid, "host")
    outside(["apply", "LTE", "-i", "near0", "--container", "web"])
    status, said = outside(["containers"])
    rows = {line.split()[0]: line for line in said.splitlines()}
    expect(status == 0 and set(rows) == {"NAME", "web", "side", "host"}, said)
    expect(re.search(r"web +5ca1ab1e5ca1 +docker +%d +near0 +near0: LTE$" % inner(), rows["web"]), said)
    expect("near0: LTE; network of 5ca1ab1e5ca1" in rows["side"], said)
    expect("uses this machine's network" in rows["host"], said)
    found = {each["name"]: each for each in json.loads(outside(["containers", "--json"])[1])}
    web = found["web"]
    expect(web["interfaces"] == ["near0"] and web["pid"] == inner() and web["engine"] == "docker", web)
    expect(web["conditions"][0]["rules"][0]["profile"] == "LTE", web)
    expect(found["side"]["networkOf"] == "5ca1ab1e" * 8 and "problem" in found["host"], found)
    outside(["reset", "--container", "web"])
    clean("reset")


def refusesAnEngineOfOtherProcessIDs():
    """Whose answers would name processes of this PID namespace that are no containers."""
    lines = ("import http.server, socketserver\n"
             "class Handler(http.server.BaseHTTPRequestHandler):\n"
             "    def do_GET(self):\n"
             "        self.send_response(200); self.end_headers()\n"
             "        self.wfile.write(b'{\"Id\": \"5ca1ab1e\", \"State\": {\"Status\": \"running\", \"Pid\": %d}}')\n"
             "    def address_string(self): return ''\n"
             "socketserver.UnixStreamServer('/run/docker.sock', Handler).serve_forever()\n") % inner()
    server = subprocess.Popen(["unshare", "--pid", "--fork", "--kill-child", sys.executable, "-c", lines])
    until(lambda: os.path.exists("/run/docker.sock"), "the engine")
    refused(["apply", "LTE", "-i", "near0", "--container", "web"], 69, "another PID namespace", "--pid=host")
    server.kill()


def endsThoughAnEngineAnswersByteByByte():
    class Slow(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            try:
                while True:
                    self.wfile.write(b"H")
                    time.sleep(1)
            except OSError:
                pass
    slow = socketserver.UnixStreamServer("/run/docker.sock", Slow)
    threading.Thread(target=slow.serve_forever, daemon=True).start()
    # Else it would wait for ever.
    refused(["apply", "LTE", "-i", "near0", "--container", "web"], 69, "docker: cannot reach /run/docker.sock")


def endsThoughAnEngineDoesNotAnswer():
    silent = socketserver.UnixStreamServer("/run/docker.sock", Engine)
    refused(["apply", "LTE", "-i", "near0", "--container", "web"], 69, "docker: cannot reach /run/docker.sock")
    silent.server_close()
