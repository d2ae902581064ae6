# SPDX-License-Identifier: Apache-2.0
"""What known clients are known to do on a broken network: each is run, and must do it."""

import json
import os
import subprocess

MOVES = [{"label": "moved", "after": "3 s", "address": "new"}]
REBINDS = [{"label": "moved", "after": "3 s", "nat": "rebind"}]
# NATs are of IPv4.
SSH = "timeout 60 ssh -4 -F $work/ssh/config -o HostName=shop.test -p 2222 {} shop 'sleep 40; echo alive'"
QUIC = "$python $support/networks/quic_session.py $work/order shop.test 8443 8"
FETCHES = "for n in {1..20}; do curl -s --max-time 2 -o page http://shop.test/page; sleep 0.3; done"
# A certificate of several segments; the ends are both this kernel's, whose probing is asked for.
TLS = """
    echo {} >/proc/sys/net/ipv4/tcp_mtu_probing
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=shop.test -keyout key.pem -out cert.pem \
        -addext "subjectAltName=$(printf 'DNS:%s.shop.test,' {{1..400}})DNS:shop.test" 2>/dev/null
    openssl s_server -quiet -accept 127.0.0.1:8443 -cert cert.pem -key key.pem 2>/dev/null & server=$!
    until [ -n "$(ss -Hnlt 'sport = :8443')" ]; do sleep 0.1; done
    timeout 20 openssl s_client -connect 127.0.0.1:8443 </dev/null >/dev/null 2>&1; status=$?
    kill $server; exit $status
"""

# What is promised; the options of the run, or a scenario's steps; what runs; the expectations; the exit status.
PROMISES = [
    ("an idle SSH session hangs behind Idle NAT", ["Idle NAT"], SSH.format(""), [], 124),
    ("it lives with ServerAliveInterval", ["Idle NAT"], SSH.format("-o ServerAliveInterval=10"), [], 0),
    ("a large certificate stalls in MTU Hole", ["--offline", "MTU Hole"], TLS.format(0), [], 124),
    ("it passes with tcp_mtu_probing=1", ["--offline", "MTU Hole"], TLS.format(1), [], 0),
    ("aioquic migrates to a new address", MOVES, QUIC, ["migrates within 2 s of 'moved'"], 0),
    ("aioquic goes on after a NAT rebinding", REBINDS, QUIC, ["migrates within 2 s of 'moved'"], 0),
    ("curl recovers after a new address", MOVES, FETCHES, ["recovers within 5 s of 'moved'"], 0),
    ("curl does not migrate", MOVES, FETCHES, ["migrates within 2 s of 'moved'"], 1),
    ("curl recovers after a NAT rebinding", REBINDS, FETCHES, ["recovers within 5 s of 'moved'"], 0),
]


def keep(number, linkcond, environment, directory):
    """Whether a promise is kept; what was seen, if not."""
    name, options, line, expected, status = PROMISES[number]
    place = f"{directory}/promise-{number}"
    os.makedirs(place, exist_ok=True)
    if isinstance(options[0], dict):
        with open(f"{place}/scenario.json", "w") as file:
            json.dump({"name": name, "profile": "LTE", "steps": options}, file)
        options = ["--scenario", f"{place}/scenario.json"]
    for text in expected:
        options = options + ["--expect", text]
    done = subprocess.run(
        [linkcond, "run", *options, "--timeout", "100s", "--", "bash", "-c", line],
        cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    if done.returncode == status:
        return None
    return f"{name}: status {done.returncode} instead of {status}: {done.stdout[-600:]}"
