// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// One instruction of the classic packet filter; Documentation/networking/filter.rst in the kernel's tree.
public struct BPFInstruction: Hashable, Sendable {
    /// The instruction's class, size, mode and operation.
    public let code: UInt16
    /// The number of instructions to skip if the condition is true.
    public let jumpTrue: UInt8
    /// The number of instructions to skip if the condition is false.
    public let jumpFalse: UInt8
    /// The constant, or the offset.
    public let constant: UInt32

    /// Makes an instruction.
    public init(code: UInt16, jumpTrue: UInt8 = 0, jumpFalse: UInt8 = 0, constant: UInt32) {
        self.code = code
        self.jumpTrue = jumpTrue
        self.jumpFalse = jumpFalse
        self.constant = constant
    }
}

extension BPFInstruction: CustomStringConvertible {
    /// The instruction in the format of `tc filter ... bpf bytecode`: "code true false constant".
    public var description: String { "\(code) \(jumpTrue) \(jumpFalse) \(constant)" }
}

extension [BPFInstruction] {
    var bytes: [UInt8] {
        flatMap { instruction in
            let raw = sock_filter(
                code: instruction.code,
                jt: instruction.jumpTrue,
                jf: instruction.jumpFalse,
                k: instruction.constant
            )
            return Swift.withUnsafeBytes(of: raw) { [UInt8]($0) }
        }
    }

    init(bytes: ArraySlice<UInt8>) {
        let size = MemoryLayout<sock_filter>.size
        self = stride(from: 0, to: bytes.count - bytes.count % size, by: size).compactMap { offset in
            bytes.load(sock_filter.self, at: offset).map {
                BPFInstruction(code: $0.code, jumpTrue: $0.jt, jumpFalse: $0.jf, constant: $0.k)
            }
        }
    }
}
