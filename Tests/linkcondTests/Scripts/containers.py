# SPDX-License-Identifier: Apache-2.0
# What ContainerTests.swift does in a private link, one function a test. No daemon runs here: a stand-in answers as Docker
# does (API 1.41), with containers whose processes are this script's, in the near network or in another.
import http.server, json, socketserver, threading

HERE = subprocess.Popen(["sleep", "1000"])
NEAR = subprocess.Popen(["ip", "netns", "exec", "near", "sleep", "1000"])
containers = {}


class Engine(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        word = self.path.split("/")[2]
        found = [each for each in containers.values() if word in (each["Id"], each["Name"][1:])]
        found = found or [each for each in containers.values() if each["Id"].startswith(word)]
        if self.path == "/containers/json":
            self.answer(200, [{"Id": each["Id"], "Names": [each["Name"]], "State": "running"}
                              for each in containers.values() if each["State"]["Running"]])
        elif len(found) == 1:
            changes = found[0].pop("then", [])
            self.answer(200, found[0])
            for change in changes:
                change()
        elif found:
            self.answer(400, {"message": "multiple IDs found with provided prefix: " + word})
        else:
            self.answer(404, {"message": "No such container: " + word})

    def answer(self, status, body):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *words):
        pass

    def address_string(self):
        return "unix"


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


def serve(path="/run/docker.sock"):
    server = Server(path, Engine)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def contain(name, identity, process, mode="bridge"):
    containers[name] = {
        "Id": identity * 8, "Name": "/" + name, "HostConfig": {"NetworkMode": mode},
        "State": {"Status": "running" if process else "exited", "Running": process > 0, "Pid": process,
                  "StartedAt": "2026-01-02T03:04:05.%d06Z" % len(containers)}}


def outside(arguments):
    """Runs the program in the machine's own network, and gives its exit status and output."""
    done = subprocess.run([PROGRAM] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def refused(arguments, status, *words):
    found = outside(arguments)
    expect(found[0] == status and all(each in found[1] for each in words), "%s: %s" % (arguments, found))
    expect(dump() == before, "something has changed")


def inner():
    """The process of a command that was started by `ip netns exec`, which execs it."""
    until(lambda: name(NEAR.pid) == "sleep", "the container's process")
    return NEAR.pid


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


def endsThoughAnEngineDoesNotAnswer():
    silent = socketserver.UnixStreamServer("/run/docker.sock", Engine)
    begin = time.monotonic()
    refused(["apply", "LTE", "-i", "near0", "--container", "web"], 69, "docker: cannot reach /run/docker.sock")
    expect(time.monotonic() - begin < 30, "it waits for an engine that is silent")
    silent.server_close()


def knowsARealContainer():
    """Without an engine: by runc's own state, under its ID."""
    for each in "/tmp/bundle", "/tmp/root/proc", "/tmp/root/usr":
        os.makedirs(each)
    subprocess.run(["mount", "--bind", "/usr", "/tmp/root/usr"], check=True)
    for each in "lib", "lib64":
        os.symlink("usr/" + each, "/tmp/root/" + each)
    kinds = [{"type": each} for each in ("pid", "mount")] + [{"type": "network", "path": "/run/netns/near"}]
    with open("/tmp/bundle/config.json", "w") as file:
        json.dump({"ociVersion": "1.0.2", "root": {"path": "/tmp/root"}, "linux": {"namespaces": kinds},
                   "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"}],
                   "process": {"args": ["/usr/bin/sleep", "1000"], "cwd": "/", "env": [],
                               "user": {"uid": 0, "gid": 0}}}, file)
    subprocess.run(["runc", "run", "--detach", "--bundle", "/tmp/bundle", "cafe-1"], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    until(lambda: outside(["status", "--container", "cafe-1"])[0] == 0, "the container")
    status, said = outside(["apply", "LTE", "-i", "near0", "--container", "cafe"])
    expect(status == 0 and min(times()) >= 115, said)
    status, said = outside(["reset", "--container", "cafe-1"])
    expect("restored near0" in said, said)
    clean("reset")
    # Its state file stays, as after a crash of the machine, and names a process that is another's.
    process = [each for each in named("sleep") if each not in (HERE.pid, NEAR.pid)][0]
    os.kill(process, 9)
    until(lambda: process not in others(), "its end")
    refused(["apply", "LTE", "-i", "near0", "--container", "cafe-1"], 66, "does not run: exited")
