// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import Reachability

@Suite struct LinkContextTests {
    private static func path(_ interface: String?) -> Path {
        var path = Path(.satisfied)
        path.interface = interface
        return path
    }

    @Test func saysWhereAProgramStandsBetween() {
        var context = LinkContext()
        context.uplinks = ["lc0", "lc1"]
        #expect(context.via(Self.path("lc0")) == "uplink")
        #expect(context.via(Self.path("lc1")) == "uplink")
        #expect(context.via(Self.path("eth0")) == nil)
        #expect(context.via(Self.path(nil)) == nil)
        #expect(context.via(nil) == nil)
        #expect(LinkContext().via(Self.path("lc0")) == nil)
    }
}
