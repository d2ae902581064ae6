// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import ClientTraffic
import InternetAddresses
import LinkProfiles

/// Formats packets as lines of text, similar to tcpdump(8).
struct PacketLine {
    private let style: PacketLineOptions
    private var names: [IPAddress: String] = [:]
    private var sequences = FirstSequences()

    init(_ style: PacketLineOptions) { self.style = style }

    /// Prints the packets of a file, or of standard input for "-".
    ///
    /// - Parameter count: the number of packets to print; nil for all.
    static func printFile(_ path: String, _ style: PacketLineOptions, count: UInt64?) throws {
        var line = PacketLine(style)
        var interfaces: [CapturedInterface] = []
        var left = count ?? .max
        try CaptureFile.read(path) { record in
            switch record {
            case .section: interfaces = []
            case .interface(let interface): interfaces.append(interface)
            case .names(let address, let names):
                if let address = IPAddress(bytes: address), let name = names.first { line.note(name, of: address) }
            case .packet(let packet) where interfaces.indices.contains(packet.interface):
                Console.data(line.lines(packet, interfaces[packet.interface]))
                left -= 1
            default: break
            }
            return left > 0
        }
    }

    /// Remembers the name of an address for later lines.
    private mutating func note(_ name: String, of address: IPAddress) {
        // Bounds the memory, since a capture may contain any number of names.
        if names.count > 10_000 { names = [:] }
        names[address] = name
    }

    mutating func lines(_ packet: CapturedPacket, _ interface: CapturedInterface) -> [OutputLine] {
        let headers = PacketHeaders(packet.bytes, interface.linkType, length: packet.length)
        var words: [String] = []
        if !style.hidesTime { words.append(Self.clock(packet.time)) }
        let arrow = packet.direction == .unknown ? "" : packet.direction == .outbound ? " >" : " <"
        words.append((interface.description ?? interface.name) + arrow)
        words.append(summary(headers, packet))
        let text = words.joined(separator: "  ")
        let fate = packet.fate
        var lines = packet.comments.compactMap(ConditionsNote.profile(inComment:))
            .map { OutputLine("-- \(ConditionsNote.comment($0))") }
        lines.append(fate.map { Self.line(text, $0) } ?? OutputLine(text))
        let bytes = packet.bytes.dropFirst(headers.networkOffset)
        if style.showsNumbers { lines += Self.numbers(bytes) }
        if style.showsText { lines += Self.text(bytes) }
        return lines
    }

    /// The line with the packet's fate, in bold unless the packet was just delivered.
    private static func line(_ text: String, _ fate: PacketFate) -> OutputLine {
        let made = fate.maker.map { "made by \($0.name)" }
        let words = [made, fate.delay.map { "after \(milliseconds($0)) ms" }].compactMap { $0 }
        let delay = words.isEmpty ? nil : words.joined(separator: ", ")
        switch fate.fate {
        case .passed: return OutputLine("\(text)  \(delay ?? "")")
        case .dropped(let reason): return OutputLine(heading: "\(text)  dropped: \(reason.words)")
        default: return OutputLine(heading: "\(text)  \(fate.fate.name)", delay.map { " \($0)" } ?? "")
        }
    }

    private mutating func summary(_ headers: PacketHeaders, _ packet: CapturedPacket) -> String {
        guard let ip = headers.ip else {
            return "ethertype 0x" + Self.padded(headers.etherType, 4, radix: 16) + ", length \(packet.length)"
        }
        let length = "length \(headers.payloadLength)"
        let ends = ends(ip, headers)
        guard !ip.isFragment || headers.transport != nil else {
            return "\(ends): fragment at \(ip.fragmentOffset), \(length)"
        }
        switch headers.transport {
        case .tcp(let tcp):
            return style.isQuiet ? "\(ends): tcp \(headers.payloadLength)" : "\(ends): \(describe(tcp, ip, headers))"
        case .udp:
            let words = style.isQuiet ? "" : dns(headers, packet)
            return "\(ends): udp, \(words)\(length)"
        case .icmp(let type, let code):
            return "\(ends): icmp \(Self.icmp(type, code, ip.source.family)), \(length)"
        case .other, nil: return "\(ends): protocol \(ip.transportProtocol), \(length)"
        }
    }

    private func ends(_ ip: IPHeader, _ headers: PacketHeaders) -> String {
        func end(_ address: IPAddress, _ port: UInt16?) -> String {
            let name = style.isNumeric ? nil : names[address]
            return (name ?? address.description) + (port.map { ".\($0)" } ?? "")
        }
        return end(ip.source, headers.ports?.source) + " > " + end(ip.destination, headers.ports?.destination)
    }

    private mutating func describe(_ tcp: TCPHeader, _ ip: IPHeader, _ headers: PacketHeaders) -> String {
        let base = sequences.bases(of: tcp, from: ip.source, to: ip.destination)
        var words = ["tcp [\(Self.flags(tcp.flags))]"]
        let first = tcp.sequence.offset(from: base.own)
        if headers.payloadLength > 0 {
            words.append("seq \(first):\(first &+ UInt32(truncatingIfNeeded: headers.payloadLength))")
        } else if !tcp.flags.isDisjoint(with: [.syn, .fin, .reset]) {
            words.append("seq \(tcp.flags.contains(.syn) ? tcp.sequence.number : first)")
        }
        if tcp.flags.contains(.acknowledgment) { words.append("ack \(tcp.acknowledgment.offset(from: base.other))") }
        words.append("win \(tcp.window)")
        if let size = tcp.maximumSegment { words.append("mss \(size)") }
        for range in tcp.selectiveAcknowledgments {
            words.append("sack \(range.begin.offset(from: base.other)):\(range.end.offset(from: base.other))")
        }
        return words.joined(separator: ", ") + ", length \(headers.payloadLength)"
    }

    private func dns(_ headers: PacketHeaders, _ packet: CapturedPacket) -> String {
        guard let ports = headers.ports, ports.source == 53 || ports.destination == 53,
            let message = DNSMessage(Array(packet.bytes[headers.payload]))
        else { return "" }
        let names = message.questions.map { "\(NameQuery.typeName($0.type)) \($0.name)" }.joined(separator: " ")
        guard message.isAnswer else { return "dns query \(message.identifier) \(names), " }
        let addresses = message.addresses.map(\.address.description).joined(separator: " ")
        let result = message.code == 0 ? addresses.isEmpty ? "no address" : addresses : "error \(message.code)"
        return "dns answer \(message.identifier) \(names) \(result), "
    }
}

extension PacketLine {
    private static func flags(_ flags: TCPHeader.Flags) -> String {
        let letters: [(TCPHeader.Flags, String)] = [
            (.fin, "F"), (.syn, "S"), (.reset, "R"), (.push, "P"), (.acknowledgment, "."), (.urgent, "U"),
            (.congestionEcho, "E"), (.congestionReduced, "W"),
        ]
        let text = letters.filter { flags.contains($0.0) }.map(\.1).joined()
        return text.isEmpty ? "none" : text
    }

    private static func icmp(_ type: UInt8, _ code: UInt8, _ family: IPAddress.Family) -> String {
        switch (family, type) {
        case (.ipv4, 8), (.ipv6, 128): "echo request"
        case (.ipv4, 0), (.ipv6, 129): "echo reply"
        case (.ipv4, 3), (.ipv6, 1): "unreachable, code \(code)"
        case (.ipv4, 11), (.ipv6, 3): "time exceeded"
        case (.ipv6, 2): "packet too big"
        case (.ipv6, 135): "neighbour solicitation"
        case (.ipv6, 136): "neighbour advertisement"
        default: "type \(type) code \(code)"
        }
    }

    /// The local time of day, with microseconds.
    private static func clock(_ time: Int64) -> String {
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
        return LocalTime.text(Int(seconds), "%H:%M:%S.") + padded(max(rest, 0) / 1000, 6)
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let microseconds = duration / .microseconds(1)
        let whole = Int64(microseconds.rounded())
        return "\(whole < 0 ? "-" : "")\(whole.magnitude / 1000).\(padded(whole.magnitude % 1000, 3))"
    }

    private static func padded(_ number: some BinaryInteger, _ digits: Int, radix: Int = 10) -> String {
        let text = String(number, radix: radix)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// A hexadecimal dump: sixteen bytes per line, in pairs, after their offset.
    private static func numbers(_ bytes: ArraySlice<UInt8>) -> [OutputLine] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: 16).map { start in
            let row = bytes[start..<min(start + 16, bytes.endIndex)]
            let pairs = stride(from: row.startIndex, to: row.endIndex, by: 2).map { index in
                row[index..<min(index + 2, row.endIndex)].map { padded($0, 2, radix: 16) }.joined()
            }
            let offset = padded(start - bytes.startIndex, 4, radix: 16)
            return OutputLine("    0x\(offset):  " + pairs.joined(separator: " "))
        }
    }

    /// The bytes as lines of text, with a dot for each byte that is not printable ASCII.
    private static func text(_ bytes: ArraySlice<UInt8>) -> [OutputLine] {
        let characters = bytes.map { byte -> Character in
            byte == 10 || (32...126).contains(byte) ? Character(UnicodeScalar(byte)) : "."
        }
        return String(characters).split(separator: "\n", omittingEmptySubsequences: false)
            .map { OutputLine(String($0)) }
    }
}
