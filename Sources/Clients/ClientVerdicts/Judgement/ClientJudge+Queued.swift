// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

extension Span {
    /// The share of a limit that data from before the step must take up to be worth a word.
    private static let noted = 0.1

    /// "; data queued before 'label' still came until 6.2 s after it", for what servers had sent before the step and the
    /// link delivered after it; nothing if that was soon over, measured by `limit`.
    func queuedWords(_ connections: [Connection], limit: Duration) -> String {
        guard let label else { return "" }
        let arrivals = connections.lazy.flatMap(\.answers).filter { $0.sent < start }.compactMap(\.delivered)
        guard let last = arrivals.filter({ $0 > start && $0 < end }).max(), last - start >= limit * Self.noted else {
            return ""
        }
        return "; data queued before '\(label)' still came until \((last - start).words) after it"
    }
}
