# SPDX-License-Identifier: Apache-2.0
"""The scenarios of which make.py makes reports, each with the command that meets it."""

server = "python3 -m http.server 8000 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 1; "


def get(path, limit, times=1):
    return f"curl -s -o /dev/null --max-time {limit} http://127.0.0.1:8000/{path}; " * times


def both(name, **impairments):
    return {"name": name, "downlink": impairments, "uplink": impairments}


def step(label, after, profile):
    return {"label": label, "after": after, "profile": profile}


home = both("Home", rate="4 Mbit/s", delay="10 ms")

# The file, the further options, the command.
scenarios = {
    "lift": (
        {
            "name": "Into the lift",
            "profile": "Slow Net",
            "steps": [step("in the lift", {"bytes": "10 kB"}, "Black Hole"), step("out again", "3 s", "Slow Net")],
            "expect": [
                "times out within 2 s of 'in the lift'", "recovers within 10 s of 'out again'",
                "at most 20 connections", "leaves no connection open",
            ],
        },
        [],
        server + get("blob", 4, times=2) + "true",
    ),
    "handover": (
        {
            "name": "Handover with a gap",
            "profile": home,
            "steps": [
                step("leaving", {"bytes": "300 kB"}, both("Fading", rate="300 kbit/s", delay="40 ms", loss="10 %")),
                step("between cells", "1.5 s", "Black Hole"),
                step("on the other cell", "800 ms", "3G"),
            ],
            "expect": ["recovers within 3 s of 'on the other cell'", "completes within 30 s", "at most 3 connections"],
        },
        [],
        server + get("large", 20) + get("small", 3, times=2) + "true",
    ),
    "captive": (
        {
            "name": "Outage in mid-transfer",
            "profile": home,
            "steps": [step("no way out", {"bytes": "400 kB"}, "Black Hole"), step("signed in", "4 s", home)],
            "expect": [
                "times out within 3 s of 'no way out'", "recovers within 2 s of 'signed in'", "monitor agrees",
                "at most 3 connection attempts during 'no way out'",
            ],
        },
        ["--monitor", "tcp://127.0.0.1:8000"],
        server + "for n in 1 2 3 4; do " + get("large", 2) + "sleep 0.5; done; true",
    ),
    "burst": (
        {
            "name": "Burst of losses",
            "profile": home,
            "steps": [step("microwave on", "1500 ms", both("Microwave", rate="4 Mbit/s", delay="10 ms", loss="5 %")),
                      step("off again", "2 s", home)],
            "expect": ["at most 20 retransmissions", "first byte within 500 ms", "completes within 20 s"],
        },
        [],
        server + get("large", 15) + "for n in 1 2 3; do " + get("blob", 5) + "done",
    ),
    "collapse": (
        {
            "name": "Bandwidth collapse",
            "profile": home,
            "steps": [
                step("crowded", {"bytes": "500 kB"}, both("Crowded", rate="128 kbit/s", delay="10 ms")),
                step("alone again", "3 s", home),
            ],
            "expect": ["completes within 8 s", "first byte within 1 s of 'crowded'", "at most 3 connections"],
        },
        [],
        server + f"({get('small', 9, times=3)}) & " + get("large", 20) + "wait %2; true",
    ),
    "herd": (
        {
            "name": "Recovery with a herd",
            "profile": home,
            "steps": [step("down", "2 s", "Black Hole"), step("back", "3 s", home)],
            "expect": [
                "recovers within 1 s of 'back'", "at most 10 connection attempts during 'back'",
                "attempts to 127.0.0.1:8000 back off",
            ],
        },
        [],
        server + "for n in $(seq 25); do (for m in $(seq 6); do " + get("small", 1) + "sleep 0.7; done) & done; sleep 7",
    ),
}
