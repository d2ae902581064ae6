# SPDX-License-Identifier: Apache-2.0
# A client of the control socket that has nothing to do with the program; see ControlTalk.swift.
import http.client, json, os, socket, sys

class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(10)
        self.sock.connect(os.environ["LINKCOND_SOCKET"])

def ask(method, path, body=None):
    """Asks on a connection of its own, and gives the status and the answer."""
    connection = Connection("linkcond")
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def refusesWhatIsNoProfile(body):
    status, answer = ask("PUT", "/v1/conditions", body)
    print(status, answer["kind"])
    print(bool(answer["error"]))
    print(ask("GET", "/v1/status")[0])


def refusesWhatTheEngineCannotDo():
    trace = '{"name": "x", "uplink": {"trace": {"file": "a", "format": "mahimahi"}}}'
    status, answer = ask("PUT", "/v1/conditions", trace)
    print(status, answer["kind"])


def answersAsOftenAsAsked():
    connection = Connection("linkcond")
    for number in range(3):
        connection.request("GET", "/v1/status")
        answer = connection.getresponse()
        print(answer.status, len(answer.read()) > 2)
    one = b"GET /v1/status HTTP/1.1\r\nHost: linkcond\r\n\r\n"
    connection.sock.sendall(one * 2 + one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    everything = b""
    while True:
        data = connection.sock.recv(65536)
        if not data:
            break
        everything += data
    print(everything.count(b"HTTP/1.1 200 OK"))


def outlivesBadClients():
    def connect():
        client = socket.socket(socket.AF_UNIX)
        client.connect(os.environ["LINKCOND_SOCKET"])
        client.settimeout(10)
        return client
    idle = [connect() for number in range(200)]
    for words in [b"\0" * 1000, b"GET\r\n\r\n", b"GET /v1/status HTTP/9.9\r\n\r\n", b"x" * 200000,
                  b"PUT /v1/conditions HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nshort"]:
        client = connect()
        try:
            client.sendall(words)
            client.shutdown(socket.SHUT_WR)
            client.recv(65536)
        except OSError:
            pass
        client.close()
    print(ask("GET", "/v1/status")[0])
