// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit
import Testing

/// The packets that report.json counts.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct PacketCountTests {
    private static let client = """
        import socket
        client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for number in range(5): client.sendto(b"datagram", ("127.0.0.1", 9))
        """

    /// A command that has ended does not wait for its last packets. The link has not lost them.
    @Test(arguments: [("delay=5 s", 0, 5), ("loss=100 %", 5, 0)])
    func tellPacketsOnTheLinkFromLostOnes(uplink: String, dropped: Int, undelivered: Int) throws {
        let files = try TemporaryDirectory()
        let options = ["--offline", "--uplink", uplink, "--report", "\(files.path)/report"]
        try Program.start([Program.path, "run"] + options + ["--", "/usr/bin/python3", "-c", Self.client])
            .requireSuccess()
        let totals = try JSON(utf8: Array(try files.read("report/report.json").utf8))["totals"]
        #expect(totals?.required("packets") == 5)
        #expect(totals?.required("dropped") == dropped)
        #expect(totals?.required("undelivered") == undelivered)
        let page = try files.read("report/report.html")
        #expect(page.contains("On the link at the end") == (undelivered > 0))
        #expect(page.contains("Dropped: random loss") == (dropped > 0))
    }
}
