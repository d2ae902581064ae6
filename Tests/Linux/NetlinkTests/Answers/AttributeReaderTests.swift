// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Netlink

@Suite struct AttributeReaderTests {
    private func reader(_ bytes: [UInt8]) -> AttributeReader { AttributeReader(bytes[...]) }

    @Test func findsPayloadsByType() {
        let attributes = reader(attribute(3, [1, 2, 3, 4]) + attribute(1, [5]) + attribute(2, []))
        #expect(attributes.payloads.keys.sorted() == [1, 2, 3])
        #expect(attributes.value(3) == 0x0403_0201 as UInt32?)
        #expect(attributes[1].map { Array($0) } == [5])
        #expect(attributes[2]?.isEmpty == true)
        #expect(attributes[4] == nil)
    }

    @Test func ignoresTheFlagsOfAType() {
        let attributes = reader(attribute(0x8005, attribute(0x4001, [7])))
        #expect(attributes.nested(5)?[1].map { Array($0) } == [7])
    }

    @Test func givesNoValueOfMoreBytesThanThereAre() {
        let attributes = reader(attribute(1, [1, 2, 3]))
        #expect(attributes.value(1, as: UInt32.self) == nil)
        #expect(attributes.value(1, as: UInt16.self) == 0x0201)
    }

    @Test func readsTextsWithAndWithoutTheirZero() {
        let attributes = reader(attribute(1, Array("bpf\0".utf8)) + attribute(2, Array("bpf".utf8)) + attribute(3, []))
        #expect(attributes.text(1) == "bpf")
        #expect(attributes.text(2) == "bpf")
        #expect(attributes.text(3)?.isEmpty == true)
        #expect(attributes.text(4) == nil)
    }

    @Test func repairsATextThatIsNotUnicode() {
        #expect(reader(attribute(1, [0x61, 0xFF, 0])).text(1) == "a\u{FFFD}")
    }

    @Test(arguments: [0, 3, 9, 0xFFFF] as [UInt16]) func stopsAtAnImpossibleLength(_ length: UInt16) {
        let second = bytes(of: length) + attribute(2, [1, 2, 3, 4]).dropFirst(2)
        #expect(reader(attribute(1, [1]) + second).payloads.keys.sorted() == [1])
    }

    @Test func stopsAtACutAttribute() {
        let second = attribute(2, [1, 2, 3, 4])
        for length in second.indices {
            #expect(reader(attribute(1, [1]) + second.prefix(length)).payloads.keys.sorted() == [1])
        }
    }

    @Test func loadsFromTheMiddleOfASlice() {
        let slice = [0, 0, 1, 2, 3, 4, 5, 6][3...] as ArraySlice<UInt8>
        #expect(slice.load(UInt16.self) == 0x0302)
        #expect(slice.load(UInt32.self, at: 1) == 0x0605_0403)
        #expect(slice.load(UInt32.self, at: 2) == nil)
    }
}
