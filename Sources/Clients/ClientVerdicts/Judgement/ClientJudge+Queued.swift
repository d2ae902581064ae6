// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

extension JudgedPeriod {
    /// The share of a limit for which data from before the step must still arrive to be mentioned.
    private static let noted = 0.1

    /// "; data queued before 'label' still came until 6.2 s after it", for data that servers sent before the step and
    /// the link delivered after it. Empty if that lasted for less than `noted` of `limit`.
    func queuedWords(_ connections: [Connection], limit: Duration) -> String {
        guard let label else { return "" }
        let arrivals = connections.lazy.flatMap(\.answers).filter { $0.sent < start }.compactMap(\.delivered)
        guard let last = arrivals.filter({ $0 > start && $0 < end }).max(), last - start >= limit * Self.noted else {
            return ""
        }
        return "; data queued before '\(label)' still came until \((last - start).words) after it"
    }
}
