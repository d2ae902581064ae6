// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Assembles classic BPF programs with labels as jump targets. A is the accumulator, X the index register.
///
/// Classic BPF only jumps forward, and conditional jumps reach 255 instructions; `assemble` checks both.
struct BPFAssembler {
    /// A position in the program, defined once with `bind`.
    struct Label: Hashable {
        fileprivate let number: Int
    }

    typealias Code = BPFInstruction.Code

    enum Width {
        case word, half, byte
    }

    private enum Line {
        case plain(BPFInstruction)
        case jump(code: UInt16, constant: UInt32, ifTrue: Label?, ifFalse: Label?)
        case always(Label)
    }

    private var lines: [Line] = []
    private var positions: [Label: Int] = [:]
    private var labelCount = 0

    /// A new label, not yet placed.
    mutating func label() -> Label {
        labelCount += 1
        return Label(number: labelCount)
    }

    /// Defines `label` as the next instruction.
    mutating func bind(_ label: Label) {
        precondition(positions[label] == nil, "a label is in two positions")
        positions[label] = lines.count
    }

    /// A = packet[offset]; a load beyond the packet's end makes the program return 0.
    mutating func load(_ width: Width, at offset: UInt32) {
        switch width {
        case .word: emit(Code.loadWord, offset)
        case .half: emit(Code.loadHalf, offset)
        case .byte: emit(Code.loadByte, offset)
        }
    }
    /// A = packet[X + offset].
    mutating func load(_ width: Width, atIndexPlus offset: UInt32) {
        switch width {
        case .word: emit(Code.loadWordAtIndex, offset)
        case .half: emit(Code.loadHalfAtIndex, offset)
        case .byte: emit(Code.loadByteAtIndex, offset)
        }
    }
    /// X = 4 * (packet[offset] & 15): the length of an IPv4 header.
    mutating func loadIndexFromIPv4HeaderLength(at offset: UInt32) { emit(Code.loadIndexFromIPv4HeaderLength, offset) }
    /// A = constant.
    mutating func load(constant: UInt32) { emit(Code.loadConstant, constant) }
    /// A = memory[slot].
    mutating func load(memory slot: UInt32) { emit(Code.loadMemory, slot) }
    /// X = memory[slot].
    mutating func loadIndex(memory slot: UInt32) { emit(Code.loadIndexMemory, slot) }
    /// memory[slot] = A.
    mutating func store(memory slot: UInt32) { emit(Code.storeMemory, slot) }
    /// memory[slot] = X.
    mutating func storeIndex(memory slot: UInt32) { emit(Code.storeIndexMemory, slot) }
    /// A = X.
    mutating func moveFromIndex() { emit(Code.moveFromIndex, 0) }
    /// A += constant.
    mutating func add(_ constant: UInt32) { emit(Code.addConstant, constant) }
    /// A += X.
    mutating func addIndex() { emit(Code.addIndex, 0) }
    /// A &= constant.
    mutating func and(_ constant: UInt32) { emit(Code.andConstant, constant) }
    /// A <<= constant.
    mutating func shiftLeft(_ constant: UInt32) { emit(Code.shiftLeftConstant, constant) }

    /// Ends the program with `value`: 0 is no match, any other value a match.
    mutating func answer(_ value: UInt32) { emit(Code.answer, value) }

    /// Returns 0 unless A == constant.
    mutating func require(_ constant: UInt32) {
        let isEqual = label()
        ifEqual(constant, then: isEqual)
        answer(0)
        bind(isEqual)
    }

    /// Jumps to `label`.
    mutating func jump(to label: Label) { lines.append(.always(label)) }
    /// Jumps to one of two labels depending on whether A == constant; a nil label is the next instruction.
    mutating func ifEqual(_ constant: UInt32, then: Label? = nil, else otherwise: Label? = nil) {
        lines.append(.jump(code: Code.jumpIfEqual, constant: constant, ifTrue: then, ifFalse: otherwise))
    }
    /// Jumps if A >= constant.
    mutating func ifAtLeast(_ constant: UInt32, then: Label? = nil, else otherwise: Label? = nil) {
        lines.append(.jump(code: Code.jumpIfAtLeast, constant: constant, ifTrue: then, ifFalse: otherwise))
    }
    /// Jumps if A > constant.
    mutating func ifAbove(_ constant: UInt32, then: Label? = nil, else otherwise: Label? = nil) {
        lines.append(.jump(code: Code.jumpIfAbove, constant: constant, ifTrue: then, ifFalse: otherwise))
    }
    /// Jumps if A & constant != 0.
    mutating func ifAnyBit(of constant: UInt32, then: Label? = nil, else otherwise: Label? = nil) {
        lines.append(.jump(code: Code.jumpIfAnyBit, constant: constant, ifTrue: then, ifFalse: otherwise))
    }

    private mutating func emit(_ code: UInt16, _ constant: UInt32) {
        lines.append(.plain(BPFInstruction(code: code, constant: constant)))
    }

    /// The program with every label resolved; nil if a jump goes backwards or a conditional jump is too long.
    func assemble() -> [BPFInstruction]? {
        var program: [BPFInstruction] = []
        for (index, line) in lines.enumerated() {
            func distance(_ label: Label?) -> Int? {
                guard let label else { return 0 }
                return positions[label].map { $0 - index - 1 }.flatMap { $0 >= 0 ? $0 : nil }
            }
            switch line {
            case .plain(let instruction): program.append(instruction)
            case .always(let label):
                guard let skip = distance(label) else { return nil }
                program.append(BPFInstruction(code: Code.jump, constant: UInt32(skip)))
            case .jump(let code, let constant, let ifTrue, let ifFalse):
                guard let yes = distance(ifTrue).flatMap(UInt8.init(exactly:)),
                    let no = distance(ifFalse).flatMap(UInt8.init(exactly:))
                else { return nil }
                program.append(BPFInstruction(code: code, jumpTrue: yes, jumpFalse: no, constant: constant))
            }
        }
        return program
    }
}
