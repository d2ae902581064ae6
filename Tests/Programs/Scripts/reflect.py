# SPDX-License-Identifier: Apache-2.0
# What ReflectTests.swift does in a private link, one function a test.
import json

KEY = "LINKCOND_KEY=a-key-of-the-test "


def profile(name, **downlink):
    with open("/tmp/%s.json" % name, "w") as file:
        json.dump({"name": name, "uplink": {"delay": "20 ms", "rate": "2 Mbit/s", "queue": "100 ms"},
                   "downlink": {"delay": "40 ms", **downlink}}, file)
    return "/tmp/%s.json" % name


def reflecting(options=""):
    """Begins to reflect in the far network, and returns the process."""
    process = subprocess.Popen(["ip", "netns", "exec", "far", "sh", "-c",
                                KEY + "exec " + PROGRAM + " reflect " + options], stdout=subprocess.PIPE, text=True)
    expect("listening" in process.stdout.readline(), "does not listen")
    atexit.register(process.kill)
    return process


def verified(asked, peer, status, options=""):
    """What verify prints about the link as it is."""
    done = subprocess.run(["ip", "netns", "exec", "near", "sh", "-c", KEY + PROGRAM + " verify %s -i near0 --peer %s "
                           "--budget 12s --path-delay 0.2ms --json %s" % (asked, peer, options)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    expect(done.returncode in status, "status %d: %s" % (done.returncode, done.stderr + done.stdout))
    return json.loads(done.stdout)


def figures(report, verdict=None):
    return {(part["lane"], part["packets"], figure["figure"]): figure["measured"]
            for part in report["parts"] for figure in part["figures"] if verdict in (None, figure["verdict"])}


def measuresTheLink(address):
    """Of both versions of IP. Beside other tests a figure may be inconclusive, and none is wrong by much."""
    process = reflecting()
    linkcond("apply %s -i near0" % profile("right"))
    def fault():
        report = verified("/tmp/right.json", address, (0, 1))
        found = figures(report)
        delays = [found[name] for name in (("uplink", "UDP", "delay p50"), ("downlink", "UDP", "delay p50"),
                                           ("uplink", "UDP, both ways", "both ways p50"))]
        expect(all(delay > least for delay, least in zip(delays, (18, 38, 58))), "%s" % found)
        isRight = (all(delay < most for delay, most in zip(delays, (28, 48, 75)))
                   and 0.9 < found["uplink", "UDP, filled", "rate"] < 1.05
                   and found["uplink", "UDP, filled", "longest delay"] > 90
                   # The longest of all delays is the machine's, once: verify knows how late that was.
                   and ("uplink", "UDP, filled", "longest delay") not in figures(report, "fail")
                   and found["uplink", "UDP", "losses"] == 0 and found["downlink", "UDP", "losses"] == 0)
        return None if isRight else "%s" % found
    settle(fault)
    process.terminate()
    expect(process.wait(timeout=HANG) == 0, "does not end well")


def failsAnotherLink():
    reflecting("--listen 10.9.0.2:8000 --for 10m")
    linkcond("apply %s -i near0" % profile("other", delay="80 ms", loss="10 %"))
    report = verified(profile("right"), "10.9.0.2:8000", (1,))
    wrong, right = figures(report, "fail"), figures(report, "pass")
    expect(("downlink", "UDP", "losses") in wrong, "%s" % wrong)
    # Beside other tests both may be inconclusive, and without a comparison of the clocks there is no delay of one way; but
    # no packet is early.
    delays, found = {("downlink", "UDP", "delay p50"): 80, ("uplink", "UDP, both ways", "both ways p50"): 100}, figures(report)
    expect(not set(delays) & set(right), "%s, right: %s" % (wrong, right))
    expect(all(found.get(name, least) > least - 2 for name, least in delays.items()), "%s" % found)
    expect(not any(lane == "uplink" and figure == "losses" for lane, _, figure in wrong), "%s" % wrong)


def servesWhoComesAfterOneThatWasKilled():
    reflecting()
    linkcond("apply %s -i near0" % profile("right"))
    killed = subprocess.Popen(["ip", "netns", "exec", "near", "sh", "-c", KEY + "exec " + PROGRAM +
                               " verify /tmp/right.json --peer 10.9.0.2"])
    time.sleep(4)
    killed.kill()
    killed.wait()
    # A session of which nothing is heard ends after 30 s; who comes waits for that.
    begin = time.monotonic()
    verified("/tmp/right.json", "10.9.0.2", (0, 1))
    expect(time.monotonic() - begin > 25, "took the session of another")


def keepsStrangersOut():
    process = reflecting()
    # Noise, and what looks like packets of its own.
    stranger = """
import random, socket, sys, time
noise = random.Random(5)
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect((sys.argv[1], 7373))
for number in range(20000):
    body = bytes(noise.randrange(256) for _ in range(noise.choice([0, 1, 63, 64, 65, 200])))
    if number % 2:
        body = b"lcr1" + bytes([noise.randrange(16), 0]) + (len(body) + 8).to_bytes(2, "big") + body
    client.send(body)
client.settimeout(1)
try:
    sys.exit("answered: %r" % client.recv(2000))
except socket.timeout:
    pass
"""
    with open("/tmp/stranger.py", "w") as file:
        file.write(stranger)
    sh("python3 /tmp/stranger.py 10.9.0.2")
    other = subprocess.run(["ip", "netns", "exec", "near", "sh", "-c", "LINKCOND_KEY=another-key-as-long " + PROGRAM +
                            " verify %s --peer 10.9.0.2" % profile("right")], capture_output=True, text=True)
    expect(other.returncode == 69 and "does not answer" in other.stderr, other.stderr)
    expect(process.poll() is None, "has ended")
    linkcond("apply /tmp/right.json -i near0")
    verified("/tmp/right.json", "10.9.0.2", (0, 1))
