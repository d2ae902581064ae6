// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinkVerification

/// The packets of a phase in each direction, encoded as the body of a `begin` packet.
struct PhaseRequest: Equatable {
    /// The number of packets that the client will send.
    var arriving: Int
    /// The packets that the reflector shall send; nil for none.
    var answer: ProbeTraffic?
    /// The time from the request to the reflector's first packet.
    var pause: Duration

    static let length = 28
    /// The largest number of packets that a request may have; no phase needs more.
    static let maximumPackets = 400_000

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        func add(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
        add(UInt32(arriving))
        add(UInt32(answer?.packets ?? 0))
        add(UInt64(answer?.interval.nanoseconds ?? 0))
        add(UInt16(answer?.payload ?? 0))
        add(UInt16(answer?.group ?? 0))
        add(UInt64(pause.nanoseconds))
        return bytes
    }

    init(arriving: Int, answer: ProbeTraffic?, pause: Duration) {
        (self.arriving, self.answer, self.pause) = (arriving, answer, pause)
    }

    /// Decodes a request; nil if it is malformed, or larger than any phase needs.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.length else { return nil }
        func number<Number: FixedWidthInteger>(_ offset: Int) -> Number {
            bytes.withUnsafeBytes { Number(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
        }
        let (arriving, packets): (UInt32, UInt32) = (number(0), number(4))
        let (interval, pause): (UInt64, UInt64) = (number(8), number(20))
        let (payload, group): (UInt16, UInt16) = (number(16), number(18))
        guard arriving <= Self.maximumPackets, packets <= Self.maximumPackets, pause <= 60_000_000_000 else {
            return nil
        }
        (self.arriving, self.pause) = (Int(arriving), .nanoseconds(Int64(pause)))
        guard packets > 0 else { return }
        guard 1_000...3_600_000_000_000 ~= interval, 1...64 ~= group,
            ReflectionPacket.headerLength...ReflectionPacket.maximumLength ~= Int(payload)
        else { return nil }
        answer = ProbeTraffic(
            packets: Int(packets),
            interval: .nanoseconds(Int64(interval)),
            payload: Int(payload),
            group: Int(group)
        )
    }
}
