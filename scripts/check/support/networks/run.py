# SPDX-License-Identifier: Apache-2.0
"""Makes a network with servers, runs clients in sandboxes on broken networks, and prints tables: run.py WORK [--write] [DIR]

In namespaces of its own: see scripts/check/networks."""

import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from promises import PROMISES, keep

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.dirname(HERE)
WORK = sys.argv[1]
OPTIONS = [word for word in sys.argv[2:] if word.startswith("-")]
REPORTS = os.path.abspath(next((word for word in sys.argv[2:] if not word.startswith("-")), f"{WORK}/reports"))
PAGE = os.path.join(SUPPORT, "..", "networks.md")
LIMIT = 45
# Which need a client that lives longer than a fetch.
LONG = {"Lift", "Flapping Link", "Idle NAT"}
WITHOUT = "no fault"
ENVIRONMENT = dict(os.environ, work=WORK, support=SUPPORT, python=f"{WORK}/venv/bin/python3", LANG="C.UTF-8")
OK, FAILED = {"status": 0}, {"status": 1}


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def text(*words):
    return run(*words, stdout=subprocess.PIPE, text=True).stdout


def make_network():
    """This network has its default routes to the servers' one; returns the words that run a command there."""
    run("mount", "--make-rprivate", "/")
    run("mount", "-t", "tmpfs", "none", "/run")
    os.makedirs("/run/sshd")
    server = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
    time.sleep(0.5)
    run("ip", "link", "add", "near", "type", "veth", "peer", "name", "far")
    run("ip", "link", "set", "far", "netns", server.pid)
    there = ["nsenter", "--net", "--target", server.pid]
    for prefix, device, end in (([], "near", 1), (there, "far", 2)):
        run(*prefix, "ip", "link", "set", "lo", "up")
        run(*prefix, "ip", "link", "set", device, "up")
        run(*prefix, "ip", "address", "add", f"10.9.0.{end}/24", "dev", device)
        run(*prefix, "ip", "address", "add", f"fd09::{end}/64", "dev", device, "nodad")
    run("ip", "route", "add", "default", "via", "10.9.0.2")
    run("ip", "-6", "route", "add", "default", "via", "fd09::2")
    with open(f"{WORK}/resolv.conf", "w") as file:
        file.write("nameserver 10.9.0.2\n")
    run("mount", "--bind", f"{WORK}/resolv.conf", "/etc/resolv.conf")
    return [str(word) for word in there]


def serve(there):
    """Starts the servers, and waits until each answers."""
    with open(f"{WORK}/page", "w") as file:
        file.write("0123456789abcde\n" * 4000)
    with open(f"{WORK}/page") as file:
        page = file.read()
    started = subprocess.Popen(
        there + ["python3", "-u", f"{HERE}/far_servers.py", WORK], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert started.stdout.readline() == b"ready\n", "the servers do not start"
    binaries = sorted(os.listdir("/usr/lib/postgresql"))[-1]
    as_postgres = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
    with open(f"{WORK}/cluster/pg_hba.conf", "a") as file:
        file.write("host all all all trust\n")
    with open(f"{WORK}/sshd_config", "w") as file:
        file.write(re.sub("ListenAddress.*", "Port 2222", open(f"{WORK}/ssh/sshd_config").read()))
    servers = [
        ["/usr/sbin/sshd", "-D", "-e", "-f", f"{WORK}/sshd_config"],
        ["redis-server", "--bind", "10.9.0.2", "fd09::2", "--protected-mode", "no", "--save", "", "--unixsocket", f"{WORK}/redis"],
        as_postgres + [f"/usr/lib/postgresql/{binaries}/bin/postgres", "-D", f"{WORK}/cluster", "-k", f"{WORK}/cluster", "-c", "listen_addresses=*"],
        [f"{WORK}/venv/bin/hypercorn", "--bind", "[::]:8443", "--quic-bind", "10.9.0.2:8443", "--quic-bind", "[fd09::2]:8443", "--certfile", f"{WORK}/cert.pem", "--keyfile", f"{WORK}/key.pem", "--workers", "0", "--log-level", "error", "shop_asgi:app"],
    ]
    environment = dict(os.environ, WORK=WORK, PYTHONPATH=f"{SUPPORT}/clients", PYTHONDONTWRITEBYTECODE="1")
    for words in servers:
        subprocess.Popen(
            there + words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, cwd=WORK
        )
    psql = ["psql", "-h", f"{WORK}/cluster", "-U", "shop", "-q", "postgres"]
    await_(psql + ["-c", "\\q"])
    run(*psql, "-c", "CREATE TABLE pages (page text)", "-c", f"INSERT INTO pages VALUES ('{page}')")
    await_(["redis-cli", "-s", f"{WORK}/redis", "ping"])
    run("redis-cli", "-s", f"{WORK}/redis", "-x", "set", "page", input=page.encode(), stdout=subprocess.DEVNULL)


def await_(words):
    for _ in range(100):
        if subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            return
        time.sleep(0.1)
    sys.exit(f"{words[0]}: the server does not start")


def attempt(client, line, network):
    """Runs a client on a network; returns what became of it."""
    directory = f"{REPORTS}/{network.lower().replace(' ', '-')}/{client}"
    kept = f"{directory}/result.json"
    if os.path.exists(kept):
        return json.load(open(kept))
    place = f"{directory}/place"
    os.makedirs(place)
    environment = dict(ENVIRONMENT, HOME=place)
    options = [] if network == WITHOUT else [network]
    with open(f"{directory}/output.log", "w") as output:
        status = subprocess.run(
            [f"{WORK}/linkcond", "run", *options, "--timeout", f"{LIMIT}s", "--report", f"{directory}/report", "--"]
            + ["bash", "-o", "pipefail", "-c", line],
            cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        ).returncode
    result = {"status": status}
    if os.path.exists(f"{place}/page"):
        result["bytes"] = os.path.getsize(f"{place}/page")
    with open(f"{directory}/report/report.json") as file:
        report = json.load(file)
    # The command's time, without the wait for what it had sent.
    result["totals"], result["seconds"] = report["totals"], round(report["durationSeconds"], 1)
    with open(kept, "w") as file:
        json.dump(result, file)
    print(f"{client}, {network}: {cell(result)}", file=sys.stderr)
    return result


def succeeded(result):
    return result["status"] == 0 and result.get("bytes", 64_000) >= 64_000


def cell(result):
    seconds = f"{result['seconds']:.1f} s"
    if result["status"] == 124:
        words = "**waits**"
    elif result["status"]:
        words = f"fails, {seconds}"
    elif not succeeded(result):
        words = f"**wrong page**, {seconds}"
    else:
        words = f"{seconds}"
    attempts = result["totals"]["connections"]
    return words + (f", {attempts} connections" if attempts > 1 else "")


def tables(clients, networks, results):
    half = (len(clients) + 1) // 2
    for part in clients[:half], clients[half:]:
        yield "| network | " + " | ".join(part) + " |\n|---|" + "---|" * len(part) + "\n"
        for network in networks:
            yield f"| {network} | " + " | ".join(cell(results[client, network]) for client in part) + " |\n"
        yield "\n"


def main():
    rows = [line.split(" | ", 1) for line in open(f"{HERE}/clients.txt").read().splitlines() if line[:1] != "#"]
    lines = {client: line for client, line in rows}
    clients = os.environ.get("CLIENTS", "").split() or list(lines)
    there = make_network()
    listed = json.loads(text(f"{WORK}/linkcond", "list", "--broken", "--json"))
    # A scenario takes longer than these clients.
    networks = [WITHOUT] + [entry["name"] for entry in listed if entry["name"] not in LONG and "steps" not in entry]
    chosen = os.environ.get("NETWORKS")
    if chosen:
        networks = chosen.split(",") if chosen != "none" else []
    serve(there)
    pairs = [(client, network) for network in networks for client in clients]
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "4"))) as pool:
        found = pool.map(lambda pair: attempt(pair[0], lines[pair[0]], pair[1]), pairs)
        results = dict(zip(pairs, found))
        kept = []
        if chosen in (None, "none"):
            kept = list(pool.map(lambda n: keep(n, f"{WORK}/linkcond", ENVIRONMENT, REPORTS), range(len(PROMISES))))
    page = "".join(tables(clients, networks, results)).rstrip("\n") + "\n" if networks else ""
    print(page)
    wrong = [f"{client} fails without a fault" for client in clients if not succeeded(results.get((client, WITHOUT), OK))]
    wrong += [f"{client} needs no DNS" for client in clients if succeeded(results.get((client, "DNS Down"), FAILED))]
    wrong += [words for words in kept if words]
    for words in wrong:
        print(f"wrong: {words}", file=sys.stderr)
    if kept:
        print(f"{kept.count(None)} of {len(kept)} clients did what they are known to do")
    if "--write" in OPTIONS and not wrong and len(pairs) >= 150:
        head, tail = "<!-- networks: made by scripts/check/networks -->\n", "<!-- end of networks -->"
        old = open(PAGE).read()
        begin, end = old.index(head) + len(head), old.index(tail)
        open(PAGE, "w").write(old[:begin] + page + old[end:])
    sys.exit(1 if wrong else 0)


main()
