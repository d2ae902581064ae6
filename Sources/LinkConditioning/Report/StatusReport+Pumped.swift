// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

extension StatusReport {
    /// Makes the report on rules that a pump carries: the kernel does not know what becomes of their packets.
    public init(pumped devices: [Device]) {
        self.devices = devices
        leftovers = []
    }
}

extension StatusReport.Device {
    /// Makes a device with the one rule that a pump carries on it.
    public init(_ name: String, index: Int32, pumped request: RuleRequest, lanes: [StatusReport.Lane]) {
        interface = name
        self.index = index
        rules = [
            StatusReport.Rule(
                number: 1,
                profile: request.profile.name,
                traffic: request.selection,
                engine: Engine.userspace.rawValue,
                since: request.origin.time,
                userID: request.origin.userID,
                processID: request.origin.processID,
                lanes: lanes,
                askedBefore: []
            )
        ]
        leftovers = []
        danglingFilters = []
    }
}

extension StatusReport.Lane {
    /// Makes a lane of a pump.
    public init(
        _ kind: LaneKind,
        device: String,
        conditions: Impairments,
        arrived: UInt64,
        counters: StatusReport.Counters
    ) {
        self.kind = kind
        self.device = device
        self.conditions = conditions
        limitPackets = nil
        matchedPackets = arrived
        self.counters = counters
    }
}

extension StatusReport.Counters {
    /// Makes what a pump has counted; it does not count the bytes that it holds by lane.
    public init(sent: UInt64, bytes: UInt64, dropped: UInt64, held: UInt64) {
        sentPackets = sent
        sentBytes = bytes
        droppedPackets = dropped
        heldPackets = held
        heldBytes = nil
    }
}
