// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// The first use after boot, when the kernel has to load its modules.
    @Suite struct Modules {
        /// The module ifb makes two devices of its own. It is unloaded only in the lab: elsewhere it may be in use.
        @Test(.enabled(if: Kernel.isLab, "unloads a module: lab only"))
        func leaveNoDevicesOfTheirOwn() throws {
            try Shell.check("ip link add module0 type veth peer name module1")
            defer { _ = try? Shell.run("ip link del module0") }
            try Shell.check("rmmod ifb")
            let before = try Shell.check("ip -br link")
            #expect(try Shell.linkcond("apply 'Black Hole' -i module0").status == 0)
            #expect(!(try Shell.check("ip -br link")).contains("ifb0"))
            #expect(try Shell.linkcond("reset --now").status == 0)
            #expect(try Shell.check("ip -br link") == before)
        }
    }
}
