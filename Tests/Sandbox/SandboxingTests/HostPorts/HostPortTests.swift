// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Sandboxing

@Suite struct HostPortTests {
    @Test(
        arguments: [
            ("5432", 5432, .tcp, "5432"), ("5432/tcp", 5432, .tcp, "5432"), ("53/udp", 53, .udp, "53/udp"),
            ("1", 1, .tcp, "1"), ("65535", 65535, .tcp, "65535"),
        ] as [(String, UInt16, HostPort.Transport, String)]
    )
    func readsPorts(text: String, port: UInt16, transport: HostPort.Transport, written: String) throws {
        let read = try #require(HostPort(text))
        #expect(read == HostPort(port: port, transport: transport))
        #expect(read.description == written)
    }

    @Test(
        arguments: [
            "", "0", "65536", "+5", "-5", "x", " 5", "5 ", "5 432", "5.0", "0x50", "/tcp", "5/", "5/TCP", "5/sctp",
            "5/tcp/tcp", "5//udp", "٥", "99999999999999999999",
        ]
    )
    func refusesOtherText(text: String) {
        #expect(HostPort(text) == nil)
    }
}
