// SPDX-License-Identifier: Apache-2.0

/// Which part of a rule's traffic a lane carries.
public enum LaneKind: String, CaseIterable, Hashable, Sendable {
    /// Packets that leave for port 53.
    case dns
    /// Packets that leave.
    case uplink
    /// Packets that arrive.
    case downlink

    /// The letter in the name of the lane's device.
    var letter: Character {
        switch self {
        case .dns: "n"
        case .uplink: "u"
        case .downlink: "d"
        }
    }

    /// The place among a rule's filters: DNS is picked out of the uplink before the rest.
    var order: UInt16 {
        switch self {
        case .dns: 0
        case .uplink: 1
        case .downlink: 2
        }
    }
}
