// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

extension StatusReport {
    /// The report as JSON that reads back as the same report.
    public var json: JSON {
        JSON(
            ("sandbox", sandbox?.json),
            ("devices", .list(devices.map(\.json))),
            ("leftovers", .texts(leftovers)),
            ("suspended", suspended.isEmpty ? nil : .list(suspended.map(\.json)))
        )
    }
}

extension StatusReport.Suspended {
    fileprivate var json: JSON {
        JSON(("interface", .text(interface)), ("profile", .text(profile)), ("traffic", .text(traffic)))
    }
}

extension StatusReport.Sandbox {
    fileprivate var json: JSON {
        JSON(("profile", .text(profile)), ("uplink", .text(uplink)), ("pid", .number(processID)))
    }
}

extension StatusReport.Device {
    fileprivate var json: JSON {
        JSON(
            ("interface", .text(interface)),
            ("index", .number(index)),
            ("rules", .list(rules.map(\.json))),
            ("leftovers", .texts(leftovers)),
            ("danglingFilters", danglingFilters.isEmpty ? nil : .list(danglingFilters.compactMap { .number($0) }))
        )
    }
}

extension StatusReport.Rule {
    fileprivate var json: JSON {
        JSON(
            ("rule", .number(number)),
            ("profile", .text(profile)),
            ("traffic", .text(traffic)),
            ("engine", .text(engine)),
            ("failsOpen", .bool(failsOpen)),
            ("since", .number(since)),
            ("uid", .number(userID)),
            ("pid", .number(processID)),
            ("ending", ending?.json),
            ("overlaps", overlaps.isEmpty ? nil : .list(overlaps.compactMap { .number($0) })),
            ("lanes", .list(lanes.map(\.json))),
            ("missing", .texts(missing.map(\.name))),
            ("askedBefore", .texts(askedBefore))
        )
    }
}

extension StatusReport.Ending {
    fileprivate var json: JSON {
        JSON(("guardian", .number(guardian)), ("until", .number(until)), ("confirmBy", .number(confirmBy)))
    }
}

extension StatusReport.LaneStatus {
    fileprivate var json: JSON {
        JSON(
            ("lane", .text(kind.name)),
            ("device", .text(device)),
            ("conditions", conditions?.json),
            ("limitPackets", .number(limitPackets)),
            ("matchedPackets", .number(matchedPackets)),
            ("sentPackets", .number(counters?.sentPackets)),
            ("sentBytes", .number(counters?.sentBytes)),
            ("droppedPackets", .number(counters?.droppedPackets)),
            ("heldPackets", .number(counters?.heldPackets)),
            ("heldBytes", .number(counters?.heldBytes))
        )
    }
}

extension JSON {
    /// An array of strings; nil for an empty one.
    fileprivate static func texts(_ texts: [String]) -> JSON? {
        texts.isEmpty ? nil : .list(texts.compactMap { .text($0) })
    }
}
