// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Probing

@Suite struct TargetListTests {
    private static func list(_ text: String) -> TargetList { TargetList(text.utf8) }

    @Test func takesOneTargetALine() {
        let list = Self.list("a.example\n  tcp://b.example:1\t\r\n\ninternet")
        #expect(list.targets == [.host("a.example"), .tcp(.init("b.example", 1)), .internet])
        #expect(list.mistakes.isEmpty)
        #expect(Self.list("").targets.isEmpty)
        #expect(Self.list("").mistakes.isEmpty)
    }

    @Test func leavesCommentsOutButNotWhatIsExpected() {
        let list = Self.list("# all\n#a.example\na.example # ours\nhttp://b.example/#status=204 #x y\n   #\n")
        #expect(list.targets.map(\.description) == ["a.example", "http://b.example/#status=204"])
        #expect(list.mistakes.isEmpty)
    }

    @Test func takesTwoWritingsOfOneTargetForOne() {
        let list = Self.list("B.example\na.example\nb.example.\nhost://a.example\n[::1]\n0::1")
        #expect(list.targets == [.host("b.example"), .host("a.example"), .host("::1")])
    }

    @Test func numbersTheLinesThatAreWrong() {
        let list = Self.list("a.example\n\n# x\nb.example:80\r\nc.example d.example\ne.example\n1.2.3\n")
        #expect(list.targets == [.host("a.example"), .host("e.example")])
        #expect(list.mistakes.map(\.line) == [4, 5, 7])
        #expect(list.mistakes.first?.description.hasPrefix("line 4: 'b.example:80' is no target") == true)
        #expect(list.mistakes[1].problem.hasSuffix("one target a line"))
    }

    @Test func refusesLinesThatAreNotUTF8AndReadsTheOthers() {
        let bytes =
            Array("a.example\n".utf8) + [0xFF, 0xC0, 0x80, 0x0A] + Array("b.example\nc\0d\n".utf8) + [0xE2, 0x82]
        let list = TargetList(bytes)
        #expect(list.targets == [.host("a.example"), .host("b.example")])
        #expect(list.mistakes.map(\.line) == [2, 4, 5])
        #expect(list.mistakes.map(\.problem).filter { $0 == "not UTF-8" }.count == 2)
    }

    @Test func survivesHugeLines() {
        let line = [UInt8](repeating: UInt8(ascii: "a"), count: 2_000_000)
        let colons = [UInt8](repeating: UInt8(ascii: ":"), count: 2_000_000)
        let list = TargetList(line + [0x0A] + colons + [0x0A] + Array("a.example".utf8))
        #expect(list.targets == [.host("a.example")])
        #expect(list.mistakes.map(\.line) == [1, 2])
        #expect(list.mistakes.allSatisfy { $0.problem.utf8.count < 1000 })
    }

    @Test func readsAHundredThousandLinesOfTargetsAndGarbage() {
        var dice = SeededGenerator(seed: 2)
        var bytes: [UInt8] = []
        var good: [Int] = []
        for line in 1...100_000 {
            if line.isMultiple(of: 4) {
                good.append(line)
                bytes += "tcp://host-\(line).example:\(line % 65535 + 1)".utf8
            } else {
                // Never a comment, empty or right: it begins with what no target begins with.
                bytes.append(UInt8(ascii: "!"))
                for _ in 0..<Int.random(in: 0..<20, using: &dice) {
                    let byte = UInt8.random(in: 0...255, using: &dice)
                    bytes.append(byte == 0x0A ? 0 : byte)
                }
            }
            bytes.append(0x0A)
        }
        let list = TargetList(bytes)
        #expect(list.targets.map(\.description) == good.map { "tcp://host-\($0).example:\($0 % 65535 + 1)" })
        #expect(list.mistakes.map(\.line) == (1...100_000).filter { !$0.isMultiple(of: 4) })
    }
}
