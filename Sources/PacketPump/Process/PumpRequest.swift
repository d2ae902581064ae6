// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// What a pump's process is asked.
package enum PumpRequest: Hashable, Sendable {
    /// To make these TAP devices and begin with these conditions. Answered by a `PumpAnswer`.
    case start([PumpedDevice], Profile)
    /// To use other conditions from now on: on every device, or on one where it is asked at that one's socket.
    case use(Profile)
    /// To use those that it had before.
    case revert
    /// To tell what it carries and has counted: answered by a `PumpAnswer` with all members, then by a descriptor of the
    /// counters.
    case report

    /// Reads what `json` wrote; nil for anything else.
    package init?(json: JSON) {
        let profile = json["profile"].flatMap { try? Profile(json: $0) }
        switch (json["do"].flatMap { String(json: $0) }, profile) {
        case ("start", let profile?):
            guard let devices: [PumpedDevice] = json.required("devices") else { return nil }
            self = .start(devices, profile)
        case ("use", let profile?): self = .use(profile)
        case ("revert", nil): self = .revert
        case ("report", nil): self = .report
        default: return nil
        }
    }

    /// The request as JSON.
    package var json: JSON {
        switch self {
        case .start(let devices, let profile):
            JSON(("do", "start"), ("devices", .list(devices.map(\.json))), ("profile", profile.json))
        case .use(let profile): JSON(("do", "use"), ("profile", profile.json))
        case .revert: JSON(("do", "revert"))
        case .report: JSON(("do", "report"))
        }
    }
}
