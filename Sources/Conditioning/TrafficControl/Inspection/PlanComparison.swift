// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Compares the kernel's state with a plan.
enum PlanComparison {
    /// The differences between the expected lanes and the device's state.
    static func differences(_ expected: [ExpectedLane], in state: DeviceState) -> [String] {
        expected.flatMap { wanted -> [String] in
            guard let found = state.lanes.first(where: { $0.name == wanted.name }) else {
                return ["\(wanted.name) is missing"]
            }
            var differences: [String] = []
            if !found.link.isUp { differences.append("\(wanted.name) is down") }
            // A pump's conditions cannot be read from the kernel.
            if let lane = wanted.lane, let summary = found.lane.map({ difference(between: lane, and: $0) }) {
                if let summary { differences.append("\(wanted.name): \(summary)") }
            } else if wanted.lane != nil {
                differences.append("\(wanted.name) has no netem")
            }
            if found.filter?.listed != wanted.filter.listed {
                differences.append("the filter to \(wanted.name) differs")
            }
            return differences
        }
    }

    /// The difference between the expected root qdisc and the device's state; empty if no root qdisc is expected.
    static func difference(_ expected: LaneQdiscs?, in state: DeviceState) -> [String] {
        guard let expected else { return [] }
        guard let lane = state.lanes.first(where: \.isAtRoot), let found = lane.lane, !lane.isAltered else {
            return ["the root qdisc of \(state.link.name) is not the requested one"]
        }
        return difference(between: expected, and: found).map { ["\(state.link.name): \($0)"] } ?? []
    }

    /// The difference between a lane read from the kernel and the requested one; nil if there is none.
    static func difference(between wanted: LaneQdiscs, and found: LaneQdiscs) -> String? {
        let netems = [(wanted.path, found.path), (wanted.netem, found.netem)]
        for case (let wanted?, let found) in netems where !matches(wanted, found) {
            return "asked for \(wanted), found \(found.map { "\($0)" } ?? "none")"
        }
        if wanted.path == nil, let extra = found.path { return "asked for one netem, found another: \(extra)" }
        guard wanted.policer == found.policer else {
            return "asked for \(summary(wanted.policer)), found \(summary(found.policer))"
        }
        switch (wanted.splitter, found.splitter) {
        case (nil, nil): return nil
        case (let bucket?, let other?) where bucket.matches(other): return nil
        default: return "asked for \(summary(wanted.splitter)), found \(summary(found.splitter))"
        }
    }

    private static func matches(_ wanted: Netem, _ found: Netem?) -> Bool {
        var netem = wanted.readable
        // Without a seed in the request, the kernel chooses one.
        if netem.seed == nil { netem.seed = found?.seed }
        return netem == found
    }

    private static func summary(_ policer: Policer?) -> String {
        policer.map { "a policer of \($0.bytesPerSecond) B/s and \(UInt64($0.burst) * Policer.tick) ns" }
            ?? "no policer"
    }

    private static func summary(_ bucket: TokenBucket?) -> String {
        bucket.map { "tbf of \($0.bytesPerSecond) B/s and \($0.burst) bytes" } ?? "no tbf"
    }
}
