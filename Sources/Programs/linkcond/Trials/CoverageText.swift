// SPDX-License-Identifier: Apache-2.0

import Reports

extension Coverage {
    /// The result for a terminal: a sentence, and a table of the networks that cost most.
    var lines: [OutputLine] {
        let table = Table(header: Self.heads.map { $0.uppercased() }, of: rows()) { $0 }
        return [OutputLine(sentence)] + (costs.isEmpty ? [] : table.lines(indent: 2))
    }
}
