// SPDX-License-Identifier: Apache-2.0

internal import Netlink

extension Link {
    /// Whether linkcond has made the device to condition others: then it is no link of the host's.
    ///
    /// An ifb says so by its name from the beginning, `lc2r1u` or `lc2r1u3`; a TAP device by its alias only,
    /// a change of which the kernel tells with the next other one while the device is down (netdev_state_change).
    var isOwn: Bool {
        switch kind {
        case "ifb": hasLaneName || hasOwnAlias
        case "tun": hasOwnAlias
        default: false
        }
    }

    private var hasOwnAlias: Bool { alias?.hasPrefix("linkcond ") == true }

    private var hasLaneName: Bool {
        var rest = Substring(name)
        func takeDigits() -> Bool {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest = rest[digits.endIndex...]
            return !digits.isEmpty
        }
        guard rest.hasPrefix("lc") else { return false }
        rest = rest.dropFirst(2)
        guard takeDigits(), rest.popFirst() == "r", takeDigits(), let lane = rest.popFirst(), "udn".contains(lane)
        else { return false }
        return rest.isEmpty || takeDigits() && rest.isEmpty
    }
}
