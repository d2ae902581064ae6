// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import TrafficControl

/// Which selection is more specific, and which select the same packets.
@Suite struct SpecificityTests {
    @Test func countsKindsThenTheShortestPrefix() throws {
        let order = [
            "everything", "port 443", "to 10.0.0.0/8", "to 10.0.0.0/16", "to 2001:db8::/96", "to 10.0.0.1",
            "protocol tcp port 443", "to ::/0 protocol tcp", "to 10.0.0.0/8 port 443",
            "to 10.0.0.1 port 443 protocol tcp",
        ]
        let ranks = try order.map { try #require(Selection($0)).specificity }
        #expect(ranks == ranks.sorted())
        for (left, right) in [
            ("port 443", "protocol udp"), ("everything", "exclude port 22"), ("port 1", "port 1 port 2"),
            ("to 10.0.0.0/8", "to 10.0.0.0/8 to 10.0.0.1"), ("to 10.0.0.1", "to 10.0.0.1 to 2001:db8::1"),
            ("to 10.0.0.0/24", "to 2001:db8::/96"), ("protocol tcp port 443", "to ::/0 protocol tcp"),
        ] {
            #expect(Selection(left)?.specificity == Selection(right)?.specificity, "\(left), \(right)")
        }
    }

    @Test(arguments: [
        ("everything", "everything", true), ("everything", "to 10.0.0.1 port 443 protocol tcp", true),
        ("to 10.0.0.0/8", "to 10.1.0.0/16", true), ("to 10.0.0.0/9", "to 10.128.0.0/9", false),
        ("to 10.0.0.0/8", "to 2001:db8::/32", false), ("to 10.0.0.1 to 2001:db8::1", "to 2001:db8::/32", true),
        ("to 10.0.0.0/8", "port 443", true), ("port 443", "port 80", false), ("port 443 port 80", "port 80", true),
        ("port 443", "protocol icmp", false), ("port 443", "protocol udp", true),
        ("protocol tcp", "protocol udp", false), ("exclude port 443", "port 443", false),
        ("exclude port 443", "port 443 port 80", true), ("exclude to 10.0.0.0/8", "to 10.1.0.0/16", false),
        ("to 10.0.0.0/8 exclude to 10.1.0.0/16", "to 10.0.0.0/7", true),
        ("exclude protocol tcp exclude protocol udp", "port 443", false),
        ("exclude protocol tcp", "protocol udp", true),
    ])
    func tellsWhichOverlap(left: String, right: String, expected: Bool) throws {
        let (left, right) = (try #require(Selection(left)), try #require(Selection(right)))
        #expect(left.overlaps(right) == expected)
        #expect(right.overlaps(left) == expected)
    }

    /// No packet matches both of two selections that do not overlap, but for those with two services' ports.
    @Test(arguments: UInt64(1)...20) func overlapsWhereAPacketMatchesBoth(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let pair = (0..<2).map { _ in
                Classifier(
                    selection: Classifier.random(&generator).selection,
                    condition: .any,
                    remote: .destination,
                    networkOffset: 14
                )
            }
            guard !pair[0].selection.overlaps(pair[1].selection) else { continue }
            guard pair.contains(where: \.selection.criteria.ports.isEmpty) else { continue }
            for _ in 0..<30 {
                let traffic = Traffic.random(&generator)
                let isBoth = pair.allSatisfy { ClassifierModel(classifier: $0).picks(traffic) }
                #expect(!isBoth, "\(pair.map(\.selection)) of \(traffic)")
            }
        }
    }
}
