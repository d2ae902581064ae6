# SPDX-License-Identifier: Apache-2.0
# A stand-in for Docker's daemon, which answers as its API does (1.41): the containers, each one, and that one has started.
# The tests of containers and scripts/check/containers use it.
import http.server, json, socketserver, threading

containers = {}
# What /events waits for, and whether the engine has such a stream.
changed = threading.Condition()
streams = True


class Engine(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/events?"):
            return self.stream() if streams else self.answer(404, {"message": "page not found"})
        word = self.path.split("/")[2]
        known = list(containers.values())
        found = [each for each in known if word in (each["Id"], each["Name"][1:])]
        found = found or [each for each in known if each["Id"].startswith(word)]
        if self.path == "/containers/json":
            self.answer(200, [{"Id": each["Id"], "Names": [each["Name"]], "State": "running",
                               "Labels": each["Config"]["Labels"]}
                              for each in known if each["State"]["Running"]])
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
    request_queue_size = 64


def serve(path="/run/docker.sock"):
    server = Server(path, Engine)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def describe(identity, name, process, labels, start, mode="bridge"):
    """A container as the engine describes it; without a process, one that has ended."""
    return {"Id": identity, "Name": "/" + name, "HostConfig": {"NetworkMode": mode}, "Config": {"Labels": labels},
            "State": {"Status": "running" if process else "exited", "Running": process > 0, "Pid": process,
                      "StartedAt": "2026-01-02T03:04:05.%sZ" % start}}


def hold(key, container):
    """Has the engine know a container, and tell of its start."""
    with changed:
        containers[key] = container
        changed.notify_all()
