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
    /// The number of instructions that a jump skips, or the distance in bytes from the address of a load or store.
    var offset: Int16 = 0
    var constant: Int32 = 0

    /// The instruction in memory, on a little-endian machine.
    var bytes: [UInt8] {
        [code, destination.rawValue | source.rawValue << 4]
            + withUnsafeBytes(of: offset.littleEndian) { [UInt8]($0) }
            + withUnsafeBytes(of: constant.littleEndian) { [UInt8]($0) }
    }
}

/// The instructions that a translated classifier needs. Functions named `...32` use the lower half of a register.
extension ExtendedInstruction {
    private init(
        _ code: UInt8,
        _ target: Register = .r0,
        _ source: Register = .r0,
        offset: Int16 = 0,
        constant: Int32 = 0
    ) {
        self.init(code: code, destination: target, source: source, offset: offset, constant: constant)
    }

    static func move(_ target: Register, _ source: Register) -> Self { Self(0xBF, target, source) }
    static func move(_ target: Register, constant: Int32) -> Self { Self(0xB7, target, constant: constant) }
    static func move32(_ target: Register, _ source: Register) -> Self { Self(0xBC, target, source) }
    static func move32(_ target: Register, constant: Int32) -> Self { Self(0xB4, target, constant: constant) }
    static func add(_ target: Register, constant: Int32) -> Self { Self(0x07, target, constant: constant) }
    static func add32(_ target: Register, _ source: Register) -> Self { Self(0x0C, target, source) }
    static func subtract(_ target: Register, _ source: Register) -> Self { Self(0x1F, target, source) }
    /// The arithmetic of a classic instruction with a constant: the code is the same in classic and extended BPF.
    static func arithmetic32(_ code: UInt8, _ target: Register, constant: Int32) -> Self {
        Self(code, target, constant: constant)
    }
    static func load32(_ target: Register, from address: Register, offset: Int16) -> Self {
        Self(0x61, target, address, offset: offset)
    }
    static func load64(_ target: Register, from address: Register, offset: Int16) -> Self {
        Self(0x79, target, address, offset: offset)
    }
    static func store32(_ source: Register, at address: Register, offset: Int16) -> Self {
        Self(0x63, address, source, offset: offset)
    }
    static func store64(_ source: Register, at address: Register, offset: Int16) -> Self {
        Self(0x7B, address, source, offset: offset)
    }
    /// Stores zero.
    static func clear32(at address: Register, offset: Int16) -> Self { Self(0x62, address, offset: offset) }
    /// Swaps the lower two bytes where the network's order is not the machine's.
    static func networkOrder16(_ register: Register) -> Self { Self(0xDC, register, constant: 16) }
    /// R0 = packet[constant + index], of the width in `mode`. R6 must hold the program's context; the load overwrites
    /// R1 to R5. A load beyond the packet's end ends the program with 0.
    static func packet(_ mode: UInt8, constant: Int32, plus index: Register = .r0) -> Self {
        Self(mode, .r0, index, constant: constant)
    }
    /// A constant of 64 bits takes two instructions.
    static func move64(_ target: Register, constant: Int64) -> [Self] {
        [
            Self(0x18, target, constant: Int32(truncatingIfNeeded: constant)),
            Self(0, constant: Int32(truncatingIfNeeded: constant >> 32)),
        ]
    }
    /// The address of the first value in a map, by the map's descriptor (BPF_PSEUDO_MAP_VALUE, since Linux 5.2).
    static func loadAddress(_ target: Register, ofMap descriptor: Int32) -> [Self] {
        [Self(0x18, target, .r2, constant: descriptor), Self(0)]
    }
    static func jumpUnlessZero(_ register: Register, _ offset: Int16) -> Self { Self(0x55, register, offset: offset) }
    /// Compares signed numbers of 64 bits.
    static func jumpIfGreater(_ register: Register, _ other: Register, _ offset: Int16) -> Self {
        Self(0x6D, register, other, offset: offset)
    }
    static func jump(_ offset: Int16) -> Self { Self(0x05, offset: offset) }
    /// The conditional jump with the classic code `classicCode`, on the lower 32 bits of R0.
    static func jump32(_ classicCode: UInt8, constant: Int32, _ offset: Int16) -> Self {
        // The instruction class BPF_JMP32 (since Linux 5.1) instead of BPF_JMP.
        Self(classicCode & 0xF8 | 0x06, offset: offset, constant: constant)
    }
    static func call(_ function: Int32) -> Self { Self(0x85, constant: function) }
    static let exit = Self(0x95)
}
