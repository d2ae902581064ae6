// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import TrafficControl

@Suite struct BPFAssemblerTests {
    @Test func resolvesLabelsToDistances() throws {
        var assembler = BPFAssembler()
        let match = assembler.label()
        assembler.load(.half, at: 12)
        assembler.ifEqual(0x0800, then: match)
        assembler.answer(0)
        assembler.bind(match)
        assembler.answer(1)
        #expect(
            assembler.assemble() == [
                BPFInstruction(code: 0x28, constant: 12),
                BPFInstruction(code: 0x15, jumpTrue: 1, jumpFalse: 0, constant: 0x0800),
                BPFInstruction(code: 0x06, constant: 0),
                BPFInstruction(code: 0x06, constant: 1),
            ]
        )
    }

    @Test(arguments: [(255, true), (256, false)])
    func reaches255InstructionsWithAConditionalJump(distance: Int, fits: Bool) {
        var assembler = BPFAssembler()
        let far = assembler.label()
        assembler.ifEqual(1, then: far)
        for _ in 0..<distance { assembler.answer(0) }
        assembler.bind(far)
        assembler.answer(1)
        #expect((assembler.assemble() != nil) == fits)
    }

    @Test func reachesAnywhereAheadWithAPlainJump() throws {
        var assembler = BPFAssembler()
        let far = assembler.label()
        assembler.jump(to: far)
        for _ in 0..<3000 { assembler.answer(0) }
        assembler.bind(far)
        assembler.answer(1)
        let program = try #require(assembler.assemble())
        #expect(try BPFInterpreter(program).answer(to: .arp) == 1)
    }

    @Test func refusesToJumpBackwards() {
        var assembler = BPFAssembler()
        let start = assembler.label()
        assembler.bind(start)
        assembler.load(constant: 0)
        assembler.jump(to: start)
        assembler.answer(0)
        #expect(assembler.assemble() == nil)
    }

    @Test func refusesALabelThatIsNowhere() {
        var assembler = BPFAssembler()
        assembler.ifEqual(1, then: assembler.label())
        assembler.answer(0)
        #expect(assembler.assemble() == nil)
    }
}
