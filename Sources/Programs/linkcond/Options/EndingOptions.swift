// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles

/// The time limit of conditions.
struct EndingOptions: ParsableArguments {
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Remove the conditions after this time: \"90\" or \"90s\", \"10m\".", valueName: "TIME"),
        transform: Self.time
    )
    var limit: Duration?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Remove the conditions after this time unless \"linkcond confirm\" follows.",
            valueName: "TIME"
        ),
        transform: Self.time
    )
    var confirm: Duration?

    var isGiven: Bool { limit != nil || confirm != nil }

    /// A sentence on when the conditions end, with the option that names the network; nil if they do not end.
    func text(in network: String) -> String? {
        Self.text(confirm: confirm, limit: limit, in: network).map { "it \($0)" }
    }

    /// When the conditions end, as text; nil if neither time is given.
    static func text(confirm: Duration?, limit: Duration?, in network: String) -> String? {
        let parts = [
            confirm.map { "ends in \($0.wholeSeconds) unless \"linkcond confirm\(network)\" follows" },
            limit.map { "ends in \($0.wholeSeconds)" },
        ].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    static func time(_ text: String) throws -> Duration {
        guard let limit = Duration(limit: text), limit > .zero else {
            let hint = Duration.limit(nearestTo: text).map { "; did you mean \"\($0.filter { $0 != " " })\"?" } ?? ""
            throw ValidationError("'\(text)' is not a time such as \"90s\" or \"5m\"\(hint)")
        }
        return limit
    }
}
