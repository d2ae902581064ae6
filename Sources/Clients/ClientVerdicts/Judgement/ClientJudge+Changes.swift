// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// Adds to a verdict the changes of conditions during its spans: a client may change them through the control socket,
/// and a verdict holds for the link as it was.
extension ClientJudge {
    /// The maximum number of changes that a verdict lists.
    private static let maximumNamed = 3

    /// The conditions that clients of the control socket set in one of `spans`, and when; nil if there were none. A
    /// test's own changes are those that it asks for, and are not listed.
    func changes(in spans: [JudgedPeriod]) -> String? {
        let changes = record.changes.filter { change in
            change.time <= record.end && spans.contains { $0.contains(change.time) }
                && !(record.scope.process.map(change.isMade) ?? false)
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
