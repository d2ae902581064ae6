// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The figures of one stretch of the schedule, made ready for packets.
struct Phase: Sendable {
    let loss: LossFigures
    let marksInstead: Bool
    let duplicate: Chance
    let corrupt: Chance
    let delay: DelayFigures
    let reorder: Chance
    /// Packets that must be delayed between one that overtakes and the next that may.
    let gap: Int

    init(_ impairments: Impairments) {
        loss = LossFigures(impairments.loss)
        marksInstead = impairments.ecn ?? false
        duplicate = Chance(impairments.duplicate)
        corrupt = Chance(impairments.corrupt)
        delay = DelayFigures(delay: impairments.delay, jitter: impairments.jitter)
        reorder = Chance(impairments.reorder?.probability)
        gap = max(impairments.reorder?.gap ?? 1, 1) - 1
    }
}
