// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import LinuxSystem
import Sandboxing

/// The time limit of conditions.
struct EndingOptions: ParsableArguments {
    @Option(
        name: .customLong("for"),
        help: "Remove the conditions after this time: \"90\" or \"90s\", \"10m\".",
        transform: Self.time
    )
    var limit: Duration?

    @Option(
        name: .long,
        help: "Remove the conditions after this time unless \"linkcond confirm\" follows.",
        transform: Self.time
    )
    var confirm: Duration?

    /// Whether there is a time limit.
    var isGiven: Bool { limit != nil || confirm != nil }

    /// The ending as text.
    var text: String? {
        let parts = [
            confirm.map { "ends in \($0.text) unless \"linkcond confirm\" follows" },
            limit.map { "ends in \($0.text)" },
        ]
        return isGiven ? "it " + parts.compactMap { $0 }.joined(separator: ", ") : nil
    }

    static func time(_ text: String) throws -> Duration {
        guard let limit = Duration(limit: text), limit > .zero else {
            throw ValidationError("'\(text)' is not a time such as \"90s\" or \"5m\"")
        }
        return limit
    }
}
