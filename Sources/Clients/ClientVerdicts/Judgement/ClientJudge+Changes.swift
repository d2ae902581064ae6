// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// Adds to a verdict the conditions that it was made under: a client may change them by the control socket, and a
/// verdict is one on the link that it had.
extension ClientJudge {
    /// At most this many changes are named.
    private static let maximumNamed = 3

    /// The conditions that a client of the control socket set in one of these spans, and when; nil if it set none.
    func changes(in spans: [Span]) -> String? {
        let changes = record.changes.filter { change in
            change.time <= record.end && spans.contains { $0.contains(change.time) }
        }
        guard !changes.isEmpty else { return nil }
        var words = changes.prefix(Self.maximumNamed).map { change in
            let client = change.client ?? "a client of the control socket"
            return "\(client) set the conditions to \(change.profile) after \((change.time - record.begin).words)"
        }
        if changes.count > words.count {
            words.append("\(counted(changes.count - words.count, "more change")) followed")
        }
        return listed(words)
    }
}
