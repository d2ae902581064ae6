// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit

/// Profiles from a seed.
struct RandomProfile {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private mutating func number(_ range: ClosedRange<UInt64>) -> UInt64 { UInt64.random(in: range, using: &generator) }

    /// A number up to `maximum`, as often small as large.
    private mutating func spread(_ maximum: UInt64) -> UInt64 {
        let limit = UInt64(1) << number(1...UInt64(63 - maximum.leadingZeroBitCount))
        return number(1...min(limit, maximum))
    }

    private mutating func maybe<Value>(_ value: (inout RandomProfile) -> Value) -> Value? {
        generator.isOne(in: 2) ? value(&self) : nil
    }

    private mutating func share() -> Probability {
        Probability(fraction: Double(number(1...1_000_000)) / 1_000_000)
    }

    private mutating func milliseconds() -> Duration { .milliseconds(Int64(spread(3_600_000))) }

    /// What DevTools can say: rates, a round trip that is the same both ways, and a loss that is.
    mutating func devtools() -> Profile {
        var profile = Profile(name: "Random")
        var (down, up) = (Impairments(), Impairments())
        down.rate = maybe { BitRate(bitsPerSecond: $0.spread(10_000_000_000_000)) }
        up.rate = maybe { BitRate(bitsPerSecond: $0.spread(10_000_000_000_000)) }
        let delay: Duration? = maybe { .nanoseconds(Int64($0.spread(1_800_000_000_000))) }
        let loss = maybe { LossModel.random($0.share()) }
        (down.delay, up.delay, down.loss, up.loss) = (delay, delay, loss, loss)
        if down != Impairments() { profile.downlink = down }
        if up != Impairments() { profile.uplink = up }
        return profile
    }

    /// What toxiproxy can say: rates in kB/s, delays and uniform jitter in ms.
    mutating func toxiproxy() -> Profile {
        var profile = Profile(name: "Random")
        profile.downlink = maybe { $0.toxics() }
        profile.uplink = maybe { $0.toxics() }
        return profile
    }

    private mutating func toxics() -> Impairments {
        var figures = Impairments()
        figures.rate = BitRate(bitsPerSecond: spread(1_250_000_000) * 8000)
        figures.delay = maybe { $0.milliseconds() }
        if figures.delay != nil { figures.jitter = maybe { Jitter(amount: $0.milliseconds()) } }
        return figures
    }

    /// What netem prints of itself.
    mutating func netem() -> Impairments {
        var figures = Impairments()
        figures.rate = maybe { BitRate(bitsPerSecond: $0.spread(1_250_000_000) * 8) }
        figures.delay = .milliseconds(Int64(spread(3_600_000)))
        figures.jitter = maybe { Jitter(amount: $0.milliseconds(), ordered: false) }
        if figures.rate != nil {
            figures.jitter?.ordered = true
            figures.queue = .packets(spread(1_000_000))
            figures.overhead = maybe {
                Overhead(packet: Int($0.number(1...100)) - 50 == 0 ? 1 : Int($0.number(1...50)))
            }
        }
        figures.loss = maybe { random in
            switch random.number(0...2) {
            case 0: .random(random.share())
            case 1:
                .gilbertElliott(
                    GilbertElliott(
                        p: random.share(),
                        r: random.share(),
                        lossInBad: random.share(),
                        lossInGood: random.share()
                    )
                )
            default:
                .fourState(
                    FourState(p13: Probability(fraction: Double(random.number(1...500)) / 1000), p31: random.share())
                )
            }
        }
        figures.duplicate = maybe { $0.share() }
        figures.corrupt = maybe { $0.share() }
        figures.reorder = maybe { Reorder(probability: $0.share(), gap: Int($0.number(1...100))) }
        return figures
    }

    /// Anything that a profile can say.
    mutating func any() -> Profile {
        var profile = Profile(name: "Random")
        profile.downlink = maybe { $0.netem() }
        profile.uplink = maybe { $0.netem() }
        profile.dns = maybe { DNSImpairment(delay: $0.milliseconds()) }
        profile.seed = maybe { $0.spread(1 << 60) }
        return profile
    }
}
