// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import LinkProfiles

/// Good profiles with a few random changes: whatever comes out is either read or refused with reasons.
@Suite struct ChangedProfileTests {
    private static let directory = PackageDirectory.fixtures.appending(path: "good")

    private static let words =
        NodeReader.impairmentKeys + [
            "name", "dns", "seed", "schedule", "downlink", "uplink", "steps", "at", "repeat", "amount", "ordered",
            "distribution", "probability", "gap", "packet", "cell", "cellOverhead", "gilbertElliott", "fourState", "p",
            "r",
            "lossInBad", "burst", "p13", "p31", "p14", "file", "format", "loop", "dealy", "los", "x", "", "10 ms",
            "0 s",
            "5 s", "1 h", "10 %", "101 %", "0 %", "32 kbit/s", "0 bit/s", "64 kB", "50 packets", "mahimahi", "normal",
            "-1", "size", "discipline", "target", "interval", "quantum", "flows", "update", "step", "coupling", "codel",
            "fq_codel", "dualpi2", "bulk", "video", "call", "web", "count", "roundTrip", "start", "end", "congestion",
            "page", "connections",
            "reno", "3 pages a minute", "2 bulk+call 1 kbit/s",
        ]

    private struct Changer {
        var generator: SeededGenerator

        mutating func number(below limit: Int) -> Int {
            Int.random(in: 0..<limit, using: &generator)
        }

        mutating func word() -> String {
            ChangedProfileTests.words[number(below: ChangedProfileTests.words.count)]
        }

        mutating func value() -> JSON {
            let values: [JSON] = [
                JSON(.null), true, false, 0, 1, -1, 1_000_000_000, JSON(.number("1.5")), JSON(.number("1e400")),
                .list([]),
                JSON(), JSON((word(), JSON(stringLiteral: word()))), .list([JSON(stringLiteral: word())]),
            ]
            let choice = number(below: 2 * values.count)
            return choice < values.count ? values[choice] : JSON(stringLiteral: word())
        }

        /// `json` with one change somewhere in it.
        mutating func changed(_ json: JSON) -> JSON {
            switch json.value {
            case .object(let members) where !members.isEmpty && number(below: 8) > 0:
                var pairs: [(String, JSON?)] = members.map { ($0.name, $0.value) }
                let place = number(below: pairs.count)
                switch number(below: 8) {
                case 0: pairs.remove(at: place)
                case 1: pairs[place].0 = word()
                case 2: pairs.insert((word(), value()), at: place)
                default: pairs[place].1 = changed(members[place].value)
                }
                return JSON(members: pairs)
            case .array(var elements) where !elements.isEmpty && number(below: 8) > 0:
                let place = number(below: elements.count)
                elements[place] = changed(elements[place])
                return .list(elements)
            default:
                return value()
            }
        }
    }

    @Test(arguments: PackageDirectory.jsonNames(in: directory))
    func areReadOrRefusedWithReasons(file: String) throws {
        let original = try JSON(utf8: try Data(contentsOf: Self.directory.appending(path: file)))
        var changer = Changer(generator: SeededGenerator(seed: 10))
        for _ in 0..<400 {
            var json = original
            for _ in 0...changer.number(below: 3) { json = changer.changed(json) }
            do throws(InvalidProfile) {
                let profile = try Profile(utf8: json.line.utf8)
                #expect((try? profile.rereadFromText()) == profile, "\(json.line)")
                // No figure may get lost without a word.
                for direction in ["downlink", "uplink"] {
                    let read = json[direction]?.members.map(\.name) ?? []
                    let kept = profile.json[direction]?.members.map(\.name) ?? []
                    #expect(Set(read) == Set(kept), "\(json.line)")
                }
            } catch {
                #expect(!error.issues.isEmpty, "\(json.line)")
                #expect(Set(error.issues).count == error.issues.count, "\(json.line): \(error.issues)")
            }
        }
    }
}
