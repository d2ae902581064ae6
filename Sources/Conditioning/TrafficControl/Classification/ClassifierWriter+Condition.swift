// SPDX-License-Identifier: Apache-2.0

extension ClassifierWriter {
    /// Writes the classifier's condition, which ends the program.
    mutating func writeCondition() {
        switch classifier.condition {
        case .any: assembler.answer(.max)
        case .dns:
            assembler.load(memory: Slot.destination)
            assembler.require(53)
            assembler.answer(.max)
        case .fromOpener(let ephemeralPorts): writeOpenerCondition(ephemeralPorts, fromOpener: .max, toOpener: 0)
        case .toOpener(let ephemeralPorts): writeOpenerCondition(ephemeralPorts, fromOpener: 0, toOpener: .max)
        }
    }

    /// Writes the test for the side that opened a flow. connect(2) chooses ports with the parity of the range's first
    /// port, a listener on port 0 ports of the other parity (inet_hashtables.c, inet_connection_sock.c): the parity
    /// shows which end of a TCP connection opened it. The end of a UDP flow whose port is outside the range is the
    /// server. Undecided packets count as the opener's.
    private mutating func writeOpenerCondition(
        _ range: ClosedRange<UInt16>,
        fromOpener: UInt32,
        toOpener: UInt32
    ) {
        let low = UInt32(range.lowerBound)
        let high = UInt32(range.upperBound)
        let (tcp, udp, icmp, opener, answer) = (
            assembler.label(), assembler.label(), assembler.label(), assembler.label(), assembler.label()
        )
        assembler.load(memory: Slot.transport)
        assembler.ifEqual(Wire.tcp, then: tcp)
        assembler.ifEqual(Wire.udp, then: udp)
        assembler.ifEqual(Wire.icmp, then: icmp)
        assembler.ifEqual(Wire.icmpv6, then: icmp, else: opener)

        assembler.bind(tcp)
        let notSource = assembler.label()
        assembler.load(memory: Slot.source)
        assembler.ifAtLeast(low, else: notSource)
        assembler.ifAbove(high, then: notSource)
        assembler.and(1)
        assembler.ifEqual(low & 1, then: opener)
        assembler.bind(notSource)
        assembler.load(memory: Slot.destination)
        assembler.ifAtLeast(low, else: opener)
        assembler.ifAbove(high, then: opener)
        assembler.and(1)
        assembler.ifEqual(low & 1, then: answer, else: opener)

        assembler.bind(udp)
        assembler.load(memory: Slot.destination)
        assembler.ifAtLeast(low, else: opener)
        assembler.ifAbove(high, then: opener)
        assembler.load(memory: Slot.source)
        assembler.ifAtLeast(low, else: answer)
        assembler.ifAbove(high, then: answer, else: opener)

        // ICMP messages from the other side: echo replies, and errors about the opener's packets. Types below 5, and
        // 11, 12, 14, 129.
        assembler.bind(icmp)
        assembler.load(memory: Slot.message)
        assembler.ifAtLeast(5, else: answer)
        for type: UInt32 in [11, 12, 14, 129] { assembler.ifEqual(type, then: answer) }

        assembler.bind(opener)
        assembler.answer(fromOpener)
        assembler.bind(answer)
        assembler.answer(toOpener)
    }
}
