// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import TrafficControl

extension Classifier {
    /// A classifier for the egress hook of an Ethernet device.
    static func leaving(_ selection: String = "everything", _ condition: Condition = .any) throws -> Classifier {
        let selection = try #require(Selection(selection))
        return Classifier(
            selection: selection,
            condition: condition,
            remote: .destination,
            networkOffset: 14
        )
    }

    /// Whether `packet` matches in the kernel.
    func picks(_ packet: Packet) throws -> Bool {
        let program = try #require(self.program())
        let answer = try BPFInterpreter(program).answer(to: packet, networkOffset: networkOffset)
        try #require([0, UInt32.max].contains(answer), "cls_bpf takes other answers for class numbers")
        return answer == .max
    }
}
