// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import TrafficControl

@Suite struct SelectionTests {
    @Test(arguments: [
        "everything", "to 10.0.0.0/8", "port 443", "protocol icmp", "exclude port 22", "exclude to 2001:db8::/32",
        "exclude protocol tcp", "to 10.0.0.0/8 to ::1 port 53 port 443 protocol tcp protocol udp",
        "to 192.0.2.1 port 1 protocol udp exclude to 192.0.2.0/30 exclude port 65535 exclude protocol icmp",
    ])
    func readsWhatItWrites(text: String) throws {
        #expect(try #require(Selection(text)).description == text)
    }

    @Test(arguments: [
        "", " ", "nothing", "everything else", "everything everything", "port", "port 0", "port 65536", "port -1",
        "port http",
        "to", "to example.org", "to 10.0.0.0/33", "protocol sctp", "protocol TCP", "exclude", "exclude port",
        "exclude exclude port 1", "exclude everything", "Port 22", "port 22 23", "port 22,23", "port +22",
    ])
    func refusesForeignWords(text: String) {
        #expect(Selection(text) == nil)
    }

    @Test(arguments: [
        ("everything", "everything"), ("port 80", "traffic on port 80"), ("protocol icmp", "traffic over icmp"),
        ("to 10.0.0.0/8 port 80 port 443", "traffic to 10.0.0.0/8 on port 80 or 443"),
        ("exclude port 22 exclude to 192.0.2.1", "traffic except to 192.0.2.1 or on port 22"),
        ("protocol tcp exclude port 22", "traffic over tcp except on port 22"),
    ])
    func hasWordsForASentence(text: String, words: String) throws {
        #expect(try #require(Selection(text)).words == words)
    }

    @Test func isTheSameInAnyOrder() {
        #expect(Selection("port 80 port 443 to 10.0.0.1") == Selection("to 10.0.0.1 port 443 port 80 port 443"))
        #expect(Selection("port 80") != Selection("exclude port 80"))
    }

    @Test func readsEveryRandomSelectionBack() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            var criteria = [Selection.Criteria(), Selection.Criteria()]
            for index in criteria.indices {
                for _ in 0..<generator.pick([0, 1, 3]) {
                    let isIPv6 = Bool.random(using: &generator)
                    let bytes = (0..<(isIPv6 ? 8 : 4)).map { _ in
                        UInt16.random(in: 0...(isIPv6 ? .max : 255), using: &generator)
                    }
                    let address = bytes.map { String($0, radix: isIPv6 ? 16 : 10) }.joined(
                        separator: isIPv6 ? ":" : "."
                    )
                    let length = Int.random(in: 0...(isIPv6 ? 128 : 32), using: &generator)
                    try #require(AddressPrefix("\(address)/\(length)").map { criteria[index].remotes.append($0) })
                    criteria[index].ports.append(.random(in: 1...(.max), using: &generator))
                    criteria[index].protocols.append(generator.pick(TransportProtocol.allCases))
                }
            }
            let selection = Selection(criteria[0], excluding: criteria[1])
            #expect(Selection(selection.description) == selection)
        }
    }

    @Test func meansEverythingOnlyWhereNothingIsAsked() throws {
        #expect(Selection().isEverything)
        #expect(try !#require(Selection("port 22")).isEverything)
        #expect(try !#require(Selection("exclude port 22")).isEverything)
    }
}
