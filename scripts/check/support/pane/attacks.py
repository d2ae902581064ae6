# SPDX-License-Identifier: Apache-2.0
# The attacks of scripts/check/pane-attacks: attacks.py PROGRAM DIRECTORY
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

from pane import Answer, Pane

passed = failed = 0
LARGE = 1 << 20


def check(name, is_right, detail=""):
    global passed, failed
    if is_right:
        passed += 1
    else:
        failed += 1
    print(f"{'ok' if is_right else 'WRONG'}: {name}{'' if is_right else f': {detail}'}", flush=True)


def refused(name, answer, *statuses):
    """The request was refused, and told nothing of the pane."""
    told = b"canChange" in answer.body or b"<html" in answer.body.lower() or "set-cookie" in answer.fields
    right = answer.status in (statuses or (403,)) and not told
    check(f"refused: {name}", right, f"{answer.status} {answer.body[:200]}")


def works(name, answer, status=200):
    check(f"works: {name}", answer.status == status, f"{answer.status} {answer.body[:200]}")


def names(pane):
    for host in ["evil.test", f"evil.test:{pane.port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.test:{pane.port}",
                 f"localhost.:{pane.port}", f"127.1:{pane.port}", f"0.0.0.0:{pane.port}", f"{pane.host}, evil.test",
                 f"evil@{pane.host}", f"[::ffff:127.0.0.1]:{pane.port}"]:
        refused(f"Host: {host}", pane.get("/v1/pane", host=host))
    refused("no Host", pane.get("/v1/pane", host=""))
    refused("two Hosts", pane.get("/v1/pane", "Host: evil.test"))
    refused("no Host, as in HTTP/1.0", pane.send(f"GET /v1/pane HTTP/1.0\r\nCookie: {pane.cookie}\r\n\r\n".encode()))
    refused("a complete address as the target", pane.get("http://evil.test/v1/pane"), 400, 403)
    for host in [f"localhost:{pane.port}", f"[::1]:{pane.port}", f"LOCALHOST:{pane.port}"]:
        works(f"Host: {host}", pane.get("/v1/pane", host=host))
    if Path("/proc/sys/net/ipv6").exists():
        works("over ::1", pane.send(pane.request("GET", "/v1/pane", host=f"[::1]:{pane.port}"), "::1"))
    # The pane listens nowhere else.
    own = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False).stdout.split()
    for address in own + ["127.0.0.2"]:
        try:
            socket.create_connection((address, pane.port), 3).close()
            check(f"refused: a connection to {address}", False, "accepted")
        except OSError:
            check(f"refused: a connection to {address}", True)


def origins(pane):
    for origin in ["https://evil.test", "null", "http://127.0.0.1", "http://127.0.0.1:1", f"https://{pane.host}",
                   f"http://{pane.host}.evil.test", f"http://evil.test#{pane.origin}", f"{pane.origin}/", "file://"]:
        refused(f"Origin: {origin}", pane.get("/v1/pane", f"Origin: {origin}"))
        refused(f"a change, Origin: {origin}", pane.change("POST", "/v1/off", f"Origin: {origin}"))
    refused("two Origins", pane.get("/v1/pane", f"Origin: {pane.origin}", "Origin: https://evil.test"))
    for site in ["cross-site", "same-site"]:
        refused(f"Sec-Fetch-Site: {site}", pane.get("/v1/pane", f"Sec-Fetch-Site: {site}"))
        refused(f"the page, Sec-Fetch-Site: {site}", pane.get("/", f"Sec-Fetch-Site: {site}", "Sec-Fetch-Mode: navigate"))
    works("Sec-Fetch-Site: same-origin", pane.get("/v1/pane", "Sec-Fetch-Site: same-origin"))
    answer = pane.get("/v1/pane", "Origin: " + pane.origin)
    shared = [name for name in answer.fields if name.startswith("access-control")]
    check("refused: another page's look at an answer", answer.status == 200 and not shared, shared)


def secrets(pane):
    name = pane.cookie.split("=")[0]
    for target in ["/", "/index.html", "/v1/pane", "/v1/live", "/v1/rules", "/report/", "/no/such/file"]:
        refused(f"{target} without a cookie", pane.get(target, cookie=False))
    value = pane.cookie.split("=")[1]
    for cookie in [f"{name}=", f"{name}={'a' * 32}", f"{name}={value[:-1]}", f"{name}={value}x", f"other={value}",
                   f"x{pane.cookie}", f"{name}={value.upper()}", f"{name}=\"{value}\""]:
        refused(f"Cookie: {cookie[:24]}...", pane.get("/v1/pane", f"Cookie: {cookie}", cookie=False))
    works("the cookie beside others", pane.get("/v1/pane", f"Cookie: a=b; {pane.cookie}; c=d", cookie=False))
    refused("a code that was used", pane.get(f"/?code={pane.code}", cookie=False))
    refused("a wrong code", pane.get("/?code=" + "a" * 32, cookie=False))
    refused("no code", pane.get("/?code=", cookie=False))
    works("a used code with the cookie, which leads to the page", pane.get(f"/?code={pane.code}"), 303)
    for value in [f"Bearer {pane.code}", f"Bearer {value}", "Bearer ", "Basic YTpi", "Bearer"]:
        refused(f"Authorization: {value[:10]}...", pane.get("/v1/pane", f"Authorization: {value}", cookie=False), 401, 403)


def users(pane):
    """Another user has got the cookie, as by a server at another port of this host, to which browsers send it, too."""
    if os.geteuid() != 0:
        return print("left out: another user, which needs root")
    script = f"""
import socket, sys
c = socket.create_connection(("127.0.0.1", {pane.port}), 60)
c.sendall({pane.request("GET", "/v1/pane")!r})
sys.stdout.write(c.recv(65536).decode())
"""
    outcome = subprocess.run([sys.executable, "-c", script], user=65534, capture_output=True, check=False)
    status = int((outcome.stdout.split() + [b"", b"0"])[1] or 0)
    refused("the cookie, from another user", Answer(status, {}, outcome.stdout), 403)


def forms(pane):
    for kind in ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain",
                 "text/plain; application/json", "application/jsonp", ""]:
        refused(f"a change as {kind or 'no type'}", pane.change("POST", "/v1/off", f"Content-Type:{' ' if kind else ''}{kind}"), 415)
    refused("a change without Origin", pane.change("POST", "/v1/off", "Origin:"))
    refused("a change by a link", pane.change("POST", "/v1/off", "Origin:", "Sec-Fetch-Site: none"))
    refused("a change by GET", pane.get("/v1/off"), 404, 405)
    refused("a method in a field", pane.get("/v1/off", "X-HTTP-Method-Override: POST"), 404, 405)
    refused("JSON that is none", pane.change("POST", "/v1/off", body=b"{"), 400)
    for method in ["OPTIONS", "TRACE", "CONNECT", "PATCH", "PROPFIND", "BREW"]:
        answer = pane.change(method, "/v1/pane", "Access-Control-Request-Method: POST")
        refused(f"{method}", answer, 405)
        check(f"refused: {method} echoes nothing", pane.cookie.encode() not in answer.body)
    refused("PUT of the page", pane.change("PUT", "/index.html"), 405)
    head = pane.send(pane.request("HEAD", "/"))
    check("works: HEAD", head.status == 200 and head.body == b"" and int(head.fields["content-length"]) > 0, head.fields)


def paths(pane, report):
    works("the report", pane.get("/report/"))
    works("a file of the report", pane.get("/report/runs/one/report.json"))
    for path in ["../secret", "%2e%2e/secret", "..%2fsecret", "%2e%2e%2fsecret", "runs/../../secret", "./report.html",
                 "//etc/passwd", "%2fetc%2fpasswd", "/etc/passwd", "link", "folder-link/secret", "runs/up/secret", "pipe",
                 "runs", "runs/", "device", "report.html%00.json", "runs//one/report.json", "..;/secret", "socket"]:
        refused(f"/report/{path}", pane.get(f"/report/{path}"), 400, 404)
    for path in ["/../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/%2e%2e/index.html", "/v1/../index.html"]:
        refused(path, pane.get(path), 400, 404)
    for target in ["/v1/pane?x=%0d%0aSet-Cookie:%20a=b", "/%0d%0aX:%20y", "/v1/pane?x=%00", "/%zz", "/%c3%28", "*", "pane"]:
        answer = pane.get(target)
        refused(f"GET {target}", answer, 400, 403)
        check(f"refused: a field by {target}", not {"x", "set-cookie"} & set(answer.fields), answer.fields)
    policy = pane.get("/report/").fields["content-security-policy"]
    rules = [rule.strip() for rule in policy.split(";")]
    right = "sandbox allow-scripts" in rules and "default-src 'none'" in rules and "allow-same-origin" not in policy
    check("refused: a report's script in the page's origin", right, policy)
    policy = pane.get("/").fields["content-security-policy"]
    right = "unsafe" not in policy and "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    check("refused: another page's frame, and inline script", right, policy)


def malformed(pane):
    host = f"Host: {pane.host}\r\nCookie: {pane.cookie}\r\n"
    hidden = f"GET /v1/pane HTTP/1.1\r\n{host}\r\n"
    smuggled = {
        "a length beside chunks": f"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}",
        "two lengths": f"Content-Length: 0\r\nContent-Length: {len(hidden)}\r\n\r\n{hidden}",
        "a length with a sign": f"Content-Length: +0\r\n\r\n{hidden}",
        "a coding that is not chunked": f"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{hidden}",
        "a folded line": f"X: a\r\n Transfer-Encoding: chunked\r\n\r\n{hidden}",
        "a space before a colon": f"Content-Length : 5\r\n\r\n{hidden}",
        "a line end without CR": f"X: a\nContent-Length: 0\r\n\r\n{hidden}",
        "a control character": f"X: a\x00b\r\n\r\n{hidden}",
        "a wrong chunk": f"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n{hidden}",
    }
    for name, rest in smuggled.items():
        with pane.connect() as connection:
            connection.sendall(f"POST /v1/off HTTP/1.1\r\n{host}{rest}".encode())
            connection.settimeout(20)
            data = b""
            try:
                while more := connection.recv(65536):
                    data += more
            except OSError:
                pass
        right = data.startswith(b"HTTP/1.1 400") and data.count(b"HTTP/1.1 ") == 1
        check(f"refused: a request within another: {name}", right, data[:300])
    refused("a head of a megabyte", pane.get("/v1/pane", "X: " + "a" * LARGE), 400, 0)
    refused("a target of a megabyte", pane.get("/" + "a" * LARGE), 400, 0)
    refused("1,000 fields", pane.get("/v1/pane", *[f"X-{number}: a" for number in range(1000)]), 400, 0)
    refused("a body of a megabyte", pane.change("POST", "/v1/off", body=b'"' + b"a" * LARGE + b'"'), 413)
    refused("JSON in 30,000 arrays", pane.change("POST", "/v1/off", body=b"[" * 30000), 400)
    refused("TLS", pane.send(bytes.fromhex("16030100c8010000c40303") + bytes(200)), 400, 0)
    works("the page, after that", pane.get("/v1/pane"))


def slow(pane):
    """Clients that send a byte now and then are disconnected."""
    begun = time.monotonic()
    slow_head, slow_body, silent = pane.connect(), pane.connect(), pane.connect()
    slow_head.sendall(f"GET / HTTP/1.1\r\nHost: {pane.host}\r\nX: ".encode())
    slow_body.sendall(pane.request("POST", "/v1/off", [f"Origin: {pane.origin}", "Content-Type: application/json",
                                                        "Content-Length: 1000"]))
    ends = {}
    clients = {"a slow head": slow_head, "a slow body": slow_body, "silence": silent}
    while len(ends) < len(clients) and time.monotonic() - begun < 30:
        for name, client in clients.items():
            if name in ends:
                continue
            try:
                if name != "silence":
                    client.sendall(b"a")
                client.setblocking(False)
                if client.recv(1) == b"":
                    ends[name] = time.monotonic() - begun
            except BlockingIOError:
                client.setblocking(True)
            except OSError:
                ends[name] = time.monotonic() - begun
        time.sleep(0.2)
    for name in clients:
        check(f"refused: {name}", ends.get(name, 99) < 15, f"open after {ends.get(name, 30):.0f} s")


def crowds(pane):
    works("the live text", pane.get("/v1/live?after=0"))
    before, open_before = pane.memory, pane.descriptors
    crowd = [pane.connect() for _ in range(300)]
    time.sleep(0.5)
    check("refused: more than 256 connections", pane.descriptors <= open_before + 256, pane.descriptors)
    works("the page beside 300 connections", pane.get("/v1/pane"))
    for client in crowd:
        client.close()
    # Each asks 1,000 times, and reads nothing.
    greedy = []
    data = pane.request("GET", "/v1/live?after=-1") * 1000
    for _ in range(200):
        client = pane.connect()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setblocking(False)
        try:
            client.send(data)
        except OSError:
            pass
        greedy.append(client)
    works("the page beside 200 clients that never read", pane.get("/v1/pane"))
    times = []
    for _ in range(20):
        begun = time.monotonic()
        pane.get("/v1/pane")
        times.append(time.monotonic() - begun)
        time.sleep(0.1)
    # The median, since this machine may be busy.
    check("works: and at once", statistics.median(times) < 0.5, times)
    growth = pane.memory - before
    check("refused: memory for clients that never read", growth < 16, f"{growth:.0f} MB more")
    for client in greedy:
        client.close()
    bodies = []
    for _ in range(250):
        client = pane.connect()
        client.setblocking(False)
        try:
            client.send(pane.request("POST", "/v1/off", ["Content-Length: 65000"], cookie=False) + b"a" * 64000)
        except OSError:
            pass
        bodies.append(client)
    time.sleep(0.5)
    growth = pane.memory - before
    check("refused: memory for bodies of strangers", growth < 48, f"{growth:.0f} MB more")
    works("the page beside them", pane.get("/v1/pane"))
    for client in bodies:
        client.close()
    time.sleep(1)
    check("works: all descriptors come back", pane.descriptors <= open_before + 2, f"{open_before}, {pane.descriptors}")


def tokens(program, work):
    path = work / "token"
    pane = Pane(program, "--token-file", str(path))
    token = path.read_text().strip()
    check("refused: others' look at the token", path.stat().st_mode & 0o777 == 0o600, oct(path.stat().st_mode))
    bearer = f"Authorization: Bearer {token}"
    works("the token", pane.get("/v1/pane", bearer))
    refused("the token, of another page", pane.get("/v1/pane", bearer, "Origin: https://evil.test"))
    refused("the token, by another name", pane.get("/v1/pane", bearer, host="evil.test"))
    refused("a wrong token", pane.get("/v1/pane", bearer + "x"), 401)
    refused("a form with the token", pane.send(pane.request("POST", "/v1/off", [bearer], b"a=b")), 415)
    check("works: SIGTERM", pane.end(signal.SIGTERM) == 0)
    check("refused: a token that stays", not path.exists())
    other = work / "notes"
    other.write_text("precious\n")
    outcome = subprocess.run([program, "pane", "--token-file", str(other)], capture_output=True, text=True, check=False)
    check("refused: --token-file over another file", outcome.returncode == 64 and other.read_text() == "precious\n", outcome)
    link = work / "link-to-notes"
    link.symlink_to(other)
    outcome = subprocess.run([program, "pane", "--token-file", str(link)], capture_output=True, text=True, check=False)
    check("refused: --token-file over a link", outcome.returncode == 64 and other.read_text() == "precious\n", outcome)


def make_report(work):
    report = work / "report"
    (report / "runs/one").mkdir(parents=True)
    (report / "report.html").write_text("<!DOCTYPE html><title>report</title>")
    (report / "runs/one/report.json").write_text("{}")
    (work / "secret").write_text("canChange: this is outside")
    (report / "link").symlink_to("../secret")
    (report / "folder-link").symlink_to(work)
    (report / "runs/up").symlink_to("../..")
    (report / "device").symlink_to("/dev/zero")
    os.mkfifo(report / "pipe")
    socket.socket(socket.AF_UNIX).bind(str(report / "socket"))
    return report


def main():
    program, work = sys.argv[1], Path(sys.argv[2])
    report = make_report(work)
    pane = Pane(program, "--report", str(report))
    refused("all before the code", pane.get("/v1/pane"))
    refused("HEAD with the code", pane.send(pane.request("HEAD", f"/?code={pane.code}")))
    refused("the code to another name", pane.get(f"/?code={pane.code}", host="evil.test"))
    entered = pane.enter()
    works("the code", entered, 303)
    attributes = {word.strip() for word in entered.fields["set-cookie"].split(";")[1:]}
    check("refused: the cookie for scripts and other sites", attributes == {"Path=/", "HttpOnly", "SameSite=Strict"}, attributes)
    names(pane)
    origins(pane)
    secrets(pane)
    users(pane)
    forms(pane)
    paths(pane, report)
    malformed(pane)
    crowds(pane)
    slow(pane)
    port = str(pane.port)
    outcome = subprocess.run([program, "pane", "--port", port], capture_output=True, text=True, check=False, timeout=60)
    check("refused: a port that is taken", outcome.returncode == 69, outcome)
    with pane.connect():
        check("works: Ctrl-C", pane.end() == 0)
    again = Pane(program, "--port", port)
    again.cookie = pane.cookie
    refused("the cookie of an earlier pane at the port", again.get("/v1/pane"))
    again.end(signal.SIGKILL)
    check("works: the port after a kill", Pane(program, "--port", port).end(signal.SIGHUP) == 0)
    tokens(program, work)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
