// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

extension StatusReport: JSONReadable {
    /// Reads what `json` wrote, ignoring unknown members; nil for anything else.
    public init?(json: JSON) {
        guard let sandbox: Sandbox? = json.optional("sandbox"),
            let devices: [Device] = json.required("devices"),
            let leftovers: [String]? = json.optional("leftovers"),
            let suspended: [Suspended]? = json.optional("suspended")
        else { return nil }
        self.sandbox = sandbox
        self.devices = devices
        self.leftovers = leftovers ?? []
        self.suspended = suspended ?? []
    }
}

extension StatusReport.Suspended: JSONReadable {
    package init?(json: JSON) {
        guard let interface: String = json.required("interface"),
            let profile: String = json.required("profile"),
            let traffic: Selection = json.required("traffic")
        else { return nil }
        self.init(interface: interface, profile: profile, traffic: traffic)
    }
}

extension StatusReport.Sandbox: JSONReadable {
    package init?(json: JSON) {
        guard let profile: String? = json.optional("profile"),
            let uplink: String? = json.optional("uplink"),
            let processID: Int32 = json.required("pid")
        else { return nil }
        self.init(profile: profile, uplink: uplink, processID: processID)
    }
}

extension StatusReport.Device: JSONReadable {
    package init?(json: JSON) {
        guard let interface: String = json.required("interface"),
            let index: Int32 = json.required("index"),
            let rules: [StatusReport.Rule] = json.required("rules"),
            let leftovers: [String]? = json.optional("leftovers"),
            let danglingFilters: [UInt16]? = json.optional("danglingFilters")
        else { return nil }
        self.interface = interface
        self.index = index
        self.rules = rules
        self.leftovers = leftovers ?? []
        self.danglingFilters = danglingFilters ?? []
    }
}

extension StatusReport.Rule: JSONReadable {
    package init?(json: JSON) {
        guard let number: Int = json.required("rule"),
            let profile: String? = json.optional("profile"),
            let traffic: Selection = json.required("traffic"),
            let engine: String = json.required("engine"),
            let since: Int? = json.optional("since"),
            let userID: UInt32? = json.optional("uid"),
            let processID: Int32? = json.optional("pid"),
            let failsOpen: Bool? = json.optional("failsOpen"),
            let ending: StatusReport.Ending? = json.optional("ending"),
            let overlaps: [Int]? = json.optional("overlaps"),
            let lanes: [StatusReport.LaneStatus] = json.required("lanes"),
            let missing: [Lane]? = json.optional("missing"),
            let askedBefore: [String]? = json.optional("askedBefore")
        else { return nil }
        self.number = number
        self.profile = profile
        self.traffic = traffic
        self.engine = engine
        self.failsOpen = failsOpen
        self.since = since
        self.userID = userID
        self.processID = processID
        self.ending = ending
        self.overlaps = overlaps ?? []
        self.lanes = lanes
        self.missing = missing ?? []
        self.askedBefore = askedBefore ?? []
    }
}

extension StatusReport.Ending: JSONReadable {
    package init?(json: JSON) {
        guard let guardian: Int32 = json.required("guardian"),
            let until: Int? = json.optional("until"),
            let confirmBy: Int? = json.optional("confirmBy")
        else { return nil }
        self.init(guardian: guardian, until: until, confirmBy: confirmBy)
    }
}

extension StatusReport.LaneStatus: JSONReadable {
    package init?(json: JSON) {
        guard let kind: Lane = json.required("lane"),
            let device: String = json.required("device"),
            let conditions: Impairments? = json.optional("conditions"),
            let limitPackets: UInt32? = json.optional("limitPackets"),
            let matchedPackets: UInt64 = json.required("matchedPackets")
        else { return nil }
        self.kind = kind
        self.device = device
        self.conditions = conditions
        self.limitPackets = limitPackets
        self.matchedPackets = matchedPackets
        let names = ["sentPackets", "sentBytes", "droppedPackets", "heldPackets", "heldBytes"]
        // All of them or none: they have one source.
        guard names.contains(where: { json[$0] != nil }) else { return }
        guard let counters = StatusReport.Counters(json: json) else { return nil }
        self.counters = counters
    }
}

extension StatusReport.Counters: JSONReadable {
    package init?(json: JSON) {
        guard let sentPackets: UInt64 = json.required("sentPackets"),
            let sentBytes: UInt64 = json.required("sentBytes"),
            let droppedPackets: UInt64 = json.required("droppedPackets"),
            let heldPackets: UInt64 = json.required("heldPackets"),
            let heldBytes: UInt64? = json.optional("heldBytes")
        else { return nil }
        self.sentPackets = sentPackets
        self.sentBytes = sentBytes
        self.droppedPackets = droppedPackets
        self.heldPackets = heldPackets
        self.heldBytes = heldBytes
    }
}
