// SPDX-License-Identifier: Apache-2.0

import Netlink

/// Runs classic BPF programs as the kernel does: checked first, as `bpf_check_classic` and
/// `check_load_and_stores` in net/core/filter.c do, then instruction by instruction.
struct BPFInterpreter {
    /// Why the kernel would refuse a program.
    enum Fault: Error, Equatable {
        case badLength(Int)
        case unknownInstruction(at: Int)
        case jumpOutOfBounds(at: Int)
        case noSuchMemory(at: Int)
        case unwrittenMemory(at: Int)
        case noReturnAtEnd
    }

    /// The opcodes of linux/bpf_common.h, that the programs here use.
    enum Code {
        static let loadConstant: UInt16 = 0x00
        static let loadWord: UInt16 = 0x20
        static let loadHalf: UInt16 = 0x28
        static let loadByte: UInt16 = 0x30
        static let loadWordIndexed: UInt16 = 0x40
        static let loadHalfIndexed: UInt16 = 0x48
        static let loadByteIndexed: UInt16 = 0x50
        static let loadMemory: UInt16 = 0x60
        static let loadIndexMemory: UInt16 = 0x61
        static let loadIndexHeaderLength: UInt16 = 0xB1
        static let store: UInt16 = 0x02
        static let storeIndex: UInt16 = 0x03
        static let addConstant: UInt16 = 0x04
        static let addIndex: UInt16 = 0x0C
        static let andConstant: UInt16 = 0x54
        static let shiftLeft: UInt16 = 0x64
        static let jumpAlways: UInt16 = 0x05
        static let jumpEqual: UInt16 = 0x15
        static let jumpAbove: UInt16 = 0x25
        static let jumpAtLeast: UInt16 = 0x35
        static let jumpAnyBit: UInt16 = 0x45
        static let answer: UInt16 = 0x06
        static let moveToIndex: UInt16 = 0x07
        static let moveFromIndex: UInt16 = 0x87

        static let conditional: Set = [jumpEqual, jumpAbove, jumpAtLeast, jumpAnyBit]
        static let writesMemory: Set = [store, storeIndex]
        static let readsMemory: Set = [loadMemory, loadIndexMemory]
        static let others: Set = [
            loadConstant, loadWord, loadHalf, loadByte, loadWordIndexed, loadHalfIndexed, loadByteIndexed,
            loadIndexHeaderLength, addConstant, addIndex, andConstant, shiftLeft, jumpAlways, answer, moveToIndex,
            moveFromIndex,
        ]
    }

    /// `BPF_MAXINSNS` and `BPF_MEMWORDS`.
    static let longest = 4096
    static let memoryWords = 16

    let program: [BPFInstruction]

    /// Accepts a program that the kernel would accept.
    init(_ program: [BPFInstruction]) throws(Fault) {
        self.program = program
        guard (1...Self.longest).contains(program.count) else { throw .badLength(program.count) }
        for (index, instruction) in program.enumerated() { try Self.check(instruction, at: index, of: program.count) }
        guard program.last?.code == Code.answer else { throw .noReturnAtEnd }
        try checkMemory()
    }

    private static func check(_ instruction: BPFInstruction, at index: Int, of count: Int) throws(Fault) {
        let left = count - index - 1
        switch instruction.code {
        case Code.jumpAlways where instruction.constant >= left: throw .jumpOutOfBounds(at: index)
        case let code where Code.conditional.contains(code):
            guard max(instruction.jumpTrue, instruction.jumpFalse) < left else { throw .jumpOutOfBounds(at: index) }
        case let code where Code.readsMemory.contains(code) || Code.writesMemory.contains(code):
            guard instruction.constant < memoryWords else { throw .noSuchMemory(at: index) }
        case Code.shiftLeft where instruction.constant >= 32: throw .unknownInstruction(at: index)
        case let code: guard Code.others.contains(code) else { throw .unknownInstruction(at: index) }
        }
    }

    /// Every path to a load from memory must have written the slot.
    private func checkMemory() throws(Fault) {
        var writtenAt = [UInt16](repeating: .max, count: program.count)
        var written: UInt16 = 0
        for (index, instruction) in program.enumerated() {
            written &= writtenAt[index]
            switch instruction.code {
            case let code where Code.writesMemory.contains(code): written |= 1 << instruction.constant
            case let code where Code.readsMemory.contains(code):
                guard written & 1 << instruction.constant != 0 else { throw .unwrittenMemory(at: index) }
            case Code.jumpAlways:
                writtenAt[index + 1 + Int(instruction.constant)] &= written
                written = .max
            case let code where Code.conditional.contains(code):
                writtenAt[index + 1 + Int(instruction.jumpTrue)] &= written
                writtenAt[index + 1 + Int(instruction.jumpFalse)] &= written
                written = .max
            default: break
            }
        }
    }
}
