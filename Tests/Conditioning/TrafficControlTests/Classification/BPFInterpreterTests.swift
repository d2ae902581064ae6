// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

/// The interpreter must be as strict as the kernel, because other tests rely on it.
@Suite struct BPFInterpreterTests {
    private typealias Code = BPFInterpreter.Code

    private static func program(_ instructions: (code: UInt16, constant: UInt32)...) -> [BPFInstruction] {
        instructions.map { BPFInstruction(code: $0.code, constant: $0.constant) }
    }

    @Test func refusesAnEmptyProgramAndOneTooLong() {
        #expect(throws: BPFInterpreter.Fault.badLength(0)) { try BPFInterpreter([]) }
        let long = [BPFInstruction](repeating: BPFInstruction(code: Code.answer, constant: 0), count: 4097)
        #expect(throws: BPFInterpreter.Fault.badLength(4097)) { try BPFInterpreter(long) }
    }

    @Test func refusesAProgramThatDoesNotEndInAnAnswer() {
        let program = Self.program((Code.answer, 0), (Code.loadConstant, 1))
        #expect(throws: BPFInterpreter.Fault.noReturnAtEnd) { try BPFInterpreter(program) }
    }

    @Test func refusesJumpsBeyondTheEnd() {
        let always = Self.program((Code.jumpAlways, 1), (Code.answer, 0))
        #expect(throws: BPFInterpreter.Fault.jumpOutOfBounds(at: 0)) { try BPFInterpreter(always) }
        let conditional = [
            BPFInstruction(code: Code.jumpEqual, jumpTrue: 0, jumpFalse: 1, constant: 0),
            BPFInstruction(code: Code.answer, constant: 0),
        ]
        #expect(throws: BPFInterpreter.Fault.jumpOutOfBounds(at: 0)) { try BPFInterpreter(conditional) }
    }

    @Test func refusesMemoryThatOnePathHasNotWritten() {
        // The store is skipped if A is 5.
        let program = [
            BPFInstruction(code: Code.jumpEqual, jumpTrue: 1, jumpFalse: 0, constant: 5),
            BPFInstruction(code: Code.store, constant: 3),
            BPFInstruction(code: Code.loadMemory, constant: 3),
            BPFInstruction(code: Code.answer, constant: 0),
        ]
        #expect(throws: BPFInterpreter.Fault.unwrittenMemory(at: 2)) { try BPFInterpreter(program) }
    }

    @Test func refusesUnknownInstructionsAndMemory() {
        let unknown = Self.program((0xFF, 0), (Code.answer, 0))
        #expect(throws: BPFInterpreter.Fault.unknownInstruction(at: 0)) { try BPFInterpreter(unknown) }
        let memory = Self.program((Code.store, 16), (Code.answer, 0))
        #expect(throws: BPFInterpreter.Fault.noSuchMemory(at: 0)) { try BPFInterpreter(memory) }
    }

    @Test func answersZeroBeyondThePacketsEnd() throws {
        let program = Self.program((Code.loadByte, 14), (Code.answer, 7))
        let packet = Packet(etherType: 0x0800, network: [0x45])
        #expect(try BPFInterpreter(program).answer(to: packet) == 7)
        #expect(try BPFInterpreter(program).answer(to: packet.cut(to: 0)) == 0)
        let half = Self.program((Code.loadHalf, 14), (Code.answer, 7))
        #expect(try BPFInterpreter(half).answer(to: packet) == 0)
    }
}
