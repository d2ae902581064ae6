// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

/// Values whose members are named once for writing and for reading.
@Suite struct JSONObjectTests {
    private struct Parcel: JSONObject, Equatable {
        var weight = 0
        var note: String?
        var remark: String?
        var isOpen = false
        var stops: [String] = []
        var copies = 1
        var isStrict = false

        static let blank = Parcel()

        mutating func describe(_ members: inout JSONMembers) {
            members.required("weight", &weight)
            members.optional("note", &note)
            members.lenient("remark", &remark)
            members.optional("open", &isOpen, default: false)
            members.list("stops", &stops)
            members.lenient("copies", &copies)
            members.writeOnly("heavy", weight > 9 ? true : nil)
            if weight == 8 { members.refuseOthers() }
        }
    }

    private enum Order: JSONEnumeration, Equatable {
        case send(Parcel, to: String)
        case wait(Int?)
        case stop

        static let caseKey = "do"
        static let blanks = JSONBlanks<Self>(.send(.blank, to: ""), .wait(nil), .stop)

        func described(by members: inout JSONMembers) -> Self {
            switch self {
            case .send(let parcel, let place):
                members.case("send", Self.send, .members(parcel), .required("to", place))
            case .wait(let seconds): members.case("wait", Self.wait, .optional("seconds", seconds))
            case .stop: members.case("stop", .stop)
            }
        }
    }

    private static let full = Parcel(
        weight: 12,
        note: "n",
        remark: "r",
        isOpen: true,
        stops: ["a", "b"],
        copies: 2
    )

    @Test func writesMembersInTheirOrder() {
        #expect(Parcel().json.line == #"{ "weight": 0, "copies": 1 }"#)
        let all = #""note": "n", "remark": "r", "open": true, "stops": ["a", "b"], "copies": 2, "heavy": true"#
        #expect(Self.full.json.line == #"{ "weight": 12, \#(all) }"#)
        #expect(Parcel(json: Self.full.json) == Self.full)
    }

    @Test(arguments: [
        (#"{"weight": 3}"#, Parcel(weight: 3)),
        (#"{"other": 1, "open": false, "stops": [], "weight": 3}"#, Parcel(weight: 3)),
        (#"{"weight": 3, "remark": null, "copies": "two", "heavy": 7}"#, Parcel(weight: 3)),
        (#"{"weight": 8, "remark": 5, "heavy": null, "stops": ["a"]}"#, Parcel(weight: 8, stops: ["a"])),
        (#"{"weight": 8, "other": 1}"#, nil), (#"{"weight": 3, "note": null}"#, nil), (#"{"weight": "3"}"#, nil),
        (#"{"weight": 3, "open": null}"#, nil), (#"{"weight": 3, "stops": ["a", 1]}"#, nil), ("{}", nil), ("[]", nil),
    ])
    private func readsWhatIsThere(text: String, parcel: Parcel?) throws {
        #expect(Parcel(json: try JSON(utf8: text.utf8)) == parcel)
    }

    @Test(arguments: [
        (Order.send(Parcel(weight: 3), to: "x"), #"{ "do": "send", "weight": 3, "copies": 1, "to": "x" }"#),
        (.wait(4), #"{ "do": "wait", "seconds": 4 }"#), (.wait(nil), #"{ "do": "wait" }"#),
        (.stop, #"{ "do": "stop" }"#),
    ])
    private func writesAndReadsCases(order: Order, line: String) throws {
        #expect(order.json.line == line)
        #expect(Order(json: try JSON(utf8: line.utf8)) == order)
    }

    @Test(arguments: [
        "{}", #"{"do": "go"}"#, #"{"do": 1}"#, #"{"do": "send", "weight": 3}"#, #"{"do": "wait", "seconds": "4"}"#,
    ])
    func readsNoOtherCases(text: String) throws {
        #expect(Order(json: try JSON(utf8: text.utf8)) == nil)
    }
}
