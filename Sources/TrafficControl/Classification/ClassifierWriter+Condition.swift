// SPDX-License-Identifier: Apache-2.0

extension ClassifierWriter {
    /// Answers by what beside the selection decides.
    mutating func decide() {
        switch classifier.condition {
        case .any: assembler.answer(.max)
        case .dns:
            let match = assembler.label()
            assembler.load(memory: Slot.destination)
            assembler.ifEqual(53, then: match)
            assembler.answer(0)
            assembler.place(match)
            assembler.answer(.max)
        case .fromOpener(let ephemeralPorts): decideByOpener(ephemeralPorts, fromOpener: .max, toOpener: 0)
        case .toOpener(let ephemeralPorts): decideByOpener(ephemeralPorts, fromOpener: 0, toOpener: .max)
        }
    }

    /// connect() takes ports of the range's lowest parity, a listener on port 0 the other
    /// (inet_hashtables.c, inet_connection_sock.c), so the parity tells the opener of TCP. For UDP the side
    /// outside the range is the server. What nothing tells counts as the opener's.
    private mutating func decideByOpener(
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

        assembler.place(tcp)
        let notSource = assembler.label()
        assembler.load(memory: Slot.source)
        assembler.ifAtLeast(low, else: notSource)
        assembler.ifAbove(high, then: notSource)
        assembler.and(1)
        assembler.ifEqual(low & 1, then: opener)
        assembler.place(notSource)
        assembler.load(memory: Slot.destination)
        assembler.ifAtLeast(low, else: opener)
        assembler.ifAbove(high, then: opener)
        assembler.and(1)
        assembler.ifEqual(low & 1, then: answer, else: opener)

        assembler.place(udp)
        assembler.load(memory: Slot.destination)
        assembler.ifAtLeast(low, else: opener)
        assembler.ifAbove(high, then: opener)
        assembler.load(memory: Slot.source)
        assembler.ifAtLeast(low, else: answer)
        assembler.ifAbove(high, then: answer, else: opener)

        // Echo answers, and errors about what the opener sent: types below 5 and 11, 12, 14, 129.
        assembler.place(icmp)
        assembler.load(memory: Slot.message)
        assembler.ifAtLeast(5, else: answer)
        for type: UInt32 in [11, 12, 14, 129] { assembler.ifEqual(type, then: answer) }

        assembler.place(opener)
        assembler.answer(fromOpener)
        assembler.place(answer)
        assembler.answer(toOpener)
    }
}
