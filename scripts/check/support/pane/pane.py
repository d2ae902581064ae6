# SPDX-License-Identifier: Apache-2.0
# A running pane, and clients of it that send bytes as they are given.
import re
import signal
import socket
import subprocess
from pathlib import Path

HANG = 60


class Pane:
    """A pane, whose code is used already."""

    def __init__(self, program, *options):
        self.process = subprocess.Popen([program, "pane", *options], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/\?code=(\w+)", line)
        if not match:
            raise SystemExit(f"no address: {line!r}")
        self.port, self.code = int(match[1]), match[2]
        self.host = f"127.0.0.1:{self.port}"
        self.origin = f"http://{self.host}"
        self.cookie = None

    def enter(self):
        answer = self.get(f"/?code={self.code}", cookie=False)
        self.cookie = answer.fields["set-cookie"].split(";")[0]
        return answer

    def connect(self, address="127.0.0.1"):
        return socket.create_connection((address, self.port), HANG)

    def request(self, method, target, fields=(), body=b"", host=None, cookie=True):
        """The bytes of a request, by default as the page sends it."""
        lines = [f"{method} {target} HTTP/1.1"] + ([f"Host: {host or self.host}"] if host != "" else [])
        if cookie and self.cookie:
            lines.append(f"Cookie: {self.cookie}")
        if body:
            lines.append(f"Content-Length: {len(body)}")
        lines += fields
        return "\r\n".join(lines + ["", ""]).encode() + body

    def send(self, data, address="127.0.0.1"):
        """The first answer to bytes."""
        with self.connect(address) as connection:
            try:
                connection.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass
            return Answer.read(connection, data.startswith(b"HEAD"))

    def get(self, target, *fields, **options):
        return self.send(self.request("GET", target, fields, **options))

    def change(self, method, target, *fields, body=b"{}", **options):
        usual = [f"Origin: {self.origin}", "Content-Type: application/json"]
        names = {field.split(":")[0].lower() for field in fields}
        kept = [field for field in usual if field.split(":")[0].lower() not in names]
        # A field without a value is left out.
        given = [field for field in fields if not field.endswith(":")]
        return self.send(self.request(method, target, kept + given, body, **options))

    @property
    def memory(self):
        """The memory in use, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    @property
    def descriptors(self):
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.process.wait(HANG)


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    @staticmethod
    def read(connection, is_head=False):
        """Reads one answer; status 0 if the pane closes the connection without one."""
        data = b""
        try:
            while b"\r\n\r\n" not in data:
                more = connection.recv(65536)
                if not more:
                    return Answer(0, {}, data)
                data += more
            head, body = data.split(b"\r\n\r\n", 1)
            lines = head.decode().split("\r\n")
            fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
            length = 0 if is_head else int(fields.get("content-length", 0))
            while len(body) < length:
                more = connection.recv(65536)
                if not more:
                    break
                body += more
            return Answer(int(lines[0].split()[1]), fields, body)
        except (ConnectionResetError, TimeoutError):
            return Answer(0, {}, data)
