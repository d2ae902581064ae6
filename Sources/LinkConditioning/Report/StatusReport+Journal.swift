// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem

extension StatusReport {
    /// Adds what the journal says of one interface, and a kernel cannot: how its rules end.
    ///
    /// - Parameters:
    ///   - now: the time by `BootClock`.
    ///   - time: the same in seconds since 1970.
    public mutating func add(_ entry: JournalEntry, now: Duration, time: Int) {
        func seconds(_ deadline: Duration) -> Int {
            time + Int(((deadline - now) / .seconds(1)).rounded())
        }
        for device in devices.indices where devices[device].index == entry.index {
            for rule in devices[device].rules.indices {
                let traffic = devices[device].rules[rule].traffic
                guard let ending = entry.rule(for: traffic)?.ending, ending.deadline != nil || ending.isTied else {
                    continue
                }
                devices[device].rules[rule].ending = Ending(
                    guardian: ending.guardian.processID,
                    until: ending.until.map(seconds),
                    confirmBy: ending.confirmBy.map(seconds)
                )
            }
        }
    }

    /// Adds the rules of an interface that are off: the kernel knows nothing of them.
    public mutating func add(suspendedIn entry: JournalEntry) {
        suspended += entry.suspended.map {
            Suspended(interface: entry.name, profile: $0.profile.name, traffic: $0.selection)
        }
    }

    /// How a rule ends without a reset.
    public struct Ending: Hashable, Sendable {
        /// The process that sees to it.
        public var guardian: Int32
        /// When it ends, in seconds since 1970; nil where the process's end is its end.
        public var until: Int?
        /// When it ends unless somebody confirms it, in seconds since 1970.
        public var confirmBy: Int?
    }
}
