// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import Testing

extension StatusReport {
    /// Reads what `linkcond status --json` printed.
    init(printed text: String) throws {
        self = try #require(StatusReport(json: try JSON(utf8: Array(text.utf8))))
    }

    /// The lane of a device's only rule.
    func lane(_ kind: Lane, of interface: String) -> StatusReport.LaneStatus? {
        let rules = devices.first { $0.interface == interface }?.rules ?? []
        return rules.count == 1 ? rules[0].lanes.first { $0.kind == kind } : nil
    }
}
