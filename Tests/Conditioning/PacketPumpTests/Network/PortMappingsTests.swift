// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit
import Testing

@testable import PacketPump

/// Mappings that an expectation may use, although they change.
private final class Translator {
    private var mappings: PortMappings

    init(_ rules: AddressTranslation, now: Int64) { mappings = PortMappings(rules, now: now) }

    var count: Int { mappings.count }
    func rebind() { mappings.rebind() }
    func port(of flow: PortMappings.Flow, now: Int64) -> UInt16 { mappings.port(of: flow, now: now) }
    func arrival(_ flow: PortMappings.Flow, now: Int64) -> PortMappings.Arrival { mappings.arrival(flow, now: now) }
}

/// The mappings of an address translator, in the words of RFC 4787.
@Suite struct PortMappingsTests {
    private static let second: Int64 = 1_000_000_000

    private static func flow(_ port: UInt16, to remote: UInt32 = 1, _ remotePort: UInt16 = 53, transport: UInt8 = 17)
        -> PortMappings.Flow
    {
        .init(
            transport: transport,
            host: .init(address: 0x0A00_0264, port: port),
            remote: .init(address: remote, port: remotePort)
        )
    }

    private static func rules(
        idle: Duration? = .seconds(30),
        mapping: AddressTranslation.Dependence = .endpoint,
        filtering: AddressTranslation.Dependence = .endpoint
    ) -> AddressTranslation {
        var rules = AddressTranslation()
        (rules.idle, rules.mapping, rules.filtering) = (idle, mapping, filtering)
        return rules
    }

    @Test func keepsAPortThatNoMappingHas() {
        let mappings = Translator(Self.rules(), now: 0)
        #expect(mappings.port(of: Self.flow(50_000), now: 0) == 50_000)
        #expect(mappings.arrival(Self.flow(50_000), now: 1) == .init(port: 50_000, passes: true))
    }

    @Test func anIdleMappingExpiresAndItsSourceGetsAnotherPort() {
        let mappings = Translator(Self.rules(), now: 0)
        _ = mappings.port(of: Self.flow(50_000), now: 0)
        // Either way is a use.
        _ = mappings.arrival(Self.flow(50_000), now: 29 * Self.second)
        #expect(mappings.port(of: Self.flow(50_000), now: 58 * Self.second) == 50_000)
        let late = 88 * Self.second
        #expect(mappings.arrival(Self.flow(50_000), now: late) == .init(port: 50_000, passes: false))
        let port = mappings.port(of: Self.flow(50_000), now: late)
        #expect(port != 50_000 && PortMappings.pool.contains(port))
        #expect(mappings.arrival(Self.flow(port), now: late) == .init(port: 50_000, passes: true))
        #expect(mappings.arrival(Self.flow(50_000), now: late) == .init(port: 50_000, passes: false))
    }

    @Test func afterARebindEverySourceHasAnotherPort() {
        let mappings = Translator(Self.rules(idle: nil), now: 0)
        let before = (50_000...50_009).map { mappings.port(of: Self.flow($0), now: 0) }
        mappings.rebind()
        #expect(mappings.arrival(Self.flow(50_003), now: 1) == .init(port: 50_003, passes: false))
        let after = (50_000...50_019).map { mappings.port(of: Self.flow($0), now: 1) }
        // New sources, too: it is unknown whether they are.
        #expect(Set(after).count == 20 && Set(after).isDisjoint(with: 50_000...50_019) && before.count == 10)
        #expect(mappings.arrival(Self.flow(after[3]), now: 2) == .init(port: 50_003, passes: true))
    }

    @Test(arguments: [
        (AddressTranslation.Dependence.endpoint, [true, true, true]), (.address, [true, true, false]),
        (.addressAndPort, [true, false, false]),
    ])
    func mapsADestinationLikeTheFirst(mapping: AddressTranslation.Dependence, same: [Bool]) {
        let mappings = Translator(Self.rules(mapping: mapping), now: 0)
        let first = mappings.port(of: Self.flow(50_000, to: 1, 53), now: 0)
        let others = [(1, 53), (1, 54), (2, 53)].map { mappings.port(of: Self.flow(50_000, to: $0, $1), now: 1) }
        #expect(others.map { $0 == first } == same)
    }

    @Test(arguments: [
        (AddressTranslation.Dependence.endpoint, [true, true, true]), (.address, [true, true, false]),
        (.addressAndPort, [true, false, false]),
    ])
    func letsInWhomItFilters(filtering: AddressTranslation.Dependence, passes: [Bool]) {
        let mappings = Translator(Self.rules(filtering: filtering), now: 0)
        let port = mappings.port(of: Self.flow(50_000, to: 1, 53), now: 0)
        let arrivals = [(1, 53), (1, 54), (2, 53)].map { mappings.arrival(Self.flow(port, to: $0, $1), now: 1) }
        #expect(arrivals.map(\.passes) == passes && arrivals.allSatisfy { $0.port == 50_000 })
    }

    /// A connection that began before there was a translator.
    @Test func adoptsFlowsThatItDidNotSeeBegin() {
        let mappings = Translator(Self.rules(), now: 0)
        #expect(mappings.arrival(Self.flow(50_000), now: 29 * Self.second) == .init(port: 50_000, passes: true))
        #expect(mappings.arrival(Self.flow(50_001), now: 31 * Self.second) == .init(port: 50_001, passes: false))
        #expect(mappings.arrival(Self.flow(50_000), now: 40 * Self.second).passes)
    }

    @Test func isBoundedAndForgetsWhatWasNotUsedForLongest() {
        let mappings = Translator(Self.rules(idle: nil), now: 0)
        for transport: UInt8 in [1, 6, 17] {
            for port: UInt16 in 1...60_000 {
                _ = mappings.port(of: Self.flow(port, transport: transport), now: Int64(port))
            }
        }
        let count = mappings.count
        #expect(count == PortMappings.limit / 3 * 3)
        mappings.rebind()
        // What is remembered knows whose it was; what is forgotten does not.
        let known = [1, 60_000].map { mappings.arrival(Self.flow($0), now: 0) }
        #expect(known.allSatisfy { !$0.passes } && mappings.count == count)
    }

    /// What goes out and comes back is what was sent, whatever happened before.
    @Test(arguments: AddressTranslation.Dependence.allCases, AddressTranslation.Dependence.allCases)
    func bringsAnswersBack(mapping: AddressTranslation.Dependence, filtering: AddressTranslation.Dependence) {
        var random = SeededGenerator(seed: 7)
        let mappings = Translator(Self.rules(mapping: mapping, filtering: filtering), now: 0)
        var now: Int64 = 0
        var live: [PortMappings.Flow: (port: UInt16, used: Int64)] = [:]
        for _ in 0..<4000 {
            now += .random(in: 0...(Self.second / 2), using: &random)
            if Int.random(in: 0..<500, using: &random) == 0 {
                mappings.rebind()
                live = [:]
            }
            let flow = Self.flow(
                .random(in: 1020...1100, using: &random),
                to: .random(in: 1...3, using: &random),
                .random(in: 1...2, using: &random),
                transport: [6, 17].randomElement(using: &random) ?? 6
            )
            let port = mappings.port(of: flow, now: now)
            if let before = live[flow], now - before.used < 30 * Self.second { #expect(before.port == port) }
            live[flow] = (port, now)
            var answer = flow
            answer.host.port = port
            #expect(mappings.arrival(answer, now: now) == .init(port: flow.host.port, passes: true))
            // Two sources never share a port.
            let sharing = live.filter { other, value in
                value.port == port && value.used == now && other.transport == flow.transport
                    && other.host.port != flow.host.port
            }
            #expect(sharing.isEmpty)
        }
    }
}
