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

    /// The address of IPv4 that the packets of a host without IPv4 get beyond; nil for a host that has it.
    package var translatedAddress: IPAddress?

    /// Its address translator; nil for none.
    package var translation: AddressTranslation?
    /// How often its mappings were given other ports.
    package var rebinds = 0

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
        translatedAddress = json["translated"].flatMap { String(json: $0) }.flatMap { IPAddress($0) }
        // In the words of profiles.
        if let nat = json["nat"] {
            let profile = JSON(("name", "network"), ("nat", nat))
            guard let translation = (try? Profile(json: profile))?.translation else { return nil }
            self.translation = translation
        }
        guard let rebinds: Int = json.required("rebinds") else { return nil }
        self.rebinds = rebinds
        guard let texts else { return }
        let addresses = texts.compactMap { IPAddress($0) }
        guard addresses.count == texts.count else { return nil }
        self.addresses = addresses
    }

    private var nat: JSON? {
        var profile = Profile(name: "network")
        profile.translation = translation
        return profile.json["nat"]
    }

    package var json: JSON {
        JSON(
            ("up", JSON(.bool(isUp))),
            ("ipv6", .text(ipv6.rawValue)),
            ("translated", .text(translatedAddress?.description)),
            ("nat", nat),
            ("rebinds", .number(rebinds)),
            ("addresses", addresses.map { .list($0.map { JSON(.string($0.description)) }) })
        )
    }
}
