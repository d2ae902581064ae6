// SPDX-License-Identifier: Apache-2.0

/// A small web server, and what a client measures of it.
enum Web {
    /// The line of shell for a server at port 80 that prints "ready": GET /N is answered with N bytes, the body of
    /// PUT /N with one.
    static let line = Python.line(
        #"""
        import socket, threading

        def serve(connection):
            file = connection.makefile("rb")
            method, path = file.readline().split()[:2]
            while file.readline().strip():
                pass
            count = int(path[1:])
            if method == b"PUT":
                file.read(count)
                count = 1
            connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + bytes(count))
            file.close()
            connection.close()

        server = socket.create_server(("::", 80), family=socket.AF_INET6, dualstack_ipv6=True)
        print("ready", flush=True)
        while True:
            threading.Thread(target=serve, args=server.accept()[:1]).start()
        """#
    )

    /// One request over a connection of its own; milliseconds.
    struct Visit: Decodable {
        /// Until the connection was there.
        let connect: Double
        /// From then until the first byte of the answer.
        let firstByte: Double
        /// From then until its last one.
        let rest: Double
        /// The bytes behind the first ones.
        let bytes: Double
    }

    /// The line of shell for a client that asks `count` times.
    static func visiting(_ address: String, _ method: String, bytes: Int, count: Int = 1) -> String {
        Python.line(visitor, [address, method, String(bytes), String(count)])
    }

    private static let visitor = #"""
        import json, socket, sys, time

        def visit(address, method, count):
            times = [time.monotonic()]
            connection = socket.create_connection((address, 80), 20)
            times.append(time.monotonic())
            connection.sendall(b"%s /%d HTTP/1.0\r\n\r\n" % (method.encode(), count))
            if method == "PUT":
                connection.sendall(bytes(count))
            connection.recv(65536)
            times.append(time.monotonic())
            total = 0
            while chunk := connection.recv(65536):
                total += len(chunk)
            times.append(time.monotonic())
            connect, first, rest = ((late - early) * 1000 for early, late in zip(times, times[1:]))
            return {"connect": connect, "firstByte": first, "rest": rest, "bytes": total}

        address, method, size, count = sys.argv[1:]
        print(json.dumps([visit(address, method, int(size)) for _ in range(int(count))]))
        """#
}
