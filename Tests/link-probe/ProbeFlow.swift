// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// What is to be sent.
struct FlowPlan {
    let packets: Int
    /// Nanoseconds from one group to the next.
    let interval: Int64
    /// Bytes of a datagram, from the eight of its number on.
    let payload: Int
    /// How many datagrams are sent at once.
    let group: Int

    /// Reads PACKETS,INTERVAL,PAYLOAD,GROUP.
    init?(_ text: String) {
        let numbers = text.split(separator: ",").compactMap { Int($0) }
        guard numbers.count == 4, numbers[0] > 0, numbers[1] > 0, (8...1472).contains(numbers[2]),
            numbers[3] > 0, numbers[2] * numbers[3] < 65_000
        else { return nil }
        (packets, interval, payload, group) = (numbers[0], Int64(numbers[1]), numbers[2], numbers[3])
    }
}

/// One direction's datagrams, numbered from 0.
struct ProbeFlow {
    private let plan: FlowPlan
    private let source: ProbeSocket
    private let sink: ProbeSocket
    private var bytes: [UInt8]
    private var arriving = [lc_datagram](repeating: lc_datagram(), count: 32)
    /// When it was due and when it was sent, one after the other.
    private var sent: [Int64] = []
    /// Number and time, one after the other.
    private var came: [Int64] = []
    /// How far it catches up, in nanoseconds.
    private static let longestBacklog: Int64 = 50_000_000
    /// When to send again; `.max` for never.
    private(set) var next: Int64

    init(_ plan: FlowPlan, from source: ProbeSocket, to sink: ProbeSocket, start: Int64) throws(ProbeError) {
        self.plan = plan
        self.source = source
        self.sink = sink
        next = start
        bytes = [UInt8](repeating: 0, count: plan.payload * plan.group)
        sent.reserveCapacity(2 * plan.packets)
        came.reserveCapacity(2 * plan.packets)
        if plan.group > 1 { try source.split(into: plan.payload) }
    }

    /// Whether all that was to be sent has come.
    var isComplete: Bool { next == .max && came.count >= 2 * plan.packets }

    /// Sends the group that is due.
    mutating func send(_ now: Int64) throws(ProbeError) {
        let first = sent.count / 2
        let count = min(plan.group, plan.packets - first)
        for place in 0..<count {
            withUnsafeBytes(of: Int64(first + place)) { number in
                for (offset, byte) in number.enumerated() { bytes[place * plan.payload + offset] = byte }
            }
        }
        try source.send(bytes[..<(count * plan.payload)])
        for _ in 0..<count { sent += [next, now] }
        // What a long stall has held up is not sent at once: no link has a queue for it.
        next = first + count < plan.packets ? max(next + plan.interval, now - Self.longestBacklog) : .max
    }

    /// Takes what has come; false for nothing.
    mutating func receive() throws(ProbeError) -> Bool {
        var hasNews = false
        while true {
            let count = Int(lc_receive_datagrams(sink.descriptor, &arriving, 32))
            if count == -Int(ProbeError.wouldBlock) { return hasNews }
            guard count > 0 else { throw ProbeError("recvmmsg", Int32(-count)) }
            for place in 0..<count {
                came.append(withUnsafeBytes(of: arriving[place].bytes) { $0.loadUnaligned(as: Int64.self) })
                came.append(arriving[place].time)
            }
            hasNews = true
            if count < 32 { return true }
        }
    }

    /// What the file says of this flow.
    var record: [Int64] { [Int64(sent.count / 2)] + sent + [Int64(came.count / 2)] + came }
}
