// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog
import Testing

/// The figures that a profile must have, in the units of the sources; nil means untouched.
struct Figures: CustomTestStringConvertible {
    let name: String
    var down = Way()
    var up = Way()
    var dnsDelay: Int?

    /// One direction.
    struct Way {
        var kilobits: UInt64?
        var delay: Int?
        var loss: Int?

        var impairments: Impairments? {
            guard kilobits != nil || delay != nil || loss != nil else { return nil }
            var impairments = Impairments()
            impairments.rate = kilobits.map { BitRate(bitsPerSecond: $0 * 1000) }
            impairments.delay = delay.map { .milliseconds($0) }
            impairments.loss = loss.map { .random(Probability(fraction: Double($0) / 100)) }
            return impairments
        }
    }

    init(_ name: String, down: Way = Way(), up: Way = Way(), dns: Int? = nil) {
        self.name = name
        self.down = down
        self.up = up
        dnsDelay = dns
    }

    var testDescription: String { name }
}

@Suite struct FigureTableTests {
    /// The three that gave the project its name.
    private static let founding = [
        Figures("Slow Net", down: .init(kilobits: 32, delay: 100), up: .init(kilobits: 32, delay: 100), dns: 200),
        Figures(
            "Nasty Net",
            down: .init(kilobits: 32, delay: 100, loss: 90),
            up: .init(kilobits: 32, delay: 100, loss: 90)
        ),
        Figures("Black Hole", down: .init(loss: 100)),
    ]

    /// The nine of Apple's Network Link Conditioner.
    private static let apple = [
        Figures("100% Loss", down: .init(loss: 100), up: .init(loss: 100)),
        Figures("3G", down: .init(kilobits: 780, delay: 100), up: .init(kilobits: 330, delay: 100)),
        Figures("DSL", down: .init(kilobits: 2000, delay: 5), up: .init(kilobits: 256, delay: 5)),
        Figures("Edge", down: .init(kilobits: 240, delay: 400), up: .init(kilobits: 200, delay: 440)),
        Figures("High Latency DNS", dns: 3000),
        Figures("LTE", down: .init(kilobits: 50_000, delay: 50), up: .init(kilobits: 10_000, delay: 65)),
        Figures(
            "Very Bad Network",
            down: .init(kilobits: 1000, delay: 500, loss: 10),
            up: .init(kilobits: 1000, delay: 500, loss: 10)
        ),
        Figures("Wi-Fi", down: .init(kilobits: 40_000, delay: 1), up: .init(kilobits: 33_000, delay: 1)),
        Figures("Wi-Fi 802.11ac", down: .init(kilobits: 250_000, delay: 1), up: .init(kilobits: 100_000, delay: 1)),
    ]

    @Test(arguments: founding + apple)
    func hasExactlyTheseFigures(figures: Figures) throws {
        let profile = try Catalog(directories: []).profile(figures.name).profile
        #expect(profile.name == figures.name)
        #expect(profile.downlink == figures.down.impairments)
        #expect(profile.uplink == figures.up.impairments)
        #expect(profile.dns?.delay == figures.dnsDelay.map { .milliseconds($0) })
        #expect(profile.seed == nil)
        #expect(profile.schedule == nil)
    }
}
