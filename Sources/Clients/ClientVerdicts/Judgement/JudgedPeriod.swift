// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

/// The period that an expectation is about.
struct JudgedPeriod {
    var start: Instant
    var end: Instant
    /// The label; nil for the whole run.
    var label: String?

    func contains(_ instant: Instant) -> Bool { instant >= start && instant < end }

    /// " at 'label'" for the preposition "at", or nothing for the whole run.
    func phrase(_ preposition: String) -> String { label.map { " \(preposition) '\($0)'" } ?? "" }
}
