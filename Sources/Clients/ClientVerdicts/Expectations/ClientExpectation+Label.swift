// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension ClientExpectation {
    /// Finds the label in `labels` that the expectation's label misspells: it differs in one edit. Labels that differ
    /// only in digits are distinct, and any other label may be a mark, which the client sets ("online" is not
    /// "offline").
    package func misspeltLabel(among labels: [String]) -> (found: String, nearest: String)? {
        guard let label, !labels.contains(label), let nearest = Spelling.nearest(to: label, among: labels),
            Spelling.differByOneEdit(label, nearest),
            label.filter({ !$0.isNumber }) != nearest.filter({ !$0.isNumber })
        else { return nil }
        return (label, nearest)
    }
}
