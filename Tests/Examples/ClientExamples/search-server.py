# SPDX-License-Identifier: Apache-2.0
# A search service on loopback for one command: answers GET /search?q=WORDS with JSON until the command ends, whose exit
# status it returns. One word matches 400 events, about 64 kB; each further word leaves a fiftieth of them.
#
#   search-server.py PORT COMMAND [ARGUMENT...]
import http.server, json, subprocess, sys, threading, urllib.parse


def results(query):
    words = query.split()
    count = 400 // 50 ** (len(words) - 1) if words else 0
    return [
        {
            "title": f"{query.title()} no. {number}",
            "place": f"Hall {number % 7 + 1}",
            "summary": f"An evening that those who search for {query} like. Doors open at {number % 5 + 17}:30.",
        }
        for number in range(1, count + 1)
    ]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query).get("q", [""])[0]
        body = json.dumps({"results": results(query)}).encode()
        self.send_response(200 if url.path == "/search" else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *words):
        pass  # The client left.


# Listens before the command begins.
server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.exit(subprocess.run(sys.argv[2:]).returncode)
