// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles

extension HostNetworkState {
    /// The members of `GET /v1/interfaces`.
    var interfacesJSON: JSON {
        JSON(("interfaces", .list(interfaces.map(\.json))), ("containers", containers ?? .list([])))
    }

    /// The text of `GET /v1/live` in pieces, of which only the lanes change between two readings of the rules.
    var pieces: LivePieces {
        let rules = report.devices.flatMap { device in
            device.rules.map { rule in
                let key = RuleKey(interface: device.interface, number: rule.number)
                return LivePieces.Rule(key: key, json: json(rule, device), plainLanes: rule.plainLanes)
            }
        }
        let remains = report.remains
        let members = JSON(
            ("problem", problem?.json),
            ("interfaces", .list(interfaces.map(\.json))),
            ("containers", containers ?? .list([])),
            ("suspended", .list(report.suspended.map(\.paneJSON))),
            ("leftovers", remains.json),
            ("repairs", repairs.isEmpty ? nil : repairs.json)
        )
        return LivePieces(members: members, rules: rules)
    }

    /// A rule without what changes with its traffic.
    private func json(_ rule: StatusReport.Rule, _ device: StatusReport.Device) -> JSON {
        let origin = origins[RuleKey(interface: device.interface, number: rule.number)]
        let warnings = [
            rule.missingWords(on: device), rule.askedBeforeWords,
            origin?.hasLostGuardian == true ? Self.lostGuardian : nil,
        ]
        return JSON(
            ("id", "\(device.interface)#\(rule.number)".json),
            ("interface", device.interface.json),
            ("rule", rule.number.json),
            ("profile", rule.profile?.json),
            ("profileKnown", rule.profile.map(knownProfiles.contains)?.json),
            ("traffic", rule.traffic.description.json),
            ("trafficWords", rule.traffic.words.json),
            ("everything", rule.traffic.isEverything.json),
            ("facing", rule.facing == .host ? nil : "peer"),
            ("engine", rule.engine.json),
            ("since", rule.since?.json),
            ("until", rule.ending?.until?.json),
            ("confirmBy", rule.ending?.confirmBy?.json),
            ("by", origin?.words?.json),
            ("endsWith", origin?.endsWith?.json),
            ("warnings", (warnings.compactMap { $0 } + rule.overlapWords(on: device)).json),
            ("faults", .list(rule.faults.map { JSON(("fault", $0.fault.json), ("packets", $0.packets.json)) })),
            ("packets", rule.lanes.reduce(0) { $0 &+ $1.matchedPackets }.json)
        )
    }

    private static let lostGuardian =
        "the process that ends it is gone: only Reset, or the next linkcond command after that time, does"
}

extension HostNetworkState.Interface {
    fileprivate var json: JSON {
        JSON(
            ("name", name.json),
            ("up", isUp.json),
            ("addresses", addresses.json),
            ("loopback", isLoopback.json),
            ("login", carriesLogin.json)
        )
    }
}

extension HostNetworkState.Problem {
    fileprivate var json: JSON {
        JSON(
            ("error", message.json),
            ("kind", kind.json),
            ("try", remedy?.json),
            // Without them, an empty list of rules would read as "nothing is on".
            ("rulesUnknown", hasRules ? nil : true)
        )
    }
}

extension StatusReport.Suspended {
    fileprivate var paneJSON: JSON {
        JSON(("interface", interface.json), ("profile", profile.json), ("traffic", traffic.description.json))
    }
}

extension StatusReport.Rule {
    /// The lanes with what was asked of them, where nothing measures them.
    fileprivate var plainLanes: JSON {
        .list(
            lanes.map { lane in
                let words = (lane.conditions?.words ?? []).json
                return JSON(("lane", lane.kind.json), ("device", lane.device.json), ("asked", JSON(("words", words))))
            }
        )
    }
}
