# SPDX-License-Identifier: Apache-2.0
# What Docker's API (1.41) answers of containers that are elsewhere: the list, each one, and that one has started.
import http.server
import json
import socketserver
import threading


class Engine:
    def __init__(self, path):
        self.containers = {}
        self.lock = threading.Condition()
        engine = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path.startswith("/events?"):
                    return self.stream()
                with engine.lock:
                    found = list(engine.containers.values())
                if self.path == "/containers/json":
                    return self.answer(200, [each["listed"] for each in found])
                word = self.path.split("/")[2]
                meant = [each for each in found if word == each["listed"]["Id"]]
                if meant:
                    return self.answer(200, meant[0]["inspected"])
                return self.answer(404, {"message": "No such container: " + word})

            def stream(self):
                self.send_response(200)
                self.end_headers()
                try:
                    while True:
                        with engine.lock:
                            engine.lock.wait()
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

        threading.Thread(target=Server(path, Handler).serve_forever, daemon=True).start()

    def add(self, identity, name, process, labels):
        listed = {"Id": identity, "Names": ["/" + name], "State": "running", "Labels": labels}
        inspected = {"Id": identity, "Name": "/" + name, "HostConfig": {"NetworkMode": "bridge"},
                     "Config": {"Labels": labels},
                     "State": {"Status": "running", "Pid": process, "StartedAt": "2026-01-02T03:04:05Z " + identity}}
        with self.lock:
            self.containers[identity] = {"listed": listed, "inspected": inspected}
            self.lock.notify_all()

    def remove(self, identity):
        with self.lock:
            self.containers.pop(identity, None)
