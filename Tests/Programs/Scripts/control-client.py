# SPDX-License-Identifier: Apache-2.0
# A client of the control socket that has nothing to do with the program; see ControlTalk.swift.
import http.client, json, os, select, socket, sys, time

# Only a hang takes as many seconds.
HANG = 240

class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        # Before the limit: then it waits while the queue of connections is full.
        self.sock.connect(os.environ["LINKCOND_SOCKET"])
        self.sock.settimeout(HANG)

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


def carriesARecordingThatIsSent():
    import subprocess, tempfile
    echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    echo.bind(("127.0.0.1", 0))
    echo.settimeout(HANG)

    def speed():
        """Fast if the packets have come fast once: a busy machine makes packets late, and none early."""
        client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for _ in range(5):
            begin = time.monotonic()
            for _ in range(5):
                client.sendto(bytes(1400), echo.getsockname())
            for _ in range(5):
                echo.recv(2000)
            if time.monotonic() - begin <= 0.35:
                return "fast"
        return "slow"

    profile = {"name": "Recorded", "uplink": {"trace": {"file": "drive", "format": "mahimahi"}}}
    print(ask("PUT", "/v1/conditions", json.dumps(dict(profile, recordings={"drive": "100\n"})))[0], speed(), sep="\n")
    before = ask("GET", "/v1/conditions")[1]
    print(ask("PUT", "/v1/conditions", '"Wi-Fi"')[0], speed(), sep="\n")
    print(ask("PUT", "/v1/conditions", json.dumps(before))[0], speed(), sep="\n")
    print(ask("PUT", "/v1/conditions", '"Wi-Fi"')[0], speed(), sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/drive", "w") as file:
            file.write("100\n")
        with open(folder + "/own.json", "w") as file:
            json.dump(profile, file)
        switched = subprocess.run([os.environ["LINKCOND"], "switch", folder + "/own.json"], stderr=subprocess.DEVNULL)
        print(switched.returncode, speed(), sep="\n")
    status, answer = ask("PUT", "/v1/conditions", json.dumps(dict(profile, recordings={"drive": "100\n50\n"})))
    print(status, answer["kind"])


def tellsTheProcessesOfConnections():
    def rows():
        return {row["transport"]: row for row in ask("GET", "/v1/connections")[1]["rows"]}

    def wait(condition):
        end = time.monotonic() + HANG
        while not condition(rows()) and time.monotonic() < end:
            time.sleep(0.05)
        for transport, row in sorted(rows().items()):
            own = row.get("process", "").endswith(" (%d)" % os.getpid())
            print(transport, "this" if own else row.get("process"), row["state"] or "-")

    print(ask("PUT", "/v1/conditions", '{"name": "Near", "uplink": {"delay": "1 ms"}}')[0])
    # From the first request on, flows are accounted for.
    print(len(rows()))
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    other = server.accept()[0]
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sink.bind(("127.0.0.1", 0))
    datagrams.sendto(b"x", sink.getsockname())
    wait(lambda found: len(found) == 2 and all("process" in row for row in found.values()))
    # A closed connection keeps its process.
    client.close()
    other.close()
    wait(lambda found: found["tcp"]["state"] == "closed")


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


def answersWhileLanesDrain():
    # A scenario, a status and a mark do not wait for the packet that the link still has; the next change does.
    far, free, near = ['{"name": "%s", "uplink": {%s}}' % each
                       for each in (("Far", '"delay": "8 s"'), ("Free", ""), ("Near", '"delay": "1 ms"'))]
    step = '{"label": "%s", "after": {"mark": "%s"}, "profile": %s}'
    steps = ", ".join([step % ("away", "leave", free), step % ("back", "return", near)])
    print(ask("PUT", "/v1/scenario", '{"name": "x", "profile": %s, "steps": [%s]}' % (far, steps))[0])
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind(("127.0.0.1", 0))
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", receiver.getsockname())
    receiver.setblocking(False)
    time.sleep(0.2)
    for method, path, body, changed in (
        ("POST", "/v1/marks", '{"name": "leave"}', "step"), ("GET", "/v1/status", None, None),
        ("POST", "/v1/marks", '{"name": "here"}', None), ("GET", "/v1/conditions", None, "name")):
        status, answer = ask(method, path, body)
        # On a busy machine the packet may have come first, which tells nothing.
        isThere = bool(select.select([receiver], [], [], 0)[0])
        print(status, answer[changed] if changed else "", "late" if isThere else "before")
    status, answer = ask("POST", "/v1/marks", '{"name": "return"}')
    print(status, answer["step"], receiver.recv(1).decode())
    print(ask("GET", "/v1/conditions")[1]["name"])


def connect():
    client = socket.socket(socket.AF_UNIX)
    client.connect(os.environ["LINKCOND_SOCKET"])
    client.settimeout(HANG)
    return client


def isOpen(client):
    client.setblocking(False)
    try:
        return client.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False


def cannotConnect():
    try:
        connect()
    except OSError as error:
        print(error.strerror)


def keepsTheLatestOfTooManyConnections():
    clients = [connect() for number in range(400)]
    print(ask("GET", "/v1/status")[0])
    states = [isOpen(client) for client in clients]
    print(sum(states))
    print(states == sorted(states))


def endsIdleConnections():
    """One that says nothing, and one that never comes to the end of its request."""
    silent, slow = connect(), connect()
    begin = time.monotonic()
    slow.sendall(b"GET /v1/status HTTP/1.1\r\n")
    late = []
    while isOpen(slow) and time.monotonic() < begin + HANG:
        try:
            slow.send(b"X: y\r\n")
        except OSError:
            break
        pause = time.monotonic()
        time.sleep(0.1)
        late.append(time.monotonic() - pause - 0.1)
    took = time.monotonic() - begin
    # A machine that wakes this process late ends a connection late.
    isBusy = sorted(late)[len(late) * 9 // 10] > 0.005
    print(took > 9 and ("in time" if took < 14 else "late" if isBusy else "too late: %g s" % took))
    print(not isOpen(silent))


def outlivesBadClients():
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
