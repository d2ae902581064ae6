// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import ProfileCatalog
import TestKit
import Testing

/// What one TCP connection gets of a link, in the model, and what `verify` says of one that gets something else.
@Suite struct TransferModelTests {
    private static func profile(_ name: String) throws -> Profile {
        try Catalog(directories: []).profile(name).profile
    }

    private static func link(_ figures: Impairments) -> Profile {
        var profile = Profile(name: "Link")
        (profile.uplink, profile.downlink) = (figures, Impairments())
        return profile
    }

    private static func lossy(_ loss: Double, delay: Duration) -> TransferModel {
        var figures = Impairments()
        figures.delay = delay
        if loss > 0 { figures.loss = .random(Probability(fraction: loss)) }
        return TransferModel(link(figures), .uplink, isIPv6: false)
    }

    /// What the kernel's CUBIC carried over links with these profiles, in Mbit/s: Linux 6.18.
    @Test(arguments: [
        ("LTE", Direction.downlink, 2, 32.05), ("LTE", .uplink, 2, 7.877), ("LTE", .downlink, 10, 44.3),
        ("LTE", .uplink, 10, 9.1), ("Starlink", .downlink, 10, 97.4), ("Wi-Fi", .downlink, 5, 38.16),
        ("Wi-Fi", .uplink, 5, 31.5), ("DSL", .downlink, 5, 1.888), ("Slow Net", .downlink, 41, 0.02836),
    ])
    func isTheKernels(name: String, direction: Direction, seconds: Int, measured: Double) throws {
        let model = TransferModel(try Self.profile(name), direction, isIPv6: false)
        let modelled = Double(model.bytes(in: .seconds(seconds), seed: 1)) * 8 / Double(seconds) / 1e6
        #expect((measured * 0.93...measured * 1.07).contains(modelled), "\(modelled)")
    }

    /// In the long run a connection has the window that RFC 9438, 5.1, gives for the losses.
    @Test(arguments: [(0.003, 100), (0.01, 20), (0.01, 100), (0.04, 40)])
    func losesItsWindowAsTheResponseFunctionSays(loss: Double, delay: Int) throws {
        let model = Self.lossy(loss, delay: .milliseconds(delay))
        let expected = try #require(model.expectedRate)
        let runs = (1...5).map { Double(model.bytes(in: .seconds(60), seed: $0)) * 8 / 60 }
        let mean = runs.reduce(0, +) / 5
        #expect((expected * 0.5...expected * 1.6).contains(mean), "\(mean) of \(expected)")
    }

    @Test func carriesLessTheMoreIsLost() {
        let carried = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3].map {
            Self.lossy($0, delay: .milliseconds(40)).bytes(in: .seconds(30), seed: 7)
        }
        #expect(carried == carried.sorted(by: >) && carried.last ?? 0 > 0, "\(carried)")
    }

    @Test func carriesNothingWhereNothingComes() {
        let model = Self.lossy(1, delay: .zero)
        #expect(model.bytes(in: .seconds(30), seed: 1) == 0 && model.expectedRate == nil)
    }

    /// A checksum drops what is damaged: with a third of it, the connection waits for timers, as with a third lost.
    @Test func expectsNothingOfALinkThatDamagesMuch() throws {
        let profile = try Self.profile("QUIC Interop Handshake Corruption")
        #expect(TransferModel(profile, .downlink, isIPv6: false).expectedRate == nil)
        let plan = VerificationPlan(profile, budget: .seconds(60), uplink: .transfers)
        #expect(!plan.phases.contains { $0.kind == .tcp || !$0.transfers.isEmpty })
    }

    /// An uplink that is lost after the client has connected, and before its last packet of the handshake.
    @Test func endsWhereTheHandshakeDoesNot() {
        var (figures, lost) = (Impairments(), Impairments())
        figures.delay = .milliseconds(50)
        lost.loss = .random(.one)
        var profile = Self.link(figures)
        profile.downlink?.delay = .milliseconds(50)
        var step = Schedule.Step(at: .milliseconds(20))
        step.uplink = lost
        profile.schedule = Schedule(steps: [step])
        #expect(TransferModel(profile, .downlink, isIPv6: false).bytes(in: .seconds(5), seed: 1) == 0)
    }

    /// Not one of the catalog's links is beyond what the model computes, and none stops it.
    @Test func endsOnEachProfile() throws {
        var count = 0
        for profile in Catalog(directories: []).all().profiles.map(\.profile) where !profile.lanes.isEmpty {
            let phases = VerificationPlan(profile, budget: .seconds(20), uplink: .transfers).phases
            for phase in phases where !phase.transfers.isEmpty {
                let bytes = phase.simulated(through: profile, seed: 1).received.values.reduce(0, +)
                #expect(bytes > 0, "\(profile.name)")
                count += 1
            }
        }
        #expect(count > 200)
    }

    /// Verdicts on each transfer of a profile, of which a far end carried so many Mbit/s.
    private static func verdicts(_ profile: Profile, _ carried: (ProbePhase, Direction) -> Int) -> [LinkFinding.Verdict]
    {
        var verification = Verification(profile)
        for phase in VerificationPlan(profile, budget: .seconds(60), uplink: .transfers).phases {
            guard let direction = phase.transfers.keys.first else { continue }
            verification.add(PhaseRecord(received: [direction: carried(phase, direction)]), of: phase)
        }
        return verification.parts.flatMap(\.findings).map(\.verdict)
    }

    /// Where the rate changes within a round trip, slow start ends early or late.
    @Test func passesWheneverTheClientConnects() throws {
        let profile = try Self.profile("RFC 7928 Fast Changes")
        for start in stride(from: 3, to: 100, by: 16) {
            let verdicts = Self.verdicts(profile) { phase, direction in
                let model = TransferModel(profile, direction, isIPv6: phase.isIPv6)
                return model.bytes(in: phase.time, seed: 1, start: .milliseconds(start))
            }
            #expect(!verdicts.isEmpty && verdicts.allSatisfy { $0 == .pass }, "\(start): \(verdicts)")
        }
    }

    @Test(arguments: ["LTE", "Starlink", "Wi-Fi", "3G", "Slow Net", "Comcast 3G", "3G Lossy"])
    func passesTheKernelsTCP(name: String) throws {
        let profile = try Self.profile(name)
        for seed in 1...10 as ClosedRange<UInt64> {
            let verdicts = Self.verdicts(profile) { phase, direction in
                phase.simulated(through: profile, seed: seed).received[direction] ?? 0
            }
            #expect(!verdicts.isEmpty && verdicts.allSatisfy { $0 == .pass }, "\(seed): \(verdicts)")
        }
    }

    /// A far end of a TCP of its own, without window scaling: 64 KiB a round trip at the most.
    @Test(arguments: ["LTE", "Starlink"]) func failsAFarEndWithASmallWindow(name: String) throws {
        let profile = try Self.profile(name)
        let verdicts = Self.verdicts(profile) { phase, direction in
            var model = TransferModel(profile, direction, isIPv6: phase.isIPv6)
            model.maximumInFlight = 65_535 / model.segmentBytes
            return model.bytes(in: phase.transfers[direction] ?? .zero, seed: 1)
        }
        #expect(verdicts.contains(.fail) && !verdicts.contains(.inconclusive), "\(verdicts)")
    }

    /// What was measured through a user-mode network stack, down and up, in Mbit/s.
    @Test(arguments: [("LTE", 4.2, 4.3), ("Starlink", 11, 11), ("3G", 0.34, 0.29), ("Slow Net", 0.004, 0.004)])
    func failsWhatSuchAFarEndGave(name: String, down: Double, up: Double) throws {
        let verdicts = Self.verdicts(try Self.profile(name)) { phase, direction in
            let rate = direction == .downlink ? down : up
            return Int(rate * 1e6 / 8 * ((phase.transfers[direction] ?? .zero) / .seconds(1)))
        }
        #expect(verdicts.count >= 2 && verdicts.first == .fail, "\(verdicts)")
    }

    /// More than the link's rate can only be another link's.
    @Test func failsMoreThanTheRate() throws {
        let verdicts = Self.verdicts(try Self.profile("DSL")) { phase, direction in
            Int((direction == .downlink ? 2.2e6 : 0.28e6) / 8 * ((phase.transfers[direction] ?? .zero) / .seconds(1)))
        }
        #expect(verdicts == [.fail, .fail, .fail, .fail])
    }
}
