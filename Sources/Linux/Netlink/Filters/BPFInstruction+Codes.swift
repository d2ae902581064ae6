// SPDX-License-Identifier: Apache-2.0

extension BPFInstruction {
    /// Codes of classic instructions: class, size, mode and operation (linux/bpf_common.h).
    ///
    /// A is the accumulator, X the index register.
    package enum Code {
        /// A = constant.
        package static let loadConstant: UInt16 = 0x00
        /// A = 32 bits of the packet, in the network's order.
        package static let loadWord: UInt16 = 0x20
        package static let loadHalf: UInt16 = 0x28
        package static let loadByte: UInt16 = 0x30
        /// A = 32 bits of the packet, from X + constant on.
        package static let loadWordAtIndex: UInt16 = 0x40
        package static let loadHalfAtIndex: UInt16 = 0x48
        package static let loadByteAtIndex: UInt16 = 0x50
        /// X = the length of the IPv4 header at the constant.
        package static let loadIndexFromIPv4HeaderLength: UInt16 = 0xB1
        /// A = a word of scratch memory.
        package static let loadMemory: UInt16 = 0x60
        package static let loadIndexMemory: UInt16 = 0x61
        package static let storeMemory: UInt16 = 0x02
        package static let storeIndexMemory: UInt16 = 0x03
        /// A = X.
        package static let moveFromIndex: UInt16 = 0x87
        package static let addConstant: UInt16 = 0x04
        package static let addIndex: UInt16 = 0x0C
        package static let andConstant: UInt16 = 0x54
        package static let shiftLeftConstant: UInt16 = 0x64
        /// Skips a number of instructions: the constant.
        package static let jump: UInt16 = 0x05
        /// Jumps by comparing A with the constant.
        package static let jumpIfEqual: UInt16 = 0x15
        package static let jumpIfAbove: UInt16 = 0x25
        package static let jumpIfAtLeast: UInt16 = 0x35
        package static let jumpIfAnyBit: UInt16 = 0x45
        /// Ends the program with the constant.
        package static let answer: UInt16 = 0x06
    }
}
