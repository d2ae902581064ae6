// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// Translates the ports in frames by the mappings of a network address translator: TCP, UDP and ICMP queries over IPv4,
/// and the packets that ICMP errors quote.
struct PortTranslation {
    private(set) var mappings: PortMappings

    init(_ mappings: PortMappings) { self.mappings = mappings }

    mutating func use(_ rules: AddressTranslation) { mappings.use(rules) }
    mutating func rebind() { mappings.rebind() }

    /// Translates a packet from outside; false if the network loses it. A lost packet gets the host's own port, too, if
    /// that port is known.
    mutating func translateIncoming(_ frame: StoredFrame, now: Int64) -> Bool {
        guard let target = Target(frame, isDownlink: true) else { return true }
        let arrival = mappings.arrival(target.flow, now: now, isAnswer: !target.isQuoted)
        _ = target.write(arrival.port)
        if !target.isQuoted {
            if target.flow.transport == Target.icmp {
                frame.record.pointee.layout.sourcePort = arrival.port
            } else {
                frame.record.pointee.layout.destinationPort = arrival.port
            }
        }
        return arrival.passes
    }

    /// Translates a packet from the host until the returned edit is undone; nil if no port is replaced.
    mutating func translateOutgoing(_ frame: StoredFrame, now: Int64) -> PortEdit? {
        guard let target = Target(frame, isDownlink: false) else { return nil }
        let port =
            target.isQuoted
            ? mappings.existingPort(of: target.flow, now: now) : mappings.port(of: target.flow, now: now)
        return port.map(target.write)
    }
}

/// The port of a packet that a translator replaces: the port of the flow's end on the host.
private struct Target {
    static let icmp: UInt8 = 1

    let flow: PortMappings.Flow
    /// Whether the port is in a packet that an ICMP error quotes.
    let isQuoted: Bool
    private let bytes: UnsafeMutableRawPointer
    private let port: Int
    /// The offsets of the checksum that covers the port, and of the quoting ICMP message's checksum; 0 for none.
    private let checksum: Int
    private let quotingChecksum: Int
    /// Whether the checksum may be absent, as in UDP.
    private let isOptional: Bool

    /// Finds the port to replace; nil if the packet has none.
    init?(_ frame: StoredFrame, isDownlink: Bool) {
        let layout = frame.record.pointee.layout
        guard !layout.isIPv6, layout.transport > 0, layout.fragment != .later else { return nil }
        let header = frame.header.load(as: VirtioHeader.self)
        // If the device completes the checksum, the field has the sum of the pseudo-header, which has no ports.
        let isComplete = header.flags & VirtioHeader.needsChecksum == 0 || header.checksumStart != layout.transport
        let isError = layout.kind == .icmp && [3, 4, 5, 11, 12].contains(layout.messageType)
        if isError {
            let from = Int(layout.payload)
            let quoted = FrameLayout(quoted: frame.bytes, from: from, to: layout.end, isIPv6: false)
            // An error from outside quotes a packet that the host sent.
            let checksum = Int(layout.transport) + 2
            self.init(frame.bytes, quoted, hostSends: isDownlink, quotingChecksum: checksum, isComplete: true)
        } else {
            self.init(frame.bytes, layout, hostSends: !isDownlink, quotingChecksum: 0, isComplete: isComplete)
        }
    }

    private init?(
        _ bytes: UnsafeMutableRawPointer,
        _ layout: FrameLayout,
        hostSends: Bool,
        quotingChecksum: Int,
        isComplete: Bool
    ) {
        // Not `layout.transport`, which is 0 if a quoted transport header is cut off.
        let header = Int(layout.network) + Int(UnsafeRawPointer(bytes).byte(Int(layout.network)) & 0xF) * 4
        let field: Int
        switch layout.kind {
        case .tcp: (port, field) = (header + (hostSends ? 0 : 2), header + 16)
        case .udp where layout.transportProtocol == 17: (port, field) = (header + (hostSends ? 0 : 2), header + 6)
        case .icmp where [0, 8].contains(layout.messageType): (port, field) = (header + 4, header + 2)
        default: return nil
        }
        guard layout.end >= port + 2 else { return nil }
        self.bytes = bytes
        (self.quotingChecksum, isQuoted) = (quotingChecksum, quotingChecksum > 0)
        let start = UnsafeRawPointer(bytes)
        let isQuery = layout.kind == .icmp
        let (source, destination) = (layout.addresses, layout.addresses + 4)
        let remotePort = isQuery ? port : hostSends ? port + 2 : port - 2
        flow = PortMappings.Flow(
            transport: layout.transportProtocol,
            host: .init(address: start.long(hostSends ? source : destination), port: start.word(port)),
            remote: .init(
                address: start.long(hostSends ? destination : source),
                port: isQuery ? 0 : start.word(remotePort)
            )
        )
        checksum = isComplete && layout.end >= field + 2 ? field : 0
        isOptional = layout.kind == .udp
    }

    /// Replaces the port and updates the checksums; returns the replaced words.
    func write(_ new: UInt16) -> PortEdit {
        var edit = PortEdit(bytes)
        let start = UnsafeRawPointer(bytes)
        let old = edit.set(port, new)
        var quoting = quotingChecksum > 0 ? Checksum.updated(start.word(quotingChecksum), old, new) : 0
        if checksum > 0 {
            let before = start.word(checksum)
            var after = Checksum.updated(before, old, new)
            // In UDP, 0 means no checksum.
            if isOptional { after = before == 0 ? 0 : after == 0 ? 0xFFFF : after }
            if after != before {
                _ = edit.set(checksum, after)
                quoting = Checksum.updated(quoting, before, after)
            }
        }
        if quotingChecksum > 0 { _ = edit.set(quotingChecksum, quoting) }
        return edit
    }
}

/// The words that were replaced in a frame, with their old values.
struct PortEdit {
    private let bytes: UnsafeMutableRawPointer
    /// The port, the checksum that covers it, and the quoting ICMP message's checksum.
    private var words = InlineArray<3, (offset: Int, old: UInt16)>(repeating: (0, 0))
    private var count = 0

    fileprivate init(_ bytes: UnsafeMutableRawPointer) { self.bytes = bytes }

    fileprivate mutating func set(_ offset: Int, _ new: UInt16) -> UInt16 {
        let old = UnsafeRawPointer(bytes).word(offset)
        bytes.setWord(offset, new)
        words[count] = (offset, old)
        count += 1
        return old
    }

    /// Writes the words back.
    func undo() {
        for index in (0..<count).reversed() { bytes.setWord(words[index].offset, words[index].old) }
    }
}
