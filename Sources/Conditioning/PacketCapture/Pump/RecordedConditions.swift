// SPDX-License-Identifier: Apache-2.0

/// The conditions that apply to the packets of a device, and those that a packet's comment in the file already names.
struct RecordedConditions {
    /// The conditions that no packet in the file names yet, in the order of their numbers, from 1.
    private var untold: [(number: Int, time: Int64, name: String)] = []
    private var count = 0
    /// The number of the latest conditions that a packet in the file names; 0 for the first ones.
    private var told = 0

    /// Applies the conditions of the profile `name` to packets that arrive at this time or later.
    mutating func change(to name: String, at time: Int64) {
        count += 1
        untold.append((count, time, name))
    }

    /// The number of the conditions in `untold` that apply to a packet that arrived at `time`; 0 if none do.
    func number(at time: Int64) -> Int { untold.last { $0.time <= time }?.number ?? 0 }

    /// Returns the profile's name if no packet in the file names these conditions or later ones, and marks them as
    /// named.
    mutating func tell(_ number: Int) -> String? {
        guard number > told else { return nil }
        defer { untold.removeAll { $0.number <= number } }
        told = number
        return untold.first { $0.number == number }?.name
    }
}
