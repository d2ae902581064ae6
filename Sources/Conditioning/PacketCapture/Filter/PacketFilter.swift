// SPDX-License-Identifier: Apache-2.0

internal import CPcap
internal import CapturedPackets
import Glibc

/// A classic BPF program that returns the number of bytes to keep of a packet; 0 drops the packet.
package struct PacketFilter: Sendable {
    let instructions: [sock_filter]

    /// Keeps all packets, and the first `snapLength` bytes of each.
    package init(snapLength: UInt32) {
        instructions = [sock_filter(code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0, k: snapLength)]
    }

    /// Compiles an expression of pcap-filter(7) for interfaces with or without Ethernet headers; `snapLength` bytes of
    /// each packet are kept. An expression about Ethernet matches no packet of an interface without Ethernet headers.
    ///
    /// - Throws: the reason why the expression is invalid.
    package init(_ expression: String, snapLength: UInt32) throws(InvalidPacketFilter) {
        let ethernet = try Self.compile(expression, .ethernet, snapLength: snapLength)
        let raw = (try? Self.compile(expression, .raw, snapLength: snapLength)) ?? [.drop]
        let kinds = CapturedInterfaces.kindsWithoutHeader
        // The interface's kind selects the part: a jump to `raw` if it has no header, or past `raw` to `ethernet`.
        guard ethernet.count + raw.count <= Self.longest else {
            let problem = "it is too long: \(ethernet.count + raw.count) instructions, of \(Self.longest)"
            throw InvalidPacketFilter(expression: expression, problem: problem)
        }
        instructions =
            [.load(SKF_AD_HATYPE)]
            + kinds.enumerated().map { .jump(ifEqual: UInt32($1), UInt8(kinds.count - $0), else: 0) }
            + [.jump(UInt32(raw.count))] + raw + ethernet
    }

    /// This filter without packets that leave through loopback: each also arrives there, and would be captured twice.
    package var withoutLoopbackCopies: PacketFilter {
        let prologue: [sock_filter] = [
            .load(SKF_AD_PKTTYPE), .jump(ifEqual: Self.outgoing, 0, else: 3),
            .load(SKF_AD_HATYPE), .jump(ifEqual: Self.loopback, 0, else: 1), .drop,
        ]
        return PacketFilter(instructions: prologue + instructions)
    }

    /// The largest compiled size; the kernel's limit of 4096 leaves room for the instructions added here.
    private static let longest = 4000
    /// PACKET_OUTGOING of packet(7).
    private static let outgoing: UInt32 = 4
    /// ARPHRD_LOOPBACK of <net/if_arp.h>.
    private static let loopback: UInt32 = 772

    private init(instructions: [sock_filter]) { self.instructions = instructions }

    /// Keeps all packets of interfaces other than those with these indexes, and the first `snapLength` bytes of each.
    init(without interfaces: [Int32], snapLength: UInt32) {
        let skips = interfaces.enumerated().map { position, index in
            sock_filter.jump(ifEqual: UInt32(bitPattern: index), UInt8(clamping: interfaces.count - position), else: 0)
        }
        instructions = [.load(SKF_AD_IFINDEX)] + skips + PacketFilter(snapLength: snapLength).instructions + [.drop]
    }

    /// Compiles an expression for packets of one link type.
    private static func compile(
        _ expression: String,
        _ linkType: CapturedInterface.LinkType,
        snapLength: UInt32
    ) throws(InvalidPacketFilter) -> [sock_filter] {
        // DLT_RAW is 12 for libpcap's compiler, and has another number in files.
        let kind = linkType == .raw ? 12 : CInt(linkType.rawValue)
        var error = [CChar](repeating: 0, count: 512)
        var count: UInt16 = 0
        let code = lc_compile_filter(expression, kind, CInt(clamping: snapLength), &count, &error, 512)
        guard let code else {
            let words = String(decoding: error.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw InvalidPacketFilter(expression: expression, problem: words)
        }
        defer { free(code) }
        return Array(UnsafeBufferPointer(start: code, count: Int(count)))
    }
}

extension sock_filter {
    /// Drops the packet.
    fileprivate static var drop: Self { Self(code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0, k: 0) }

    /// Loads a property of the packet from the kernel: an SKF_AD of <linux/filter.h>.
    fileprivate static func load(_ fact: CInt) -> Self {
        Self(code: UInt16(BPF_LD | BPF_W | BPF_ABS), jt: 0, jf: 0, k: UInt32(bitPattern: SKF_AD_OFF + fact))
    }

    /// Skips `count` instructions.
    fileprivate static func jump(_ count: UInt32) -> Self {
        Self(code: UInt16(BPF_JMP | BPF_JA), jt: 0, jf: 0, k: count)
    }

    /// Skips `count` instructions if the loaded value is `value`, and `other` instructions if not.
    fileprivate static func jump(ifEqual value: UInt32, _ count: UInt8, else other: UInt8) -> Self {
        Self(code: UInt16(BPF_JMP | BPF_JEQ | BPF_K), jt: count, jf: other, k: value)
    }
}

/// The reason why an expression cannot be used as a filter.
package struct InvalidPacketFilter: Error, CustomStringConvertible {
    let expression: String
    /// The problem, in libpcap's words.
    let problem: String

    package var description: String { "the filter \"\(expression)\" is invalid: \(problem)" }
    /// The command to type next.
    package var remedy: String { "man pcap-filter" }
}
