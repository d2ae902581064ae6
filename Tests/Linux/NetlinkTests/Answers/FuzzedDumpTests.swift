// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Glibc
import TestKit
import Testing

@testable import Netlink

/// Dumps whose bytes are damaged: whatever is read stays within them.
@Suite struct FuzzedDumpTests {
    private static let sound: [[UInt8]] =
        [
            ScriptedKernel.link(1, "lo") + ScriptedKernel.link(2, "eth0") + ScriptedKernel.done(),
            ScriptedKernel.link(7, "eth7") + ScriptedKernel.done(-ENOMEM, text: "no memory"),
        ] + MalformedAnswerTests.requests.map(\.bytes)

    @Test(arguments: [1, 2] as [UInt64])
    func readsWithinTheBytesOfADump(seed: UInt64) {
        var inputs = FuzzedInputs(Self.sound, seed: seed)
        var read = 0
        for _ in 0..<FuzzedInputs.count {
            let datagram = inputs.next()
            let replies = Array(MessageSequence(datagram))
            let taken = replies.reduce(0) { $0 + $1.body.count + MemoryLayout<nlmsghdr>.size }
            if taken > datagram.count { Issue.record("\(datagram) gives \(taken) bytes") }
            for reply in replies {
                if Qdisc(reply) != nil || Link(reply) != nil || Filter(reply, hook: .egress) != nil { read += 1 }
            }
            let connection = RouteConnection(ScriptedKernel([datagram]))
            _ = (try? connection.links(), try? connection.qdiscs(), try? connection.filters(on: 7, hook: .egress))
        }
        #expect(read > FuzzedInputs.count / 100)
    }
}
