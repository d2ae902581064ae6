# SPDX-License-Identifier: Apache-2.0
# What ScenarioRunTests.swift does in a sandbox, after control-client.py, one function a test. Each prints what it found.
import re, signal, subprocess, threading

PROGRAM = os.environ["LINKCOND"]
# Only a hang takes as many seconds.
HANG = 240


class Events:
    """The events of the run, as they come."""

    def __init__(self):
        self.connection = Connection("linkcond")
        self.connection.request("GET", "/v1/events")
        self.answer = self.connection.getresponse()
        self.list = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.answer:
            self.list.append(json.loads(line))

    def named(self, name):
        return [event for event in self.list if event["event"] == name]

    def count(self, name, count, limit=HANG):
        """Waits for that many events of the name; whether they came."""
        end = time.monotonic() + limit
        while len(self.named(name)) < count and time.monotonic() < end:
            time.sleep(0.005)
        return len(self.named(name)) >= count


def rtt():
    """Milliseconds; None for no answer."""
    output = subprocess.run(["ping", "-n", "-c1", "-W60", "127.0.0.1"], capture_output=True, text=True).stdout
    found = re.search(r"time=([0-9.]+)", output)
    return float(found[1]) if found else None


def isNear():
    """Whether there is an answer in less than 100 ms. A busy machine makes some late, and none early."""
    return any(rtt() < 100 for _ in range(20))


def mark(name):
    subprocess.run([PROGRAM, "mark", name], check=True)


def pair(server=None):
    """A TCP connection over loopback: both its ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(listener.getsockname())
    other = listener.accept()[0]
    listener.close()
    return client, other


def exchange(client, other, size):
    """Sends bytes one way, and waits for them."""
    threading.Thread(target=client.sendall, args=(b"x" * size,), daemon=True).start()
    while size:
        size -= len(other.recv(min(size, 65536)))


def comesAfterTime():
    events = Events()
    # On a busy machine the time may be over already.
    isRight = isNear() or events.count("step", 1, 0)
    print(events.count("step", 1), rtt() >= 100)
    begin, step = events.named("begin")[0]["time"], events.named("step")[0]
    print(isRight, 2.0 <= (step["time"] - begin) / 1e9)
    print(step["label"], step["profile"])


def comesAfterBytes():
    events = Events()
    client, other = pair()
    exchange(client, other, 60000)
    print(events.count("step", 1, limit=0.3))
    exchange(other, client, 60000)
    print(events.count("step", 1), rtt() >= 100)


def comesAfterConnections():
    events = Events()
    first = pair()
    print(events.count("step", 1, limit=0.3))
    second = pair()
    print(events.count("step", 1), rtt() >= 100)
    # Those before the step do not count for the next.
    print(events.count("step", 2, limit=0.3))
    third, fourth = pair(), pair()
    print(events.count("step", 2))


def comesWithItsMark():
    events = Events()
    mark("something else")
    mark("near")
    print(isNear(), len(events.named("step")))
    right = 0
    for number in range(10):
        mark("far")
        far = rtt()
        mark("near")
        right += far >= 100 and isNear()
    print(right, len(events.named("step")), len(events.named("mark")))
    mark("far")
    print(isNear())


def keepsConnections():
    client, other = pair()
    for name, isFar in [("far", True), ("near", False), ("far", True), ("near", False)]:
        mark(name)
        times = []
        for _ in range(3 if isFar else 20):
            begin = time.monotonic()
            exchange(client, other, 1000)
            exchange(other, client, 1000)
            times.append(time.monotonic() - begin)
            if times[-1] < 0.1:
                break
        print(isFar == (min(times) >= 0.1))


def hasNoMomentWithoutConditions():
    """The shorter of both delays is 20 ms each way."""
    ping = subprocess.Popen(["ping", "-n", "-i", "0.002", "-c", "700", "127.0.0.1"], stdout=subprocess.PIPE, text=True)
    rounds = 0
    while ping.poll() is None or rounds < 20:
        rounds += 1
        for name in "ab":
            ask("POST", "/v1/marks", json.dumps({"name": name}))
            time.sleep(0.01)
    output = ping.stdout.read()
    times = [float(text) for text in re.findall(r"time=([0-9.]+)", output)]
    print(len(times), min(times) >= 40)
    events = Events()
    print(events.count("step", 40))


def streamsEvents():
    mark("one")
    early, gone = Events(), Events()
    gone.connection.sock.shutdown(socket.SHUT_RDWR)
    mark("two")
    subprocess.run([PROGRAM, "switch", "Slow Net"], check=True, stderr=subprocess.DEVNULL)
    late = Events()
    for events in early, late:
        print(events.count("conditions", 1), [event["event"] for event in events.list],
              [event["name"] for event in events.named("mark")])
    times = [event["time"] for event in late.list]
    print(times == sorted(times), abs(times[0] / 1e9 - time.time()) < 3600)
    print(early.answer.getheader("Transfer-Encoding"), early.answer.getheader("Content-Type"))


def isNotHeldUpByReaders():
    """Thirty clients ask for events and read none of them. Each request has ten seconds."""
    idle = []
    for number in range(30):
        client = connect()
        client.sendall(b"GET /v1/events HTTP/1.1\r\nHost: linkcond\r\n\r\n")
        idle.append(client)
    connection = Connection("linkcond")
    for number in range(3000):
        connection.request("POST", "/v1/marks", json.dumps({"name": "x" * 90 + str(number)}))
        answer = connection.getresponse()
        answer.read()
    print(answer.status)
    events = Events()
    print(events.count("mark", 3000), events.named("mark")[-1]["name"][-4:])


def tellsConditions():
    connection = Connection("linkcond")
    connection.request("GET", "/v1/conditions")
    answer = connection.getresponse()
    before = answer.read()
    print(answer.status, before == b"" or json.loads(before)["name"])
    ask("PUT", "/v1/conditions", "Black Hole")
    print(ask("GET", "/v1/conditions")[1]["name"])
    if before:
        print(ask("PUT", "/v1/conditions", before)[0], ask("GET", "/v1/conditions")[1] == json.loads(before))


def readsToTheEnd(path):
    """Leaves a process that survives SIGTERM and reads the events to their end."""
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        events = Connection("linkcond")
        events.request("GET", "/v1/events")
        for line in events.getresponse():
            with open(path, "ab") as file:
                file.write(line)
        os._exit(0)
    while not os.path.exists(path):
        time.sleep(0.01)
