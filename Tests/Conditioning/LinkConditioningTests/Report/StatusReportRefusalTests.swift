// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import LinkConditioning
@testable import TrafficControl

/// JSON that is not a report.
@Suite struct StatusReportRefusalTests {
    @Test(arguments: ["null", "true", "1", "\"devices\"", "[]", "{}", #"{ "leftovers": [] }"#, #"{ "devices": {} }"#])
    func refusesWhatHasNoDevices(text: String) throws {
        #expect(try StatusReport(json: JSON(utf8: text.utf8)) == nil)
    }

    @Test func refusesAnotherKindOfValueAnywhere() {
        for wrong in [JSON(.null), "text", JSON(.number("-1.5")), JSON(), true] {
            for (path, json) in StatusReport.full.json.replacingEach(with: wrong) {
                #expect(StatusReport(json: json) == nil, "\(wrong.line) at \(path)")
            }
        }
    }

    @Test func refusesNumbersThatDoNotFit() {
        let numbers = ["-1", "1e3", "99999999999999999999"].map { JSON(.number($0)) }
        for number in numbers {
            for (path, json) in StatusReport.full.json.replacingEach(with: number, where: \.isNumber) {
                // A process, a time and an overhead may be below zero as far as their types know.
                let isSigned = [
                    "pid", "guardian", "since", "until", "confirmBy", "index", "rule", "gap", "packet", "cell",
                    "cellOverhead",
                ]
                .contains { path.description.hasSuffix(".\($0)") }
                if number.line == "-1", isSigned { continue }
                #expect(StatusReport(json: json) == nil, "\(number.line) at \(path)")
            }
        }
    }

    @Test(arguments: [
        "$.devices", "$.sandbox.pid", "$.devices[0].interface", "$.devices[0].index", "$.devices[0].rules",
        "$.devices[0].rules[0].rule", "$.devices[0].rules[0].traffic", "$.devices[0].rules[0].engine",
        "$.devices[0].rules[0].lanes", "$.devices[0].rules[0].lanes[0].lane", "$.devices[0].rules[0].lanes[0].device",
        "$.devices[0].rules[0].lanes[0].matchedPackets", "$.devices[0].rules[0].lanes[0].sentPackets",
        "$.devices[0].rules[0].lanes[0].heldPackets", "$.devices[0].rules[0].lanes[0].conditions.overhead.packet",
    ])
    func refusesWhatIsIncomplete(path: String) throws {
        let json = try #require(StatusReport.full.json.removingEach().first { $0.path.description == path }?.json)
        #expect(StatusReport(json: json) == nil)
    }

    @Test(arguments: [
        (#""lane": "uplink""#, #""lane": "sideways""#), ("exclude port 22", "exclude port 22 and more"),
        ("10.0.0.0/8", "10.0.0.0/33"),
        ("32 kbit/s", "32"), ("100 ms", "long"), (#""ecn""#, #""surprise""#), (#""normal""#, #""strange""#),
    ])
    func refusesWordsItDoesNotKnow(word: String, other: String) throws {
        let text = StatusReport.full.json.line
        #expect(text.contains(word))
        #expect(try StatusReport(json: JSON(utf8: text.replacing(word, with: other, maxReplacements: 1).utf8)) == nil)
    }

    @Test func passesOverMembersItDoesNotKnow() throws {
        let json = StatusReport.full.json.replacing("later", "than this version")
        #expect(StatusReport(json: json) == .full)
    }
}

extension JSON {
    fileprivate var isNumber: Bool { if case .number = value { true } else { false } }

    /// The value once for each value in it that has `property`, with `other` in that one's place where it differs in
    /// kind or is a number.
    fileprivate func replacingEach(
        with other: JSON,
        where property: (JSON) -> Bool = { _ in true },
        at path: JSONPath = .root
    ) -> [(path: JSONPath, json: JSON)] {
        let own = property(self) && (kind != other.kind || isNumber) ? [(path, other)] : []
        switch value {
        case .array(let elements):
            return own
                + elements.indices.flatMap { index in
                    elements[index].replacingEach(with: other, where: property, at: path.appending(index))
                        .map { ($0, .list(elements[..<index] + [$1] + elements[(index + 1)...])) }
                }
        case .object(let members):
            return own
                + members.flatMap { member in
                    member.value.replacingEach(with: other, where: property, at: path.appending(member.name))
                        .map { ($0, replacing(member.name, $1)) }
                }
        default: return own
        }
    }

    /// The value once for each member in it, without that one.
    fileprivate func removingEach() -> [(path: JSONPath, json: JSON)] {
        // A literal that no report holds marks the place.
        let mark = JSON(.null)
        return replacingEach(with: mark).map { ($0, $1.withoutNull) }
    }

    private var withoutNull: JSON {
        switch value {
        case .array(let elements): .list(elements.map(\.withoutNull))
        case .object(let members):
            JSON(
                members: members.map { member in
                    if case .null = member.value.value {
                        (member.name, nil)
                    } else {
                        (member.name, member.value.withoutNull)
                    }
                }
            )
        default: self
        }
    }
}
