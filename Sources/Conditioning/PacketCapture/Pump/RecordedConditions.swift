// SPDX-License-Identifier: Apache-2.0

/// The conditions that apply to the packets of a device, and those that a packet's comment in the file already names.
struct RecordedConditions {
    /// The conditions that no packet in the file names yet, in the order of their numbers, from 1.
    private var unreported: [(number: Int, time: Int64, name: String)] = []
    private var count = 0
    /// The number of the latest conditions that a packet in the file names; 0 for the first ones.
    private var latestReported = 0

    /// Applies the conditions of the profile `name` to packets that arrive at this time or later.
    mutating func change(to name: String, at time: Int64) {
        count += 1
        unreported.append((count, time, name))
    }

    /// The number of the conditions in `unreported` that apply to a packet that arrived at `time`; 0 if none do.
    func number(at time: Int64) -> Int { unreported.last { $0.time <= time }?.number ?? 0 }

    /// Returns the profile's name if no packet in the file names these conditions or later ones, and marks them as
    /// named.
    mutating func report(_ number: Int) -> String? {
        guard number > latestReported else { return nil }
        defer { unreported.removeAll { $0.number <= number } }
        latestReported = number
        return unreported.first { $0.number == number }?.name
    }
}
