// SPDX-License-Identifier: Apache-2.0

internal import Netlink
package import TrafficControl

extension StatusReport {
    /// Makes the report from the state that an `Inspector` has read.
    package init(devices: [DeviceState], abandoned: [LaneState]) {
        self.devices = devices.map { Device($0) }
        leftovers = abandoned.map(\.name.description)
    }
}

extension StatusReport.Device {
    fileprivate init(_ state: DeviceState) {
        interface = state.link.name
        index = state.link.index
        rules = state.rules.map { rule in
            var status = StatusReport.Rule(rule, foreign: state.foreign)
            status.overlaps = state.rules.filter { $0.number != rule.number && $0.selection.overlaps(rule.selection) }
                .map(\.number)
            return status
        }
        leftovers = state.orphans.map(\.name.description)
        danglingFilters = state.danglingFilters.map(\.preference)
    }
}

extension StatusReport.Rule {
    fileprivate init(_ state: RuleState, foreign: [DeviceState.Foreign]) {
        let alias = state.alias
        number = state.number
        profile = alias?.profile
        traffic = state.selection
        facing = state.facing
        engine = state.isPumped ? "userspace" : "netem"
        failsOpen = state.isPumped ? state.failsOpen : nil
        since = alias?.appliedAt
        userID = alias?.userID
        processID = alias?.processID
        if state.lanes.contains(where: \.isAtRoot) { (profile, since, userID, processID) = (nil, nil, nil, nil) }
        lanes = state.lanes.map { StatusReport.LaneStatus($0) }
        let first = state.lanes.compactMap { $0.filter?.preference }.min() ?? 0
        askedBefore = foreign.filter { ($0.preference ?? 0) < first }.map(\.description)
    }
}

extension StatusReport.LaneStatus {
    fileprivate init(_ state: LaneState) {
        let lane = state.isAltered ? nil : state.lane
        kind = state.name.kind
        device = state.isAtRoot ? state.link.name : state.name.description
        conditions = lane?.impairments
        limitPackets = lane.flatMap { $0.policer == nil ? $0.netem.limit : nil }
        matchedPackets = state.matchedPackets
        counters = state.statistics.map { StatusReport.Counters($0) }
        if state.isAtRoot, let counters {
            matchedPackets = counters.sentPackets + counters.droppedPackets + counters.heldPackets
        }
    }
}

extension StatusReport.Counters {
    fileprivate init(_ statistics: QdiscStatistics) {
        sentPackets = statistics.packets
        sentBytes = statistics.bytes
        droppedPackets = UInt64(statistics.drops)
        heldPackets = UInt64(statistics.queuedPackets)
        heldBytes = UInt64(statistics.queuedBytes)
    }
}
