// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

extension Profile {
    /// The broken parts of the link, in words: each fault, an address translator that expires mappings or filters,
    /// missing IPv6 or IPv4, and each outage of the schedule. Empty for a link that is only slow or lossy.
    package var brokenWords: [String] {
        let translation = translation.flatMap { $0 == AddressTranslation() ? nil : $0.words }
        return faults.map(\.words) + [translation, ipv6?.words].compactMap { $0 } + outageWords
    }

    /// The steps of the schedule during which a direction loses all packets, in words.
    private var outageWords: [String] {
        guard let schedule else { return [] }
        return schedule.steps.enumerated().compactMap { index, step in
            let figures = [(Direction.downlink, step.downlink, downlink), (.uplink, step.uplink, uplink)]
            let lost = figures.filter { ($1?.loss ?? $2?.loss) == .random(.one) }.map(\.0)
            guard let first = lost.first else { return nil }
            let end = index + 1 < schedule.steps.count ? schedule.steps[index + 1].at : schedule.repeat
            let place = lost.count == 2 ? "" : " in the \(first.rawValue)"
            let time = end.map { "from \(step.at.text) to \($0.text)" } ?? "from \(step.at.text) on"
            return "lose: everything\(place) \(time)" + (schedule.repeat.map { ", every \($0.text)" } ?? "")
        }
    }
}

extension LoadedProfile {
    /// Whether the network is wrong, and not only bad. A built-in preset of a tool or a standard is not counted as broken:
    /// its outages are part of a test of its own.
    package var isBroken: Bool {
        !profile.brokenWords.isEmpty && !(isBuiltIn && ProfileOrigin.isPreset(profile.name))
    }
}

extension Catalog {
    /// The names of the built-in scenarios that are broken networks, and not presets of a tool or a standard.
    package static var brokenScenarioNames: [String] { scenarioNames.filter { !ProfileOrigin.isPreset($0) } }
}
