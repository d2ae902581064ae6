// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import LinuxSystem
import Sandboxing

/// When conditions end by themselves.
struct EndingOptions: ParsableArguments {
    @Option(
        name: .customLong("for"),
        help: "Undo it after this time: \"90\" or \"90s\", \"10m\".",
        transform: Self.time
    )
    var limit: Duration?

    @Option(
        name: .long,
        help: "Undo it after this time unless \"linkcond confirm\" follows: for links that you work over.",
        transform: Self.time
    )
    var confirm: Duration?

    /// Whether it ends by itself.
    var isGiven: Bool { limit != nil || confirm != nil }

    /// The ending in words.
    var words: String? {
        let words = [
            confirm.map { "ends in \($0.text) unless \"linkcond confirm\" follows" },
            limit.map { "ends in \($0.text)" },
        ]
        return isGiven ? "it " + words.compactMap { $0 }.joined(separator: ", ") : nil
    }

    private static func time(_ text: String) throws -> Duration {
        guard let limit = Duration(limit: text), limit > .zero else {
            throw ValidationError("'\(text)' is no time such as \"90s\" or \"10m\"")
        }
        return limit
    }
}
