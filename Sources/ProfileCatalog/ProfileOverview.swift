// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// What a list shows of a profile; "-" marks an untouched part of the link.
public struct ProfileOverview: Hashable, Sendable {
    /// The profile's name.
    public let name: String
    /// What happens to traffic towards the host.
    public let downlink: String
    /// What happens to traffic away from the host.
    public let uplink: String
    /// The delay that is added to queries to port 53.
    public let dns: String

    init(name: String, downlink: String, uplink: String, dns: String) {
        self.name = name
        self.downlink = downlink
        self.uplink = uplink
        self.dns = dns
    }

    /// Makes the overview of `profile`.
    public init(_ profile: Profile) {
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
