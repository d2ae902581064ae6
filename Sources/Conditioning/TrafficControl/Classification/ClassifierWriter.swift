// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Numbers from RFC 791, 8200, 4443, 4861 and the kernel's linux/filter.h.
enum Wire {
    static let ipv4: UInt32 = 0x0800
    static let ipv6: UInt32 = 0x86DD
    static let icmp: UInt32 = 1
    static let tcp: UInt32 = 6
    static let udp: UInt32 = 17
    static let icmpv6: UInt32 = 58
    /// Loads at `SKF_AD_OFF` and above return metadata of the packet instead of its bytes.
    static let ancillaryProtocol = UInt32(bitPattern: -0x1000)
    static let ancillaryVLANTagPresent = UInt32(bitPattern: -0x1000 + 48)
    /// IPv6 extension headers whose second byte is their length: hop-by-hop options, routing, destination options.
    static let chainedHeaders: [UInt32] = [0, 43, 60]
    static let fragment: UInt32 = 44
    /// The number of extension headers that are followed; the ports of a packet with more are unknown.
    static let followedHeaders = 3
}

/// Writes the program of a classifier.
struct ClassifierWriter {
    /// Slots of the program's scratch memory.
    enum Slot {
        static let transport: UInt32 = 0  // IP protocol number
        static let offset: UInt32 = 1  // offset of the transport header
        static let source: UInt32 = 2  // source port, 0 if there is none
        static let destination: UInt32 = 3
        static let isIPv6: UInt32 = 4
        static let message: UInt32 = 5  // type of an ICMP message, `noMessage` if there is none
    }

    /// An ICMP type that no condition tests for.
    private static let noMessage: UInt32 = 255

    /// A criterion of the selection.
    private enum Criterion {
        case remote(AddressPrefix)
        case port(UInt16)
        case transport(TransportProtocol)
    }

    let classifier: Classifier
    var assembler = BPFAssembler()
    private var base: UInt32 { classifier.networkOffset }

    mutating func write() -> [BPFInstruction]? {
        parse()
        excludeConfigurationTraffic()
        writeSelection()
        writeCondition()
        return assembler.assemble()
    }

    /// Stores the transport protocol, the offset of its header and the ports, for both IP versions.
    private mutating func parse() {
        let ipv4 = assembler.label()
        let ipv6 = assembler.label()
        let transport = assembler.label()
        let done = assembler.label()

        assembler.load(.word, at: Wire.ancillaryVLANTagPresent)
        assembler.require(0)
        if classifier.passesReturned {
            assembler.load(.byte, at: 6)
            assembler.and(1)
            assembler.require(0)
        }
        // The kernel rejects programs with a path that reads a memory slot before writing it.
        assembler.load(constant: 0)
        for slot in [Slot.source, Slot.destination, Slot.isIPv6] { assembler.store(memory: slot) }
        assembler.load(constant: Self.noMessage)
        assembler.store(memory: Slot.message)
        assembler.load(.word, at: Wire.ancillaryProtocol)
        assembler.ifEqual(Wire.ipv4, then: ipv4)
        assembler.ifEqual(Wire.ipv6, then: ipv6)
        assembler.answer(0)

        assembler.bind(ipv4)
        assembler.load(.byte, at: base + 9)
        assembler.store(memory: Slot.transport)
        assembler.loadIndexFromIPv4HeaderLength(at: base)
        assembler.storeIndex(memory: Slot.offset)
        assembler.load(.half, at: base + 6)
        assembler.ifAnyBit(of: 0x1FFF, then: done)  // later fragments have neither ports nor type
        assembler.jump(to: transport)

        assembler.bind(ipv6)
        assembler.load(constant: 1)
        assembler.store(memory: Slot.isIPv6)
        assembler.load(constant: 40)
        assembler.store(memory: Slot.offset)
        assembler.load(.byte, at: base + 6)
        assembler.store(memory: Slot.transport)
        for _ in 0..<Wire.followedHeaders { followExtensionHeader(noPorts: done) }

        assembler.bind(transport)
        let ports = assembler.label()
        let message = assembler.label()
        assembler.load(memory: Slot.transport)
        assembler.ifEqual(Wire.tcp, then: ports)
        assembler.ifEqual(Wire.udp, then: ports)
        assembler.ifEqual(Wire.icmp, then: message)
        assembler.ifEqual(Wire.icmpv6, then: message, else: done)
        assembler.bind(message)
        assembler.loadIndex(memory: Slot.offset)
        assembler.load(.byte, atIndexPlus: base)
        assembler.store(memory: Slot.message)
        assembler.jump(to: done)
        assembler.bind(ports)
        assembler.loadIndex(memory: Slot.offset)
        assembler.load(.half, atIndexPlus: base)
        assembler.store(memory: Slot.source)
        assembler.load(.half, atIndexPlus: base + 2)
        assembler.store(memory: Slot.destination)
        assembler.bind(done)
    }

    /// Skips one IPv6 extension header if there is one.
    private mutating func followExtensionHeader(noPorts: BPFAssembler.Label) {
        let chained = assembler.label()
        let fragment = assembler.label()
        let next = assembler.label()
        assembler.load(memory: Slot.transport)
        for header in Wire.chainedHeaders { assembler.ifEqual(header, then: chained) }
        assembler.ifEqual(Wire.fragment, then: fragment, else: next)

        assembler.bind(chained)
        assembler.loadIndex(memory: Slot.offset)
        assembler.load(.byte, atIndexPlus: base)
        assembler.store(memory: Slot.transport)
        assembler.load(.byte, atIndexPlus: base + 1)
        assembler.add(1)
        assembler.shiftLeft(3)
        assembler.addIndex()
        assembler.store(memory: Slot.offset)
        assembler.jump(to: next)

        assembler.bind(fragment)
        assembler.loadIndex(memory: Slot.offset)
        assembler.load(.byte, atIndexPlus: base)
        assembler.store(memory: Slot.transport)
        assembler.load(.half, atIndexPlus: base + 2)
        assembler.ifAnyBit(of: 0xFFF8, then: noPorts)
        assembler.moveFromIndex()
        assembler.add(8)
        assembler.store(memory: Slot.offset)
        assembler.bind(next)
    }

    /// Excludes neighbour discovery and DHCP: if they are impaired, programs see "no route to host" instead of a bad
    /// link.
    private mutating func excludeConfigurationTraffic() {
        let notDiscovery = assembler.label()
        let pass = assembler.label()
        let go = assembler.label()
        assembler.load(memory: Slot.transport)
        assembler.ifEqual(Wire.icmpv6, else: notDiscovery)
        assembler.load(memory: Slot.message)
        assembler.ifAtLeast(133, else: go)
        assembler.ifAbove(137, then: go, else: pass)

        assembler.bind(notDiscovery)
        assembler.ifEqual(Wire.udp, else: go)
        for slot in [Slot.source, Slot.destination] {
            assembler.load(memory: slot)
            for port: UInt32 in [67, 68, 546, 547] { assembler.ifEqual(port, then: pass) }
        }
        assembler.jump(to: go)
        assembler.bind(pass)
        assembler.answer(0)
        assembler.bind(go)
    }

    private mutating func writeSelection() {
        let selection = classifier.selection
        // One matching exclusion rejects a packet; of each kind of criterion that the selection has, one must match.
        for (criteria, rejectOnMatch) in [(selection.exclusions, true), (selection.criteria, false)] {
            ask(criteria.remotes.map(Criterion.remote), rejectOnMatch: rejectOnMatch)
            ask(criteria.ports.map(Criterion.port), rejectOnMatch: rejectOnMatch)
            ask(criteria.protocols.map(Criterion.transport), rejectOnMatch: rejectOnMatch)
        }
    }

    /// Writes the test of `alternatives`. With `rejectOnMatch`, the program returns 0 if one of them matches;
    /// otherwise, it returns 0 if none matches. In the other cases, the program continues.
    private mutating func ask(_ alternatives: [Criterion], rejectOnMatch: Bool) {
        guard !alternatives.isEmpty else { return }
        let end = assembler.label()
        for alternative in alternatives {
            // A long list exceeds the reach of a conditional jump, so each match uses an unconditional one.
            let match = assembler.label()
            let next = assembler.label()
            ask(alternative, then: match)
            assembler.jump(to: next)
            assembler.bind(match)
            if rejectOnMatch { assembler.answer(0) } else { assembler.jump(to: end) }
            assembler.bind(next)
        }
        if !rejectOnMatch { assembler.answer(0) }
        assembler.bind(end)
    }

    /// Jumps to `match` if the packet fulfils the criterion.
    private mutating func ask(_ criterion: Criterion, then match: BPFAssembler.Label) {
        switch criterion {
        case .remote(let prefix):
            let (source, destination): (UInt32, UInt32) = prefix.isIPv4 ? (12, 16) : (8, 24)
            let fields =
                switch classifier.remote {
                case .source: [source]
                case .destination: [destination]
                case .either: [source, destination]
                }
            for field in fields {
                let miss = assembler.label()
                assembler.load(memory: Slot.isIPv6)
                assembler.ifEqual(prefix.isIPv4 ? 0 : 1, else: miss)
                for word in prefix.words {
                    assembler.load(.word, at: base + field + word.offset)
                    if word.mask != .max { assembler.and(word.mask) }
                    assembler.ifEqual(word.value, else: miss)
                }
                assembler.jump(to: match)
                assembler.bind(miss)
            }
        case .port(let port):
            for slot in [Slot.source, Slot.destination] {
                assembler.load(memory: slot)
                assembler.ifEqual(UInt32(port), then: match)
            }
        case .transport(let transport):
            assembler.load(memory: Slot.transport)
            switch transport {
            case .tcp: assembler.ifEqual(Wire.tcp, then: match)
            case .udp: assembler.ifEqual(Wire.udp, then: match)
            case .icmp:
                assembler.ifEqual(Wire.icmp, then: match)
                assembler.ifEqual(Wire.icmpv6, then: match)
            }
        }
    }
}
