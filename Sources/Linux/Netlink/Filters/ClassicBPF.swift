// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// One instruction of the classic packet filter; Documentation/networking/filter.rst in the kernel's tree.
package struct BPFInstruction: Hashable, Sendable {
    /// The instruction's class, size, mode and operation.
    package let code: UInt16
    /// The number of instructions to skip if the condition is true.
    package let jumpTrue: UInt8
    /// The number of instructions to skip if the condition is false.
    package let jumpFalse: UInt8
    /// The constant, or the offset.
    package let constant: UInt32

    package init(code: UInt16, jumpTrue: UInt8 = 0, jumpFalse: UInt8 = 0, constant: UInt32) {
        self.code = code
        self.jumpTrue = jumpTrue
        self.jumpFalse = jumpFalse
        self.constant = constant
    }
}

extension BPFInstruction: CustomStringConvertible {
    /// The instruction in the format of `tc filter ... bpf bytecode`: "code true false constant".
    package var description: String { "\(code) \(jumpTrue) \(jumpFalse) \(constant)" }
}

extension [BPFInstruction] {
    /// The program that matches every packet.
    package static var matchAll: Self { [BPFInstruction(code: BPFInstruction.Code.answer, constant: .max)] }

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

/// An extended program that bpf(2) has loaded.
package struct LoadedProgram: Hashable, Sendable {
    /// The program's descriptor in this process.
    package var descriptor: Int32
    /// The name of the filter that uses it, at most 255 bytes.
    package var name: String

    package init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }
}

extension Message {
    /// Appends the kind and options of a bpf filter: the loaded program, if any, or else `program`, and its action.
    func putClassifier(_ program: [BPFInstruction], _ loaded: LoadedProgram? = nil, _ action: (Message) -> Void) {
        put(TCA_KIND, text: "bpf")
        nest(TCA_OPTIONS) {
            if let loaded {
                put(TCA_BPF_FD, UInt32(bitPattern: loaded.descriptor))
                put(TCA_BPF_NAME, text: loaded.name)
            } else {
                put(TCA_BPF_OPS_LEN, UInt16(program.count))
                put(TCA_BPF_OPS, bytes: program.bytes)
            }
            // Do not offload the filter to hardware, which does not know the target device.
            put(TCA_BPF_FLAGS_GEN, UInt32(TCA_CLS_FLAGS_SKIP_HW))
            nest(TCA_BPF_ACT) {
                nest(1) { action(self) }
            }
        }
    }
}
