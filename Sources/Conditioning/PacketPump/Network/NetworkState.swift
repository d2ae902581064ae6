// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
package import Netlink

/// The state of the network beyond a device, besides the effects of its lanes on packets.
package struct NetworkState: Hashable, Sendable {
    /// Whether the link is up: while it is down, nothing passes.
    package var isUp = true
    /// The host's addresses on this network; packets from or to other addresses of the host are lost. Nil to lose none.
    package var addresses: [IPAddress]?

    /// The network's support for IPv6.
    package var ipv6 = IPv6Support.works

    /// The IPv4 address that a NAT64 gives the packets of a host without IPv4; nil if the host has IPv4.
    package var translatedAddress: IPAddress?

    /// The address translator; nil for none.
    package var translation: AddressTranslation?
    /// How often the translator has given its mappings other ports.
    package var rebinds = 0

    /// Describes a network that carries everything.
    package init() {}
}

extension NetworkState: JSONObject {
    package static let blank = NetworkState()

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("up", &isUp)
        members.required("ipv6", &ipv6)
        members.lenient("translated", &translatedAddress)
        members.optional("nat", &translation)
        members.required("rebinds", &rebinds)
        members.optional("addresses", &addresses)
    }
}

extension AddressTranslation: JSONConvertible {
    /// The value of `nat` in a profile.
    package var json: JSON {
        var profile = Profile(name: "network")
        profile.translation = self
        return profile.json["nat"] ?? JSON()
    }

    package init?(json: JSON) {
        let profile = try? Profile(json: JSON(("name", "network"), ("nat", json)))
        guard let translation = profile?.translation else { return nil }
        self = translation
    }
}
