// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Foundation
import LinkProfiles
import ProfileFormats
import TestKit
import Testing

@testable import ProfileFitting

/// Links of the model, from captures at one of their ends.
@Suite struct CapturedLinkTests {
    /// A random link with rates, of which the queue holds what the window leaves.
    static func link(_ seed: UInt64) -> (profile: Profile, window: Int) {
        var random = SeededGenerator(seed: seed)
        let down = exp(Double.random(in: log(100e3)...log(50e6), using: &random))
        // Beyond this, acknowledgements saturate the other direction.
        let up = down * exp(Double.random(in: -log(8)...log(8), using: &random))
        let delay = Double.random(in: 0.005...0.15, using: &random)
        var profile = Profile(name: "known \(seed)")
        var figures = Impairments()
        figures.delay = .nanoseconds(Int64(delay * 1e9))
        if seed % 2 == 0 { figures.jitter = Jitter(amount: .nanoseconds(Int64(delay * 1e8))) }
        (profile.downlink, profile.uplink) = (figures, figures)
        profile.downlink?.rate = BitRate(bitsPerSecond: UInt64(down))
        profile.uplink?.rate = BitRate(bitsPerSecond: UInt64(up))
        let window = Int(3 * delay * max(down, up) / 8 / 1514) + 12
        profile.downlink?.queue = .packets(UInt64(max(window, 1000)))
        profile.uplink?.queue = profile.downlink?.queue
        return (profile, window)
    }

    /// Each of the last ones was once taken for another rate, or for two modes.
    @Test(arguments: Array(1...20) + [2010, 2012, 2014, 2028, 500_036, 500_390])
    func recoversItFromACapture(seed: UInt64) throws {
        let (profile, window) = Self.link(seed)
        let capture = SimulatedCapture(profile, seed: seed, segments: max(400, 4 * window), window: window)
        let fitted = try capture.fitted()
        for (known, found) in [
            (profile.downlink, fitted.profile.downlink), (profile.uplink, fitted.profile.uplink),
        ] {
            let (rate, found) = (try #require(known?.rate), try #require(found))
            let ratio = Double(try #require(found.rate).bitsPerSecond) / Double(rate.bitsPerSecond)
            #expect(abs(ratio - 1) <= 0.02, "rate of \(rate): \(ratio)")
            let delay = try #require(found.delay) / (try #require(known?.delay))
            #expect(abs(delay - 1) <= 0.02, "delay: \(delay)")
            #expect((found.jitter != nil) == (known?.jitter != nil))
            #expect(found.loss == nil)
        }
        #expect(fitted.contradictions.isEmpty, "\(fitted.contradictions)")
    }

    @Test(arguments: [false, true])
    func findsTheHostWhereTheFileDoesNotTell(isAtServer: Bool) throws {
        let (profile, window) = Self.link(3)
        let capture = SimulatedCapture(
            profile,
            seed: 3,
            pings: isAtServer ? 0 : 40,
            window: window,
            knowsDirection: false,
            isAtServer: isAtServer
        )
        let fitted = try capture.fitted().profile
        // Seen from the server, what it sends is the uplink.
        let found = isAtServer ? fitted.uplink : fitted.downlink
        let ratio = Double(found?.rate?.bitsPerSecond ?? 0) / Double(profile.downlink?.rate?.bitsPerSecond ?? 1)
        #expect(abs(ratio - 1) <= 0.02)
        #expect(abs((fitted.downlink?.delay ?? .zero) / (profile.downlink?.delay ?? .zero) - 1) <= 0.02)
    }

    /// A window that leaves the link idle most of the time says only what the link can do at least.
    @Test func hasNoRateWhereNothingSaturatedTheLink() throws {
        let (profile, window) = Self.link(5)
        let fitted = try SimulatedCapture(profile, seed: 5, window: max(window / 10, 1)).fitted()
        #expect(fitted.profile.downlink?.rate == nil && fitted.profile.uplink?.rate == nil)
        #expect(fitted.figures.contains { $0.name == "rate, downlink" && $0.value.hasPrefix("at least ") })
        let known = Double(profile.downlink?.rate?.bitsPerSecond ?? 0)
        #expect(fitted.rates.down.map { $0.atLeast <= known * 1.01 } ?? false)
    }

    /// A token bucket lets single packets pass at once, so that their own time is not part of the delay.
    @Test func keepsTheDelayOfATokenBucket() throws {
        var profile = Profile(name: "bucket")
        profile.downlink = Impairments()
        profile.downlink?.delay = .milliseconds(1)
        profile.uplink = profile.downlink
        var sampler = CaptureSampler()
        for record in SimulatedCapture(profile, seed: 1, segments: 0, window: 1).records { sampler.add(record) }
        profile.downlink?.rate = BitRate(bitsPerSecond: 100_000)
        profile.downlink?.queue = .packets(100)
        for record in SimulatedCapture(profile, seed: 1, pings: 0, window: 20).records { sampler.add(record) }
        let found = try FittedLink(sampler.finish(), name: "fitted").profile
        #expect(98_000...102_000 ~= found.downlink?.rate?.bitsPerSecond ?? 0)
        #expect(found.downlink?.delay == .milliseconds(1))
    }

    /// What TCP lost is told of each direction by itself.
    @Test func tellsTheDirectionsLossesApart() throws {
        var profile = Profile(name: "lossy")
        profile.downlink = Impairments()
        profile.downlink?.delay = .milliseconds(20)
        profile.downlink?.loss = .random(Probability(fraction: 0.05))
        profile.uplink = Impairments()
        profile.uplink?.delay = .milliseconds(20)
        let capture = SimulatedCapture(profile, seed: 1, segments: 3000, window: 400)
        var sampler = CaptureSampler()
        for record in capture.records { sampler.add(record) }
        let samples = try sampler.finish()
        let losses = try #require(samples.downlink).isLost
        #expect(losses.count > 200)
        #expect(LossFit(losses).share.range.contains(0.05))
        #expect(try !(#require(samples.uplink).isLost.contains(true)))
    }

    @Test func refusesACaptureWithoutIP() {
        var sampler = CaptureSampler()
        sampler.add(.interface(CapturedInterface("x", .ethernet)))
        #expect(throws: ImportError.self) { try sampler.finish() }
        sampler.add(.packet(CapturedPacket(time: 0, bytes: [UInt8](repeating: 0, count: 60))))
        #expect(throws: ImportError.self) { try sampler.finish() }
    }
}
