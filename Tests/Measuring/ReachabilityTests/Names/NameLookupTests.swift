// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import Probing

@Suite struct NameLookupTests {
    private static let address = IPAddress(literal: "192.0.2.1")
    private static var answer: Observation {
        var observation = Observation(.answered(.milliseconds(1)))
        observation.addresses = [address]
        observation.timeToLive = .seconds(9)
        return observation
    }

    private static func failure(_ reason: Reason) -> Observation { Observation(.failed(reason)) }

    /// Answers every question of a look-up by `reply`; the questions, in order, and the end.
    private func run(
        _ name: String,
        _ configuration: String,
        hasTime: Bool = true,
        _ reply: (NameLookup.Ask) -> Observation
    ) -> (asked: [String], resolution: Resolution?) {
        var lookup = NameLookup(name, ResolverConfiguration(configuration))
        var open = lookup.begin()
        var asked: [String] = []
        while !open.isEmpty {
            let ask = open.removeFirst()
            asked.append("\(ask.question.name) \(ask.question.type) @\(ask.server)")
            open += lookup.answer(reply(ask), for: ask.family, hasTime: hasTime)
        }
        return (asked, lookup.resolution)
    }

    @Test func asksForBothFamiliesAtOnce() {
        let (asked, resolution) = run("x.test", "nameserver 1.1.1.1") {
            $0.family == .ipv4 ? Self.answer : Self.failure(.nodata)
        }
        #expect(asked == ["x.test a @1.1.1.1", "x.test aaaa @1.1.1.1"])
        #expect(resolution?.addresses == [Self.address])
        #expect(resolution?.timeToLive == .seconds(9))
        #expect(resolution?.reasons == [.ipv6: .nodata])
        #expect(resolution?.reason == nil)
    }

    @Test func goesToTheNextServerAfterAFailureAsOftenAsItMay() {
        let (asked, resolution) = run("x.test", "nameserver 1.1.1.1\nnameserver 2.2.2.2\noptions attempts:2") {
            $0.family == .ipv6
                ? Self.failure(.nodata) : Self.failure($0.server.bytes[0] == 1 ? .servfail : .queryTimeout)
        }
        #expect(
            asked.filter { $0.contains(" a ") } == ["1", "2", "1", "2"].map { "x.test a @\($0).\($0).\($0).\($0)" }
        )
        #expect(resolution?.reasons[.ipv4] == .servfail)
        #expect(resolution?.reason == .nodata)
    }

    @Test func triesTheSearchListUntilAnAnswer() {
        let configuration = "search a.test b.test\nnameserver 1.1.1.1"
        let (asked, resolution) = run("x", configuration) {
            $0.question.name == "x.b.test" ? Self.answer : Self.failure(.nxdomain)
        }
        #expect(asked.map { $0.prefix { $0 != " " } } == ["x.a.test", "x.a.test", "x.b.test", "x.b.test"])
        #expect(resolution?.addresses.first == Self.address)
        #expect(run("x", configuration) { _ in Self.failure(.nxdomain) }.resolution?.reason == .nxdomain)
        let empty = run("x", configuration) { Self.failure($0.question.name == "x.a.test" ? .nodata : .nxdomain) }
        #expect(empty.resolution?.reason == .nodata)
    }

    @Test func stopsWhenTheTimeIsUp() {
        let (asked, resolution) = run("x.test", "nameserver 1.1.1.1", hasTime: false) { _ in
            Self.failure(.queryTimeout)
        }
        #expect(asked.count == 2)
        #expect(resolution?.reason == .queryTimeout)
    }
}
