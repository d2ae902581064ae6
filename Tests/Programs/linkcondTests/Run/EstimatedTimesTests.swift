// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

@testable import LinkPane

/// The times that the pane promises before it applies a profile, measured in a sandbox with that profile.
@Suite(.enabled(if: Kernel.hasSandboxes, "needs user and network namespaces"))
struct EstimatedTimesTests {
    private static let figures = "rate=8 Mbit/s,delay=20 ms"

    /// Prints the milliseconds of the fastest of five pings and of three pages of 1 MB from a server of its own.
    private static let client = """
        import re, socket, subprocess, threading, time
        pings = subprocess.run(["ping", "-c", "5", "-i", "0.3", "127.0.0.1"], capture_output=True, text=True).stdout
        print(min(float(time) for time in re.findall(r"time=([0-9.]+)", pings)))
        server = socket.create_server(("127.0.0.1", 8080))
        def serve():
            while True:
                peer, _ = server.accept()
                peer.recv(100)
                peer.sendall(bytes(1000000))
                peer.close()
        threading.Thread(target=serve, daemon=True).start()
        def page():
            start = time.monotonic()
            client = socket.create_connection(("127.0.0.1", 8080))
            client.sendall(b"GET /")
            while client.recv(65536):
                pass
            return (time.monotonic() - start) * 1000
        print(min(page() for _ in range(3)))
        """

    /// Tolerances: a ping takes 5 % longer at most, a page 25 %, since the model leaves out acknowledgements that wait
    /// and segments that the queue drops; neither is faster than the model by more than 3 %.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ping"), "needs ping"))
    func holdInASandbox() throws {
        let profile = try Profile(name: "measured").overriding([
            ("downlink", Self.figures), ("uplink", Self.figures),
        ])
        let estimate = LinkEstimate(profile)
        let options = ["run", "--offline", "--downlink", Self.figures, "--uplink", Self.figures]
        let command = [Program.path] + options + ["--", "/usr/bin/python3", "-c", Self.client]
        try Measurements.settle {
            let result = try Program.start(command)
            let measured = result.output.split(separator: "\n").compactMap { Double($0) }
            try #require(measured.count == 2, "\(result)")
            let ping = try Measurements.fault("ping", measured[0] / 1000 / estimate.ping, in: 0.97...1.05)
            return try ping ?? Measurements.fault("page", measured[1] / 1000 / estimate.page, in: 0.97...1.25)
        }
    }
}
