// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// The action that drops packets above a rate; net/sched/act_police.c, `tc-police(8)`.
///
/// The bucket holds transmission time that the link has not used. A packet consumes the time that its bytes need on the
/// wire, and is dropped if the bucket has less. The bucket thus equals the free space of a queue that is emptied at the
/// rate.
package struct Policer: Hashable, Sendable {
    package var bytesPerSecond: UInt64
    /// Bytes added to each packet.
    package var packetOverhead: UInt16
    /// Whether packets travel in ATM cells of 48 bytes of payload and 5 of header.
    package var usesATMCells: Bool
    /// The size of the bucket in the kernel's ticks of 64 ns.
    package var burst: UInt32

    package init(bytesPerSecond: UInt64, packetOverhead: UInt16 = 0, usesATMCells: Bool = false, burst: UInt32) {
        self.bytesPerSecond = bytesPerSecond
        self.packetOverhead = packetOverhead
        self.usesATMCells = usesATMCells
        self.burst = burst
    }

    /// The kernel's clock tick for qdiscs and policers, in nanoseconds (PSCHED_SHIFT in include/net/pkt_sched.h).
    package static let tick: UInt64 = 64
    /// The largest packet that passes; larger ones are dropped. Far above any frame.
    package static let largestPacket: UInt32 = 1 << 20
    /// `largestPacket` in units of 2^13 bytes fits the table of 256 entries.
    private static let cellLog: UInt8 = 13

    private static let kind = "police"

    /// The preference, and the handle, of the policer's filter: the qdisc has no other filter.
    package static let preference: UInt16 = 1

    /// Creates a filter of the classful qdisc `parent` that drops packets above the rate, and leaves the others
    /// unclassified; fails with EEXIST if there is one: `tc filter add dev LINK parent 20: pref 1 protocol all bpf
    /// bytecode '1,6 0 0 4294967295' action police ...`.
    package func add(to parent: Handle, of link: Int32, on device: String) -> Request {
        let operation = "add the policer to \(parent) of \(device)"
        return Request(operation, type: Int(RTM_NEWTFILTER), flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL) { message in
            message.append(tcmsg(link: link, parent: parent, handle: 1, preference: Self.preference))
            message.putClassifier(.matchAll, nil, write)
        }
    }

    func write(to message: Message) {
        message.put(TCA_ACT_KIND, text: Self.kind)
        message.nest(TCA_ACT_OPTIONS) {
            var parameters = tc_police()
            parameters.action = TC_ACT_SHOT
            parameters.burst = burst
            parameters.mtu = Self.largestPacket
            parameters.rate.rate = UInt32(clamping: bytesPerSecond)
            parameters.rate.overhead = packetOverhead
            parameters.rate.cell_log = Self.cellLog
            // With a link layer, the kernel computes each packet's time itself, and ignores the table.
            parameters.rate.linklayer = UInt8(
                usesATMCells ? TC_LINKLAYER_ATM.rawValue : TC_LINKLAYER_ETHERNET.rawValue
            )
            message.put(Int(TCA_POLICE_TBF), parameters)
            // The kernel requires a table, whatever it holds (qdisc_get_rtab in sch_api.c).
            message.put(Int(TCA_POLICE_RATE), bytes: Array(repeating: 0, count: Int(TC_RTAB_SIZE)))
            message.put(Int(TCA_POLICE_RESULT), UInt32(bitPattern: TC_ACT_OK))
            if bytesPerSecond > UInt64(UInt32.max) { message.put(Int(TCA_POLICE_RATE64), bytesPerSecond) }
        }
    }

    init?(_ attributes: AttributeReader) {
        guard attributes.text(TCA_ACT_KIND) == Self.kind, let options = attributes.nested(TCA_ACT_OPTIONS),
            let parameters = options.value(Int(TCA_POLICE_TBF), as: tc_police.self)
        else { return nil }
        self.init(
            // The kernel uses the larger of the 32-bit and the 64-bit rate.
            bytesPerSecond: max(options.value(Int(TCA_POLICE_RATE64)) ?? 0, UInt64(parameters.rate.rate)),
            packetOverhead: parameters.rate.overhead,
            usesATMCells: UInt32(parameters.rate.linklayer) == TC_LINKLAYER_ATM.rawValue,
            burst: parameters.burst
        )
    }
}
