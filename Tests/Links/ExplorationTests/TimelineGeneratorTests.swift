// SPDX-License-Identifier: Apache-2.0

import Exploration
import Glibc
import LinkProfiles
import TestKit
import Testing

/// What is drawn.
@Suite struct TimelineGeneratorTests {
    /// Validates, writes and reads back a timeline of each of many seeds: the singles, and mixes that become wilder. More
    /// in the soak.
    @Test func drawsNothingInvalid() throws {
        for seed in 0..<Extent.choose(once: 600, all: 2000, soak: 50_000) as Range<UInt64> {
            let number = Int(seed % 300)
            let timeline = SimulatedClient.generator(seed: seed).timeline(number)
            #expect(!timeline.disturbances.isEmpty)
            let scenario = timeline.scenario(named: "Explored")
            let text = scenario.json.text
            let read = try Scenario(utf8: text.utf8)
            guard read.json.text == text, Set(read.labels).count == read.labels.count
            else {
                Issue.record("seed \(seed), number \(number): \(text)")
                return
            }
        }
    }

    @Test func drawsTheSameForASeedAndOthersForAnother() {
        let numbers = 0..<150
        let first = numbers.map { SimulatedClient.generator(seed: 1).timeline($0) }
        #expect(numbers.map { SimulatedClient.generator(seed: 1).timeline($0) } == first)
        let other = numbers.map { SimulatedClient.generator(seed: 2).timeline($0) }
        #expect(zip(first, other).count { $0 == $1 } < 15)
    }

    @Test func triesEachKindAloneBeforeMixes() {
        let generator = SimulatedClient.generator(seed: 3)
        let singles = (0..<generator.singleCount).map { generator.timeline($0) }
        #expect(singles.allSatisfy { $0.disturbances.count == 1 })
        #expect(Set(singles.flatMap(\.kinds)) == Set(DisturbanceKind.allCases))
        #expect(generator.singleCount <= 100)
        // Each kind at once, and not one kind after the other has been tried in all ways.
        #expect(Set(singles.prefix(35).flatMap(\.kinds)).count >= 25)
        let mixes = (generator.singleCount..<generator.singleCount + 200).map { generator.timeline($0) }
        #expect(mixes.map(\.disturbances.count).max() == 5)
        #expect(mixes.prefix(20).map(\.disturbances.count).max() ?? 0 <= 3)
    }

    /// A client that asks whether its server is there, and then sends an order, sends that on its second connection.
    @Test func losesTheAnswerOnEachOfTheFirstConnectionsEarly() {
        func faults(connections: Int) -> [FaultMatch] {
            let client = ObservedClient(
                servers: [.init(.tcp, port: 8000, connections: connections)],
                duration: .seconds(2),
                hasUplink: false
            )
            let generator = SimulatedClient.generator(seed: 9, observed: client)
            return (0..<12).flatMap { generator.timeline($0).disturbances }.compactMap {
                if case .fault(let fault) = $0.effect, fault.action == .reset { fault.match } else { nil }
            }
        }
        let matches = faults(connections: 3)
        #expect(matches.map(\.connection) == [.first(1), .nth(2), .nth(3)])
        // Not a packet of the request, nor an acknowledgement: the server has all of it.
        #expect(matches.allSatisfy { $0.direction == .downlink && $0.larger == 80 && $0.after == nil })
        #expect(faults(connections: 1).map(\.connection) == [.first(1)])
        #expect(faults(connections: 50).count <= 4)
    }

    @Test func takesAccountOfWhatTheClientDoes() {
        let offline = ObservedClient(servers: [.init(.tcp, port: 8000)], duration: .seconds(2), hasUplink: false)
        let generator = SimulatedClient.generator(seed: 4, observed: offline)
        let drawn = Set((0..<400).flatMap { generator.timeline($0).kinds })
        #expect(drawn.isDisjoint(with: [.failingDNS, .silentDNS, .slowDNS, .lostDatagrams, .stalledHandshake]))
        #expect(drawn.allSatisfy { $0.group != .changes })
        #expect(drawn.isSuperset(of: [.reset, .stall, .silence, .refusal, .delay, .loss, .outage]))
    }

    /// And leaves a client the time to recover.
    @Test func keepsStepsWithinTheClientsLife() {
        let generator = SimulatedClient.generator(seed: 5)
        for number in 0..<300 {
            for each in generator.timeline(number).disturbances {
                #expect(each.start <= .seconds(1) && each.length ?? .zero <= .seconds(2))
                let end = each.start + (each.length ?? .zero)
                #expect(end <= SimulatedClient.observed.duration * 0.76, "\(each)")
            }
        }
    }

    @Test func keepsWhatTheProfileSays() throws {
        var base = Profile(name: "LTE")
        base.uplink = Impairments()
        base.uplink?.delay = .milliseconds(65)
        base.faults = [Fault(FaultMatch(), .lose)]
        base.faults[0].match.ends.ports = [9]
        let generator = TimelineGenerator(
            SimulatedClient.observed,
            base: base,
            seed: 6,
            kinds: [.reset, .outage, .stall, .linkDown]
        )
        for number in 0..<100 {
            let scenario = generator.timeline(number).scenario(named: "Explored")
            for case .inline(let profile) in scenario.references.map(\.choice) {
                #expect(profile.uplink?.delay == .milliseconds(65) && profile.faults.last == base.faults[0])
            }
        }
    }

    @Test func drawsNothingForAClientToWhichNothingCanHappen() {
        let generator = TimelineGenerator(
            ObservedClient(duration: .seconds(1), hasUplink: false),
            base: SimulatedClient.base,
            seed: 7,
            kinds: [.reset]
        )
        #expect(generator.kinds.isEmpty)
    }
}
