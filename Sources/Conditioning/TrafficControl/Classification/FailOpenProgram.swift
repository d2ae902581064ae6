// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import Netlink

/// A lane's classifier that matches nothing once the lane's device is gone, or its pump has stopped.
///
/// Without this classifier, a filter's action drops the packets whose target device is gone (tcf_mirred_act in
/// net/sched/act_mirred.c). A TAP device ends with its pump, whatever killed the pump. With this classifier, the
/// packets then pass the filter as if it were not there, even if no process of linkcond is left. A pump that was
/// stopped or frozen keeps its devices; `FilterWatchdog` detects that.
///
/// A classic program cannot check whether a device exists; an extended program can, by bpf_check_mtu (since Linux 5.12;
/// the watchdog alone would work on older kernels). The kernel itself translates classic programs in the same way
/// (bpf_convert_filter in net/core/filter.c).
struct FailOpenProgram: Hashable {
    /// The instructions; nil if the classic program has an instruction that `translation` does not know.
    let instructions: [ExtendedInstruction]

    private typealias Code = BPFInstruction.Code

    private static let accumulator = ExtendedInstruction.Register.r0
    private static let packet = ExtendedInstruction.Register.r6
    private static let index = ExtendedInstruction.Register.r7
    private static let saved = ExtendedInstruction.Register.r8

    /// The helper that compares a packet's length with a device's MTU.
    private static let checkMTU: Int32 = 163
    /// The helper that reads CLOCK_MONOTONIC, in nanoseconds.
    private static let readClock: Int32 = 5
    /// The stack offset of the MTU argument, below the sixteen words of scratch memory.
    private static let mtu: Int16 = -72

    /// Translates `program` into one that matches only while the device with the index `target` exists.
    ///
    /// - Parameter watchdog: the descriptor of the map that holds the word of a `FilterWatchdog`.
    init?(_ program: [BPFInstruction], target: Int32, watchdog: CInt) {
        var output: [ExtendedInstruction] = [
            .move(Self.packet, .r1),
            .move(Self.accumulator, constant: 0),
            .move(Self.index, constant: 0),
        ]
        // The start of each instruction's translation, and the jumps whose distance is filled in at the end.
        var starts: [Int] = []
        var jumps: [(at: Int, to: Int)] = []
        let isReached = Self.reached(program)
        for (position, instruction) in program.enumerated() {
            starts.append(output.count)
            // The kernel rejects a program with instructions that are never reached.
            guard isReached[position] else { continue }
            switch instruction.code {
            case Code.jump:
                jumps.append((output.count, position + 1 + Int(instruction.constant)))
                output.append(.jump(0))
            case Code.jumpIfEqual, Code.jumpIfAbove, Code.jumpIfAtLeast, Code.jumpIfAnyBit:
                jumps.append((output.count, position + 1 + Int(instruction.jumpTrue)))
                jumps.append((output.count + 1, position + 1 + Int(instruction.jumpFalse)))
                let code = UInt8(instruction.code)
                output += [.jump32(code, constant: Int32(bitPattern: instruction.constant), 0), .jump(0)]
            case Code.answer where instruction.constant != 0:
                jumps.append((output.count, program.count))
                output.append(.jump(0))
            default:
                guard let translation = Self.translation(of: instruction) else { return nil }
                output += translation
            }
        }
        starts.append(output.count)
        for (at, to) in jumps {
            let distance = starts[to] - at - 1
            // A selection's length is limited, so that no program is long enough for a longer jump.
            precondition(0...Int(Int16.max) ~= distance, "a jump backwards, or too far")
            output[at].offset = Int16(distance)
        }
        instructions = output + Self.answer(target, watchdog)
    }

    /// Whether each instruction can be reached. Classic programs jump forwards only.
    private static func reached(_ program: [BPFInstruction]) -> [Bool] {
        var reached = [Bool](repeating: false, count: program.count + 256)
        reached[0] = true
        for (position, instruction) in program.enumerated() where reached[position] {
            switch instruction.code {
            case Code.jump: reached[position + 1 + Int(instruction.constant)] = true
            case Code.answer: break
            case Code.jumpIfEqual, Code.jumpIfAbove, Code.jumpIfAtLeast, Code.jumpIfAnyBit:
                reached[position + 1 + Int(instruction.jumpTrue)] = true
                reached[position + 1 + Int(instruction.jumpFalse)] = true
            default: reached[position + 1] = true
            }
        }
        return reached
    }

    /// The translation of an instruction that is neither a jump nor a match; nil if it is unknown.
    private static func translation(of instruction: BPFInstruction) -> [ExtendedInstruction]? {
        let constant = Int32(bitPattern: instruction.constant)
        let slot = Int16(-4 * (constant & 15) - 4)
        switch instruction.code {
        case Code.loadWord where instruction.constant == Wire.ancillaryProtocol:
            // __sk_buff.protocol, in the network's order.
            return [.load32(accumulator, from: packet, offset: 16), .networkOrder16(accumulator)]
        case Code.loadWord where instruction.constant == Wire.ancillaryVLANTagPresent:
            return [.load32(accumulator, from: packet, offset: 20)]
        case Code.loadWord, Code.loadHalf, Code.loadByte: return [.packet(UInt8(instruction.code), constant: constant)]
        case Code.loadWordAtIndex, Code.loadHalfAtIndex, Code.loadByteAtIndex:
            return [.packet(UInt8(instruction.code), constant: constant, plus: index)]
        case Code.loadIndexFromIPv4HeaderLength:
            return [
                .move32(saved, accumulator), .packet(UInt8(Code.loadByte), constant: constant),
                .arithmetic32(UInt8(Code.andConstant), accumulator, constant: 15),
                .arithmetic32(UInt8(Code.shiftLeftConstant), accumulator, constant: 2),
                .move32(index, accumulator), .move32(accumulator, saved),
            ]
        case Code.loadConstant: return [.move32(accumulator, constant: constant)]
        case Code.loadMemory: return [.load32(accumulator, from: .r10, offset: slot)]
        case Code.loadIndexMemory: return [.load32(index, from: .r10, offset: slot)]
        case Code.storeMemory: return [.store32(accumulator, at: .r10, offset: slot)]
        case Code.storeIndexMemory: return [.store32(index, at: .r10, offset: slot)]
        case Code.moveFromIndex: return [.move32(accumulator, index)]
        case Code.addConstant, Code.andConstant, Code.shiftLeftConstant:
            return [.arithmetic32(UInt8(instruction.code), accumulator, constant: constant)]
        case Code.addIndex: return [.add32(accumulator, index)]
        case Code.answer: return [.move(accumulator, constant: 0), .exit]
        default: return nil
        }
    }

    /// Returns -1, a match, or 0 if there is no device with the index `target`, or if the watchdog's time is too old.
    /// If the watchdog has no time, stores the present time in it.
    private static func answer(_ target: Int32, _ watchdog: CInt) -> [ExtendedInstruction] {
        typealias Register = ExtendedInstruction.Register
        let (now, word, time, silenceLimit) = (accumulator, Register.r1, Register.r2, Register.r3)
        return [
            .clear32(at: .r10, offset: mtu),
            .move(.r1, packet), .move(.r2, constant: target),
            .move(.r3, .r10), .add(.r3, constant: Int32(mtu)),
            .move(.r4, constant: 0), .move(.r5, constant: 0),
            .call(checkMTU),
            .jump32(UInt8(Code.jumpIfEqual), constant: -ENODEV, 13),
            .call(readClock),
        ]
            + ExtendedInstruction.loadAddress(word, ofMap: watchdog) + [
                .load64(time, from: word, offset: 0),
                .jumpUnlessZero(time, 2),
                .store64(now, at: word, offset: 0),
                .jump(4),
                .subtract(now, time),
            ]
            + ExtendedInstruction.move64(silenceLimit, constant: Int64(FilterWatchdog.silenceLimit / .nanoseconds(1)))
            + [
                // Compares signed numbers: another processor's time may be a little later than this one's.
                .jumpIfGreater(now, silenceLimit, 2),
                .move(.r0, constant: -1), .exit,
                .move(.r0, constant: 0), .exit,
            ]
    }
}
