# SPDX-License-Identifier: Apache-2.0
"""The HTTP server of scripts/check/clients: shop_server.py DIRECTORY

GET /page sends the file of that name, POST answers with the length of what came, and /project.git is served by
git-http-backend over CGI (RFC 3875)."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "observation"))
from servers import Answers, Server

ROOT = sys.argv[-1]


class Shop(Answers):
    def do_GET(self):
        if self.path.startswith("/project.git/"):
            return self.run_git()
        with open(f"{ROOT}/page", "rb") as file:
            self.reply(file.read())

    def do_POST(self):
        if self.path.startswith("/project.git/"):
            return self.run_git()
        super().do_POST()

    def run_git(self):
        path, _, query = self.path.partition("?")
        environment = dict(
            os.environ, GIT_PROJECT_ROOT=ROOT, GIT_HTTP_EXPORT_ALL="1", REQUEST_METHOD=self.command, PATH_INFO=path,
            QUERY_STRING=query, CONTENT_TYPE=self.headers.get("Content-Type", ""), REMOTE_ADDR="127.0.0.1",
            HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
            GIT_PROTOCOL=self.headers.get("Git-Protocol", ""), GIT_CONFIG_COUNT="1",
            GIT_CONFIG_KEY_0="safe.directory", GIT_CONFIG_VALUE_0="*",
        )
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True).stdout
        head, _, content = answer.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


if __name__ == "__main__":
    server = Server("127.0.0.1", 8080)
    server.RequestHandlerClass = Shop
    server.serve_forever()
