// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
package import Netlink

/// What the network beyond a device is like, besides what its lanes do to packets.
package struct NetworkState: Hashable, Sendable {
    /// Whether the link is up: while it is down, nothing passes.
    package var isUp = true
    /// The host's addresses there: packets from and to others are lost. Nil if the network carries those of any.
    package var addresses: [IPAddress]?

    /// How it carries IPv6.
    package var ipv6 = IPv6Support.works

    /// Describes a network that carries everything.
    package init() {}
}

extension NetworkState: JSONConvertible {
    package init?(json: JSON) {
        guard let isUp: Bool = json.required("up"), let texts: [String]? = json.optional("addresses")
        else { return nil }
        let word = json["ipv6"].flatMap { String(json: $0) }
        guard let ipv6 = word.flatMap(IPv6Support.init(rawValue:)) else { return nil }
        (self.isUp, self.ipv6) = (isUp, ipv6)
        guard let texts else { return }
        let addresses = texts.compactMap { IPAddress($0) }
        guard addresses.count == texts.count else { return nil }
        self.addresses = addresses
    }

    package var json: JSON {
        JSON(
            ("up", JSON(.bool(isUp))),
            ("ipv6", .text(ipv6.rawValue)),
            ("addresses", addresses.map { .list($0.map { JSON(.string($0.description)) }) })
        )
    }
}
