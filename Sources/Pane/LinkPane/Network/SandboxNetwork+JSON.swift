// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles

extension SandboxFollower.State {
    /// The text of `GET /v1/live` in pieces; the lanes are missing.
    var pieces: LivePieces {
        let devices = end == nil ? status?.devices ?? [] : []
        let rules = devices.flatMap { device in
            device.rules.map { rule in
                LivePieces.Rule(
                    key: RuleKey(interface: device.interface, number: rule.number),
                    json: rule.json(on: device.interface),
                    plainLanes: .list(rule.lanes.map(\.paneJSON))
                )
            }
        }
        let members = JSON(
            (
                "problem",
                problem.map { problem in
                    JSON(
                        ("error", .text(problem.message)),
                        ("kind", .text(problem.kind)),
                        // Without them, an empty list of rules would read as "nothing is on".
                        ("rulesUnknown", status == nil ? true : nil)
                    )
                }
            ),
            ("interfaces", interfaces ?? .list([])),
            ("containers", .list([])),
            ("suspended", .list(end == nil ? (status?.suspended ?? []).map(\.paneJSON) : [])),
            ("leftovers", .list([])),
            ("run", runWithEnd)
        )
        return LivePieces(members: members, rules: rules)
    }
}

extension StatusReport.Suspended {
    fileprivate var paneJSON: JSON {
        JSON(("interface", .text(interface)), ("profile", .text(profile)), ("traffic", .text(traffic.description)))
    }
}

extension StatusReport.Rule {
    fileprivate func json(on interface: String) -> JSON {
        JSON(
            ("id", .text("\(interface)#\(number)")),
            ("interface", .text(interface)),
            ("rule", .number(number)),
            ("profile", .text(profile)),
            ("traffic", .text(traffic.description)),
            ("trafficWords", .text(traffic.words)),
            ("everything", .bool(traffic.isEverything)),
            ("engine", .text(engine)),
            ("since", .number(since)),
            ("warnings", .list([])),
            ("faults", .list(faults.map { JSON(("fault", .text($0.fault)), ("packets", .number($0.packets))) })),
            ("packets", .number(lanes.reduce(0) { $0 &+ $1.matchedPackets }))
        )
    }
}

extension StatusReport.LaneStatus {
    /// The lane without measured figures.
    fileprivate var paneJSON: JSON {
        let words = (conditions?.words ?? []).map { JSON(.string($0)) }
        return JSON(("lane", .text(kind.name)), ("device", .text(device)), ("asked", JSON(("words", .list(words)))))
    }
}
