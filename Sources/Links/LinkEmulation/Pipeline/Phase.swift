// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The figures of one interval of the schedule, prepared for use for each packet.
struct Phase: Sendable {
    let loss: LossFigures
    let marksInstead: Bool
    let duplicate: Chance
    let corrupt: Chance
    /// The largest number of packets in a row that are corrupted; nil for no limit.
    let longestCorruption: Int?
    let delay: DelayFigures
    let reorder: Chance
    /// The number of packets that must be delayed between two that overtake.
    let gap: Int

    init(_ impairments: Impairments) {
        loss = LossFigures(impairments.loss)
        marksInstead = impairments.ecn ?? false
        duplicate = Chance(impairments.duplicate)
        corrupt = Chance(impairments.corrupt)
        longestCorruption = impairments.longestCorruption
        delay = DelayFigures(delay: impairments.delay, jitter: impairments.jitter)
        reorder = Chance(impairments.reorder?.probability)
        gap = max(impairments.reorder?.gap ?? 1, 1) - 1
    }
}
