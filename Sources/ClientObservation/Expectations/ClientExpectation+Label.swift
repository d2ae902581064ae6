// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension ClientExpectation {
    /// The label that its own is a misspelling of: the nearest of `labels`, if it is none of them. A label that differs in
    /// its digits only is another one, and one that is like none may be a mark, which the client sets.
    package func misspeltLabel(among labels: [String]) -> (found: String, nearest: String)? {
        guard let label, !labels.contains(label), let nearest = Spelling.nearest(to: label, among: labels),
            label.filter({ !$0.isNumber }) != nearest.filter({ !$0.isNumber })
        else { return nil }
        return (label, nearest)
    }
}
