// SPDX-License-Identifier: Apache-2.0

/// What becomes of requests and answers on loopback when the sandbox is switched to Black Hole and then back, over
/// connections made before: TCP to a port of the kernel's choice, UDP to a fixed one, IPv4 and IPv6.
struct SilenceTrial: Decodable {
    /// Whether each request was seen by its server in the Black Hole.
    let seen: [Bool]
    /// Whether each answer came within a second.
    let answered: [Bool]
    /// What `linkcond status --json` said of the Black Hole.
    let status: String
    /// Whether each answer came once the link was good again.
    let answeredLater: [Bool]
    /// What `linkcond status --json` said of that link.
    let laterStatus: String

    /// Tries it in a sandbox.
    init(by caller: Caller) throws {
        self = try caller.check("--offline -- \(Python.line(Self.program, [Shell.linkcond]))").decoded()
    }

    private static let program = """
        import json, select, socket, subprocess, sys, time

        def linkcond(*arguments):
            return subprocess.run([sys.argv[1], *arguments], check=True, capture_output=True, text=True).stdout

        def arrived(ends, seconds):
            deadline = time.monotonic() + seconds
            came = set()
            while len(came) < len(ends) and (left := deadline - time.monotonic()) > 0:
                came.update(select.select([end for end in ends if end not in came], [], [], left)[0])
            return [end in came for end in ends]

        clients, servers = [], []
        for family, address in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
            listener = socket.create_server((address, 0), family=family)
            clients.append(socket.create_connection(listener.getsockname()[:2]))
            servers.append(listener.accept()[0])
        for family, address in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
            client, server = socket.socket(family, socket.SOCK_DGRAM), socket.socket(family, socket.SOCK_DGRAM)
            server.bind((address, 5300))
            client.connect((address, 5300))
            server.connect(client.getsockname()[:2])
            clients.append(client)
            servers.append(server)

        linkcond("switch", "Black Hole")
        for client in clients:
            client.send(b"request")
        seen = arrived(servers, 5)
        for server in servers:
            server.send(b"answer")
        answered = arrived(clients, 1)
        status = linkcond("status", "--json")

        linkcond("switch", "--downlink", "delay=1 ms")
        # TCP repeats its answer by itself.
        for server in servers[2:]:
            server.send(b"answer")
        later = arrived(clients, 10)
        print(json.dumps({
            "seen": seen, "answered": answered, "status": status,
            "answeredLater": later, "laterStatus": linkcond("status", "--json"),
        }))
        """
}
