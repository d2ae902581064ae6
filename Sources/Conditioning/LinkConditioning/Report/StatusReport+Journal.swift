// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem

extension StatusReport {
    /// Adds how the rules of one interface end, from its journal entry.
    ///
    /// - Parameters:
    ///   - entry: the journal's entry of a device in the report.
    ///   - now: the time by `BootClock`.
    ///   - time: the same instant in seconds since 1970.
    mutating func add(_ entry: JournalEntry, now: Duration, time: Int) {
        func seconds(_ deadline: Duration) -> Int {
            time + Int(((deadline - now) / .seconds(1)).rounded())
        }
        for device in devices.indices where devices[device].index == entry.index {
            for rule in devices[device].rules.indices {
                let traffic = devices[device].rules[rule].traffic
                guard let recorded = entry.rule(for: traffic) else { continue }
                devices[device].rules[rule].addMaker(recorded)
                devices[device].rules[rule].addAsked(recorded.profile)
                devices[device].rules[rule].addMissing(recorded, isLoopback: devices[device].interface == "lo")
                guard let ending = recorded.ending, ending.deadline != nil || ending.isTied else { continue }
                devices[device].rules[rule].ending = Ending(
                    guardian: ending.guardian.processID,
                    until: ending.until.map(seconds),
                    confirmBy: ending.confirmBy.map(seconds)
                )
            }
        }
    }

    /// Adds the suspended rules of an interface, which only the journal records.
    mutating func add(suspendedIn entry: JournalEntry) {
        suspended += entry.suspended.map {
            Suspended(interface: entry.name, profile: $0.profile.name, traffic: $0.selection)
        }
    }

    /// The ending of a rule that ends without a reset.
    public struct Ending: Hashable, Sendable {
        /// The process that ends the rule.
        public var guardian: Int32
        /// The time limit, in seconds since 1970; nil if there is none.
        public var until: Int?
        /// The time at which the rule ends unless confirmed, in seconds since 1970.
        public var confirmBy: Int?
    }
}

extension StatusReport.Rule {
    /// Adds the profile and the process that applied it, if the kernel's objects do not record them: a root qdisc has
    /// no alias.
    fileprivate mutating func addMaker(_ rule: JournalEntry.Rule) {
        guard profile == nil else { return }
        (profile, since, userID, processID) = (rule.profile.name, rule.since, rule.userID, rule.owner.processID)
    }

    /// Records what the profile asks of each lane. A lane in the kernel has it only as far as no other program has
    /// changed it.
    fileprivate mutating func addAsked(_ profile: Profile) {
        for lane in lanes.indices {
            lanes[lane].asked = profile.lanes.first { $0.lane == lanes[lane].kind }?.impairments
        }
    }

    /// Records in `missing` the lanes that the rule in the journal has, but the kernel lacks.
    fileprivate mutating func addMissing(_ rule: JournalEntry.Rule, isLoopback: Bool) {
        // If the pump has not answered, the report has one lane for each TAP device.
        let found = rule.engine == .netem ? lanes.map(\.kind) : lanes.map { $0.kind.carrier(isLoopback: isLoopback) }
        missing = rule.profile.lanes.map(\.lane).filter { lane in
            !found.contains(rule.engine == .netem ? lane : lane.carrier(isLoopback: isLoopback))
        }
    }
}
