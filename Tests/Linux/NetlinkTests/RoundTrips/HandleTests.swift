// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Testing

@testable import Netlink

@Suite struct HandleTests {
    @Test(arguments: [
        (Handle.root, "root"), (.clsact, "clsact"), (.ingress, "ingress"), (.egress, "egress"), (.none, "0:"),
        (Handle(1), "1:"), (Handle(1, 1), "1:1"), (Handle(0x10), "10:"), (Handle(0x7FC0, 0xAB), "7fc0:ab"),
        (Handle(0xFFFF), "ffff:"), (Handle(0, 1), "0:1"),
    ]) func readsAsTcPrintsIt(_ handle: Handle, _ text: String) {
        #expect(handle.description == text)
    }

    @Test func hasTheKernelsNumbers() {
        #expect(Handle.root.rawValue == TC_H_ROOT)
        #expect(Handle.clsact.rawValue == TC_H_INGRESS)
        #expect(Handle.ingress.rawValue == 0xFFFF_0000 | UInt32(TC_H_MIN_INGRESS))
        #expect(Handle.egress.rawValue == 0xFFFF_0000 | UInt32(TC_H_MIN_EGRESS))
        #expect(Handle(0x10, 2).rawValue == 0x0010_0002)
    }
}
