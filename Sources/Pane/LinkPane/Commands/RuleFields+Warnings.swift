// SPDX-License-Identifier: Apache-2.0

extension RuleFields {
    /// Leaves the page's own traffic out of the rule: it would make the page as slow as the link, and Off hard to
    /// reach. The page is served on loopback only.
    package mutating func excludePage(at page: UInt16) {
        guard interface == "lo", container == nil, port.isEmpty || port.contains("\(page)"),
            transport.isEmpty || transport.contains("tcp")
        else { return }
        let exclusion = "port \(page)"
        guard !exclude.contains(exclusion) else { return }
        exclude.append(exclusion)
    }

    /// What to know before the rule is applied, besides the notes of the command line.
    package var warnings: [String] {
        guard isUnlimited, let interface else { return [] }
        let place = container.map { "\(interface) of container \($0)" } ?? interface
        return ["no time limit and no target: all traffic of \(place) until Reset"]
    }
}
