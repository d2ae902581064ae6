// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension Lane {
    /// The letter in the name of the lane's device and in the cookie of its filter.
    var letter: Character {
        switch self {
        case .dns: "n"
        case .uplink: "u"
        case .downlink: "d"
        }
    }

    /// The position among a rule's filters: the DNS filter precedes that of the uplink.
    package var order: UInt16 {
        switch self {
        case .dns: 0
        case .uplink: 1
        case .downlink: 2
        }
    }
}
