// SPDX-License-Identifier: Apache-2.0

/// One instruction of the extended packet filter: `struct bpf_insn`, Documentation/bpf/standardization of the kernel.
struct ExtendedInstruction: Hashable {
    /// A register. R0 holds results, R1 to R5 arguments, R10 the end of the stack frame.
    enum Register: UInt8 {
        case r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10
    }

    let code: UInt8
    var destination = Register.r0
    var source = Register.r0
    /// How many instructions to skip, or a distance from an address in bytes.
    var offset: Int16 = 0
    var constant: Int32 = 0

    /// The instruction in memory, on a little-endian machine.
    var bytes: [UInt8] {
        [code, destination.rawValue | source.rawValue << 4]
            + withUnsafeBytes(of: offset.littleEndian) { [UInt8]($0) }
            + withUnsafeBytes(of: constant.littleEndian) { [UInt8]($0) }
    }
}

/// The instructions that a translated classifier needs. Those named `...32` use the lower half of a register.
extension ExtendedInstruction {
    static func move(_ destination: Register, _ source: Register) -> Self {
        Self(code: 0xBF, destination: destination, source: source)
    }
    static func move(_ destination: Register, constant: Int32) -> Self {
        Self(code: 0xB7, destination: destination, constant: constant)
    }
    static func move32(_ destination: Register, _ source: Register) -> Self {
        Self(code: 0xBC, destination: destination, source: source)
    }
    static func add(_ destination: Register, constant: Int32) -> Self {
        Self(code: 0x07, destination: destination, constant: constant)
    }
    static func add32(_ destination: Register, _ source: Register) -> Self {
        Self(code: 0x0C, destination: destination, source: source)
    }
    /// The operation of a classic instruction with a constant, whose numbers for arithmetic are the same.
    static func arithmetic32(_ code: UInt8, _ destination: Register, constant: Int32) -> Self {
        Self(code: code, destination: destination, constant: constant)
    }
    static func load32(_ destination: Register, from address: Register, offset: Int16) -> Self {
        Self(code: 0x61, destination: destination, source: address, offset: offset)
    }
    static func store32(_ source: Register, at address: Register, offset: Int16) -> Self {
        Self(code: 0x63, destination: address, source: source, offset: offset)
    }
    /// Stores zero.
    static func clear32(at address: Register, offset: Int16) -> Self {
        Self(code: 0x62, destination: address, offset: offset)
    }
    /// Swaps the lower two bytes where the network's order is not the machine's.
    static func networkOrder16(_ register: Register) -> Self {
        Self(code: 0xDC, destination: register, constant: 16)
    }
    /// R0 = packet[constant], of the width in `mode`. R6 holds the packet; R1 to R5 are lost. Beyond the packet's end the
    /// program ends with 0.
    static func packet(_ mode: UInt8, constant: Int32, plus index: Register? = nil) -> Self {
        Self(code: mode, source: index ?? .r0, constant: constant)
    }
    static func load64(_ destination: Register, from address: Register, offset: Int16) -> Self {
        Self(code: 0x79, destination: destination, source: address, offset: offset)
    }
    static func store64(_ source: Register, at address: Register, offset: Int16) -> Self {
        Self(code: 0x7B, destination: address, source: source, offset: offset)
    }
    static func subtract(_ destination: Register, _ source: Register) -> Self {
        Self(code: 0x1F, destination: destination, source: source)
    }
    /// A constant of 64 bits takes two instructions.
    static func move64(_ destination: Register, constant: Int64) -> [Self] {
        [
            Self(code: 0x18, destination: destination, constant: Int32(truncatingIfNeeded: constant)),
            Self(code: 0, constant: Int32(truncatingIfNeeded: constant >> 32)),
        ]
    }
    /// The address of the first value in a map, by the map's descriptor (BPF_PSEUDO_MAP_VALUE, since Linux 5.2).
    static func loadAddress(_ destination: Register, ofMap descriptor: Int32) -> [Self] {
        [Self(code: 0x18, destination: destination, source: .r2, constant: descriptor), Self(code: 0)]
    }
    static func jumpUnlessZero(_ register: Register, _ offset: Int16) -> Self {
        Self(code: 0x55, destination: register, offset: offset)
    }
    /// Compares signed numbers of 64 bits.
    static func jumpIfGreater(_ register: Register, _ other: Register, _ offset: Int16) -> Self {
        Self(code: 0x6D, destination: register, source: other, offset: offset)
    }
    static func jump(_ offset: Int16) -> Self { Self(code: 0x05, offset: offset) }
    /// Jumps if R0, as 32 bits, compares with `constant` as the classic jump of this code says.
    static func jump32(_ classicCode: UInt8, constant: Int32, _ offset: Int16) -> Self {
        // The class of 32-bit jumps, since Linux 5.1, instead of that of 64-bit ones.
        Self(code: classicCode & 0xF8 | 0x06, offset: offset, constant: constant)
    }
    static func call(_ function: Int32) -> Self { Self(code: 0x85, constant: function) }
    static let exit = Self(code: 0x95)
}
