# SPDX-License-Identifier: Apache-2.0
# What the tests of containers use in a private link. No daemon runs here: a stand-in answers as Docker does (API 1.41),
# with containers whose processes are this script's, in the near network or in another.
import http.server, json, socketserver, threading

HERE = subprocess.Popen(["sleep", "1000"])
NEAR = subprocess.Popen(["ip", "netns", "exec", "near", "sleep", "1000"])
containers = {}
# What /events waits for, and whether the engine has such a stream.
changed = threading.Condition()
streams = True


class Engine(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/events?"):
            return self.stream() if streams else self.answer(404, {"message": "page not found"})
        word = self.path.split("/")[2]
        found = [each for each in containers.values() if word in (each["Id"], each["Name"][1:])]
        found = found or [each for each in containers.values() if each["Id"].startswith(word)]
        if self.path == "/containers/json":
            self.answer(200, [{"Id": each["Id"], "Names": [each["Name"]], "State": "running",
                               "Labels": each["Config"]["Labels"]}
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

    def stream(self):
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                with changed:
                    changed.wait()
                self.wfile.write(b'{"Type": "container", "Action": "start"}\n')
                self.wfile.flush()
        except OSError:
            pass

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


def contain(name, identity, process, mode="bridge", **labels):
    containers[name] = {
        "Id": identity * 8, "Name": "/" + name, "HostConfig": {"NetworkMode": mode},
        "Config": {"Labels": {"linkcond." + each: value for each, value in labels.items()}},
        "State": {"Status": "running" if process else "exited", "Running": process > 0, "Pid": process,
                  "StartedAt": "2026-01-02T03:04:05.%d06Z" % len(containers)}}
    with changed:
        changed.notify_all()


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
