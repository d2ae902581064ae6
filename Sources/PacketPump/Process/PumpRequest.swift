// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A request to a pump's process.
package enum PumpRequest: Hashable, Sendable {
    /// Starts pumps with these conditions, each of which may hold packets of `memory` bytes. The TAP devices follow.
    /// Answered by a `PumpAnswer`.
    case start([PumpedDevice], Profile, memory: Int)
    /// Uses other conditions from now on, for the device of the socket. Answered by a `PumpAnswer`.
    case use(Profile)
    /// Uses the previous conditions again. Answered by a `PumpAnswer`.
    case revert
    /// Records packets from now on, where the process was started for that. Answered by a `PumpAnswer`.
    case record
    /// Sends a descriptor of the watchdog, after a `PumpAnswer`.
    case watchdog
    /// Reports conditions and counters. Answered by a `PumpAnswer` with all members, then by a descriptor of the
    /// counters.
    case report

    /// Parses `json`; nil if it is not a request.
    package init?(json: JSON) {
        let profile = json["profile"].flatMap { try? Profile(json: $0) }
        switch (json["do"].flatMap { String(json: $0) }, profile) {
        case ("start", let profile?):
            guard let devices: [PumpedDevice] = json.required("devices"), let memory: Int = json.required("memory")
            else { return nil }
            self = .start(devices, profile, memory: memory)
        case ("use", let profile?): self = .use(profile)
        case ("revert", nil): self = .revert
        case ("record", nil): self = .record
        case ("report", nil): self = .report
        case ("watchdog", nil): self = .watchdog
        default: return nil
        }
    }

    /// The request as JSON.
    package var json: JSON {
        switch self {
        case .start(let devices, let profile, let memory):
            JSON(
                ("do", "start"),
                ("devices", .list(devices.map(\.json))),
                ("profile", profile.json),
                ("memory", .number(memory))
            )
        case .use(let profile): JSON(("do", "use"), ("profile", profile.json))
        case .revert: JSON(("do", "revert"))
        case .record: JSON(("do", "record"))
        case .report: JSON(("do", "report"))
        case .watchdog: JSON(("do", "watchdog"))
        }
    }
}
