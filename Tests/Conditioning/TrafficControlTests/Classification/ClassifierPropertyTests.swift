// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import TrafficControl

/// Random rules and random packets: the program for the kernel must agree with a model in plain Swift.
@Suite struct ClassifierPropertyTests {
    @Test(arguments: UInt64(1)...40)
    func programAgreesWithTheRules(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let classifier = Classifier.random(&generator)
        let interpreter = try BPFInterpreter(try #require(classifier.program()))
        let model = ClassifierModel(classifier: classifier)
        var picked = 0
        for _ in 0..<1500 {
            let traffic = Traffic.random(&generator)
            let answer = interpreter.answer(to: traffic.packet, networkOffset: classifier.networkOffset)
            try #require((answer != 0) == model.picks(traffic), "\(classifier) of \(traffic)")
            picked += answer == 0 ? 0 : 1
        }
        // Rules that match all or no packets would prove little.
        #expect(picked < 1500)
    }

    @Test func randomRulesPickOftenEnoughToProveSomething() {
        var generator = SeededGenerator(seed: 7)
        let shares = (0..<200).map { _ -> Int in
            let model = ClassifierModel(classifier: Classifier.random(&generator))
            return (0..<100).count { _ in model.picks(.random(&generator)) }
        }
        #expect(shares.count { (5...95).contains($0) } > 50)
    }
}

extension Classifier {
    /// One of random traffic.
    static func random(_ generator: inout SeededGenerator) -> Classifier {
        Classifier(
            selection: Selection(criteria(&generator), excluding: criteria(&generator, rarely: true)),
            condition: generator.pick([
                .any, .any, .dns, .fromOpener(ephemeralPorts: 32768...60999), .toOpener(ephemeralPorts: 32768...60999),
            ]),
            remote: generator.pick(RemoteEnd.allCases),
            networkOffset: generator.pick([0, 14])
        )
    }

    private static func criteria(_ generator: inout SeededGenerator, rarely: Bool = false) -> Selection.Criteria {
        let rarity = rarely ? 4 : 2
        var criteria = Selection.Criteria()
        let prefixes = [
            "0.0.0.0/0", "10.0.0.0/8", "10.0.0.0/9", "10.0.0.1", "192.0.2.0/31", "::/0", "2001:db8::/32",
            "2001:db8::/33", "2001:db8::2", "fe80::/10",
        ]
        if generator.isOne(in: rarity) {
            criteria.remotes = (0...3).compactMap { _ in AddressPrefix(generator.pick(prefixes)) }
        }
        if generator.isOne(in: rarity) { criteria.ports = (0...2).map { _ in generator.pick(Traffic.ports) } }
        if generator.isOne(in: rarity) { criteria.protocols = [generator.pick(TransportProtocol.allCases)] }
        return criteria
    }
}
