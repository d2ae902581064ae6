// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinuxSystem

/// Data that processes sent before they ended, and that has not arrived yet: the kernel still sends it.
struct OutgoingData: Equatable {
    /// The bytes of TCP that are not acknowledged.
    var bytes = 0
    /// The numbers of packets that the uplink's lanes hold, and that they have sent until now.
    var (held, sent): (UInt64, UInt64) = (0, 0)

    var isEmpty: Bool { bytes == 0 && held == 0 }

    /// Reads the data in the network of the calling thread. `report` is the status of the conditions there.
    init(_ report: StatusReport?) {
        for name in ["tcp", "tcp6"] { bytes += Self.bytes(in: ProcFile("/proc/thread-self/net/\(name)").text) }
        for lane in report?.devices.flatMap(\.rules).flatMap(\.lanes) ?? [] where lane.kind != .downlink {
            guard let counters = lane.counters else { continue }
            (held, sent) = (held + counters.heldPackets, sent + counters.sentPackets)
        }
    }

    /// The unacknowledged bytes of closed sockets in the text of /proc/net/tcp, without their FINs.
    static func bytes(in text: String) -> Int {
        var sum = 0
        SocketTable.read(Array(text.utf8), [.finWait1, .lastAcknowledgment, .closing]) { row in
            sum += max(Int(row.sendQueue) - 1, 0)
        }
        return sum
    }
}
