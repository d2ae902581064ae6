// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Netlink

/// The kernel has carried a request out, but has no memory to hand over the answer.
@Suite struct ShortMemoryTests {
    private func read(failing times: Int, code: CInt) throws(NetlinkError) -> Int {
        var reads = 0
        return try NetlinkSocket.whileMemoryIsShort(attempts: 5, pause: 0) { () throws(NetlinkError) in
            reads += 1
            guard reads > times else { throw NetlinkError(operation: "add ifb lc2r1u", code: code) }
            return reads
        }
    }

    @Test func readsTheAnswerAgain() throws {
        #expect(try read(failing: 0, code: ENOMEM) == 1)
        #expect(try read(failing: 4, code: ENOMEM) == 5)
    }

    @Test func givesUpAtLast() {
        #expect(throws: NetlinkError.self) { try read(failing: 5, code: ENOMEM) }
    }

    @Test func passesOtherErrorsOn() {
        #expect(throws: NetlinkError(operation: "add ifb lc2r1u", code: ENOBUFS)) {
            try read(failing: 1, code: ENOBUFS)
        }
    }
}
