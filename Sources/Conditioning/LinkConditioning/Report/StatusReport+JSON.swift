// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

extension StatusReport {
    /// The report as JSON that reads back as the same report.
    public var json: JSON { written }

    /// Parses JSON that `json` made, ignoring unknown members; nil for anything else.
    public init?(json: JSON) {
        self.init(reading: json)
    }
}

extension StatusReport: JSONObject {
    package static let blank = StatusReport(devices: [], abandoned: [])

    package mutating func describe(_ members: inout JSONMembers) {
        members.optional("sandbox", &sandbox)
        members.required("devices", &devices)
        members.list("leftovers", &leftovers)
        members.list("suspended", &suspended)
    }
}

extension StatusReport.Suspended: JSONObject {
    package static let blank = StatusReport.Suspended(interface: "", profile: "", traffic: Selection())

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("interface", &interface)
        members.required("profile", &profile)
        members.required("traffic", &traffic)
    }
}

extension StatusReport.Sandbox: JSONObject {
    package static let blank = StatusReport.Sandbox(profile: nil, uplink: nil, processID: 0)

    package mutating func describe(_ members: inout JSONMembers) {
        members.optional("profile", &profile)
        members.optional("uplink", &uplink)
        members.list("network", &network)
        members.list("paths", &paths)
        members.required("pid", &processID)
    }
}

extension StatusReport.Device: JSONObject {
    package static let blank = StatusReport.Device(
        interface: "",
        index: 0,
        rules: [],
        leftovers: [],
        danglingFilters: []
    )

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("interface", &interface)
        members.required("index", &index)
        members.required("rules", &rules)
        members.list("leftovers", &leftovers)
        members.list("danglingFilters", &danglingFilters)
    }
}

extension StatusReport.Rule: JSONObject {
    package static let blank = StatusReport.Rule(
        number: 0,
        traffic: Selection(),
        engine: "",
        lanes: [],
        askedBefore: []
    )

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("rule", &number)
        members.optional("profile", &profile)
        members.required("traffic", &traffic)
        var described: Facing? = facing
        members.optional("facing", &described)
        facing = described ?? .host
        members.required("engine", &engine)
        members.optional("failsOpen", &failsOpen)
        members.optional("since", &since)
        members.optional("uid", &userID)
        members.optional("pid", &processID)
        members.optional("ending", &ending)
        members.list("overlaps", &overlaps)
        members.required("lanes", &lanes)
        members.list("faults", &faults)
        members.list("missing", &missing)
        members.list("askedBefore", &askedBefore)
    }
}

extension StatusReport.FaultStatus: JSONObject {
    package static let blank = StatusReport.FaultStatus(fault: "", packets: 0)

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("fault", &fault)
        members.required("packets", &packets)
    }
}

extension StatusReport.Ending: JSONObject {
    package static let blank = StatusReport.Ending(guardian: 0)

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("guardian", &guardian)
        members.optional("until", &until)
        members.optional("confirmBy", &confirmBy)
    }
}

extension StatusReport.LaneStatus: JSONObject {
    package static let blank = StatusReport.LaneStatus(kind: .uplink, device: "", matchedPackets: 0)

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("lane", &kind)
        members.required("device", &device)
        members.optional("conditions", &conditions)
        members.optional("limitPackets", &limitPackets)
        members.required("matchedPackets", &matchedPackets)
        // The counters are all present or all absent, since they have one source.
        let names = ["sentPackets", "sentBytes", "droppedPackets", "heldPackets", "heldBytes"]
        guard counters != nil || members.contains(anyOf: names) else { return }
        var counters = counters ?? StatusReport.Counters()
        members.required("sentPackets", &counters.sentPackets)
        members.required("sentBytes", &counters.sentBytes)
        members.required("droppedPackets", &counters.droppedPackets)
        members.required("heldPackets", &counters.heldPackets)
        members.optional("heldBytes", &counters.heldBytes)
        members.optional("percentBehindOthers", &counters.percentBehindOthers)
        self.counters = counters
    }
}
