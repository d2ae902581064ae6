// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinuxSystem

/// What processes that have ended had sent, and what has not arrived yet: their kernel goes on with it.
struct OutgoingData: Equatable {
    /// The bytes of TCP that no acknowledgement has come for.
    var bytes = 0
    /// The packets that the lanes of the uplink hold, and those that they have sent until now.
    var (held, sent): (UInt64, UInt64) = (0, 0)

    var isEmpty: Bool { bytes == 0 && held == 0 }

    /// Reads it in the network of the calling thread, of which the conditions have this report.
    init(_ report: StatusReport?) {
        for name in ["tcp", "tcp6"] { bytes += Self.bytes(in: ProcFile("/proc/thread-self/net/\(name)").lines) }
        for lane in report?.devices.flatMap(\.rules).flatMap(\.lanes) ?? [] where lane.kind != .downlink {
            guard let counters = lane.counters else { continue }
            (held, sent) = (held + counters.heldPackets, sent + counters.sentPackets)
        }
    }

    /// The bytes in the lines of /proc/net/tcp (proc(5)) of sockets that are closed. A FIN is counted as one by the kernel, and
    /// not here.
    static func bytes(in lines: [String]) -> Int {
        lines.reduce(0) { sum, line in
            let fields = line.split(separator: " ")
            // FIN_WAIT1, LAST_ACK and CLOSING: include/net/tcp_states.h.
            guard fields.count > 4, ["04", "09", "0B"].contains(fields[3]),
                let queue = Int(fields[4].prefix { $0 != ":" }, radix: 16)
            else { return sum }
            return sum + max(queue - 1, 0)
        }
    }
}
