// SPDX-License-Identifier: Apache-2.0

/// Python that talks to a sandbox's control socket as any program could, without a client of ours.
enum ControlTalk {
    /// A command that runs `body` with what speaks HTTP over the socket.
    static func command(_ body: String) -> [String] {
        ["/usr/bin/python3", "-ISc", "\(library)\n\(body)"]
    }

    private static let library = #"""
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
        """#
}
