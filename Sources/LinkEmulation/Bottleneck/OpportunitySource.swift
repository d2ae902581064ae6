// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Recorded chances to send, as mahimahi replays them (link_queue.cc).
///
/// A chance carries 1504 bytes: a packet of 1500 and the 4 bytes that mahimahi's TUN device puts ahead of it. Several
/// packets share one, a packet that does not fit goes on in the next, and what nobody used is lost. A packet takes
/// no chance of the moment at which it comes. The last stamp is also where the next round begins. A recording that
/// does not repeat ends with its last chance, and nothing is sent from then on.
struct OpportunitySource: Sendable {
    static let work = 1504 * 8 * RateSource.bit
    /// What a frame's 14 bytes ahead of the packet are more than mahimahi's 4.
    static let headerDifference = 10 * 8 * RateSource.bit

    private let stamps: [UInt32]
    private let repeats: Bool
    private let origin: Int64
    private let period: Int64
    /// The next chance, and where its round begins.
    private var next = 0
    private var base: Int64
    /// Work left in the chance that was taken last.
    var left: UInt64 = 0

    init(stamps: [UInt32], repeats: Bool, origin: LinkTime) {
        self.stamps = stamps
        period = Int64(stamps.last ?? 0) * 1_000_000
        // A round that takes no time could not be repeated.
        self.repeats = repeats && period > 0
        self.origin = origin.nanoseconds
        base = origin.nanoseconds
    }

    /// When the next chance is.
    @inline(__always)
    var nextTime: Int64 {
        next < stamps.count ? base + Int64(stamps[next]) * 1_000_000 : Timeline.endless
    }

    /// Takes the next chance.
    @inline(__always)
    mutating func take() {
        left = Self.work
        next += 1
        if next == stamps.count, repeats {
            next = 0
            base += period
        }
    }

    /// Lets all chances up to and including `time` pass.
    @inline(__always)
    mutating func skip(past time: Int64) {
        left = 0
        if nextTime <= time { seek(past: time) }
    }

    @inline(never)
    private mutating func seek(past time: Int64) {
        if repeats { base += max(time - base, 0) / period * period }
        let offset = time - base
        var (low, high) = (0, stamps.count)
        while low < high {
            let middle = (low + high) / 2
            if Int64(stamps[middle]) * 1_000_000 <= offset { low = middle + 1 } else { high = middle }
        }
        next = low
        if next == stamps.count, repeats {
            next = 0
            base += period
        }
    }
}
