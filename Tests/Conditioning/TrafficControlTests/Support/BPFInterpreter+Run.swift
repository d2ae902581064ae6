// SPDX-License-Identifier: Apache-2.0

import Netlink

extension BPFInterpreter {
    /// Metadata of a packet (`SKF_AD_OFF` and above in linux/filter.h).
    private enum Ancillary {
        static let etherType = UInt32(bitPattern: -0x1000)
        static let hasVLANTag = UInt32(bitPattern: -0x1000 + 48)
    }

    /// The program's result; 0 if it loads beyond the packet's end.
    func answer(to packet: Packet, networkOffset: UInt32 = 14) -> UInt32 {
        let bytes = packet.frame(networkOffset: networkOffset)
        var memory = [UInt32](repeating: 0, count: Self.memoryWords)
        var (accumulator, index): (UInt32, UInt32) = (0, 0)
        var next = 0
        while true {
            let instruction = program[next]
            let constant = instruction.constant
            next += 1
            switch instruction.code {
            case Code.answer: return constant
            case Code.loadConstant: accumulator = constant
            case Code.loadWord where constant == Ancillary.etherType: accumulator = UInt32(packet.etherType)
            case Code.loadWord where constant == Ancillary.hasVLANTag: accumulator = packet.hasVLANTag ? 1 : 0
            case Code.loadWord, Code.loadHalf, Code.loadByte:
                guard let value = bytes.load(instruction.code, at: UInt64(constant)) else { return 0 }
                accumulator = value
            case Code.loadWordIndexed, Code.loadHalfIndexed, Code.loadByteIndexed:
                let offset = UInt64(index) + UInt64(constant)
                guard let value = bytes.load(instruction.code, at: offset) else { return 0 }
                accumulator = value
            case Code.loadIndexHeaderLength:
                guard let value = bytes.load(Code.loadByte, at: UInt64(constant)) else { return 0 }
                index = (value & 15) * 4
            case Code.loadMemory: accumulator = memory[Int(constant)]
            case Code.loadIndexMemory: index = memory[Int(constant)]
            case Code.store: memory[Int(constant)] = accumulator
            case Code.storeIndex: memory[Int(constant)] = index
            case Code.addConstant: accumulator &+= constant
            case Code.addIndex: accumulator &+= index
            case Code.andConstant: accumulator &= constant
            case Code.shiftLeft: accumulator <<= constant
            case Code.moveToIndex: index = accumulator
            case Code.moveFromIndex: accumulator = index
            case Code.jumpAlways: next += Int(constant)
            default:
                let holds =
                    switch instruction.code {
                    case Code.jumpEqual: accumulator == constant
                    case Code.jumpAbove: accumulator > constant
                    case Code.jumpAtLeast: accumulator >= constant
                    default: accumulator & constant != 0
                    }
                next += Int(holds ? instruction.jumpTrue : instruction.jumpFalse)
            }
        }
    }
}

extension [UInt8] {
    /// The word, half word or byte in network order, by the instruction that loads it; nil beyond the end.
    fileprivate func load(_ code: UInt16, at offset: UInt64) -> UInt32? {
        let width: UInt64 =
            switch code & 0x18 {
            case 0x00: 4
            case 0x08: 2
            default: 1
            }
        guard offset + width <= UInt64(count) else { return nil }
        return self[Int(offset)..<Int(offset + width)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
