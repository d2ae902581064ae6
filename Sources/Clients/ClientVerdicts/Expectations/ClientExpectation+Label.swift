// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension ClientExpectation {
    /// The label that its own is a misspelling of: one of `labels` that differs from it in one edit. A label that differs in
    /// its digits only is another one, and all others may be marks, which the client sets ("online" is not "offline").
    package func misspeltLabel(among labels: [String]) -> (found: String, nearest: String)? {
        guard let label, !labels.contains(label), let nearest = Spelling.nearest(to: label, among: labels),
            Spelling.differByOneEdit(label, nearest),
            label.filter({ !$0.isNumber }) != nearest.filter({ !$0.isNumber })
        else { return nil }
        return (label, nearest)
    }
}
