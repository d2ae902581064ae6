// SPDX-License-Identifier: Apache-2.0

/// What a list shows of a profile; "-" marks an untouched part of the link.
package struct ProfileOverview: Hashable, Sendable {
    /// The profile's name.
    package let name: String
    /// What happens to traffic towards the host.
    package let downlink: String
    /// What happens to traffic away from the host.
    package let uplink: String
    /// The delay that is added to queries to port 53.
    package let dns: String

    /// Makes an overview of words that `init(_:)` made at another time.
    package init(name: String, downlink: String, uplink: String, dns: String) {
        self.name = name
        self.downlink = downlink
        self.uplink = uplink
        self.dns = dns
    }

    /// Makes the overview of `profile`.
    package init(_ profile: Profile) {
        let steps = profile.schedule?.steps ?? []
        func words(_ impairments: Impairments?, isScheduled: Bool) -> String {
            let words = (impairments?.words ?? []) + (isScheduled ? ["changing with time"] : [])
            return words.isEmpty ? "-" : words.joined(separator: ", ")
        }
        self.init(
            name: profile.name,
            downlink: words(profile.downlink, isScheduled: steps.contains { $0.downlink != nil }),
            uplink: words(profile.uplink, isScheduled: steps.contains { $0.uplink != nil }),
            dns: profile.dns.map { "+ \($0.delay.text)" } ?? "-"
        )
    }
}
