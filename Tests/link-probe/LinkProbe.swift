// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc

/// Sends two flows of UDP datagrams over the loopback that it is started on, and writes down when each was sent and when
/// it came, for the conformance suite:
///
///     link-probe FILE UPLINK DOWNLINK
///
/// A flow is PACKETS,INTERVAL,PAYLOAD,GROUP: so many datagrams of so many bytes, a group of them every so many
/// nanoseconds (groups are sent as one super-packet). The uplink's go to port 7000, and open the connection; the
/// downlink's are the answers. FILE holds whole numbers of 64 bits in the machine's byte order, for the uplink and then
/// for the downlink: how many were sent; when each was due, and when it was sent; how many came; the number of each, and
/// when it came, in the order in which they came. Times are nanoseconds of the wall clock: taken ahead of the system call,
/// and by the kernel as the datagram comes.
@main struct LinkProbe {
    /// How long after the last datagram nothing more is waited for, in nanoseconds.
    private static let patience: Int64 = 1_500_000_000

    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 4, let uplink = FlowPlan(words[2]), let downlink = FlowPlan(words[3]) else {
            print("usage: link-probe FILE UPLINK DOWNLINK, each PACKETS,INTERVAL,PAYLOAD,GROUP")
            exit(64)
        }
        // What is late by the timer's slack would be sent in lumps.
        _ = lc_prctl(PR_SET_TIMERSLACK, 1)
        let (client, server) = try ProbeSocket.pair(port: 7000)
        let start = lc_wall_time() + 1_000_000
        var flows = [
            try ProbeFlow(uplink, from: client, to: server, start: start),
            // The flow's first packet says who opened it.
            try ProbeFlow(downlink, from: server, to: client, start: start + 2_000_000),
        ]
        var last = start
        while true {
            var hasNews = false
            var next = Int64.max
            for index in flows.indices {
                let now = lc_wall_time()
                if flows[index].next <= now {
                    try flows[index].send(now)
                    hasNews = true
                }
                if try flows[index].receive() { hasNews = true }
                next = min(next, flows[index].next)
            }
            let now = lc_wall_time()
            if hasNews { last = now }
            if next == .max, now - last > patience || flows.allSatisfy(\.isComplete) { break }
            if next > now { pause(min(next - now, 20_000_000)) }
        }
        try write(flows.flatMap(\.record), to: words[1])
    }

    private static func pause(_ nanoseconds: Int64) {
        var time = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
        nanosleep(&time, nil)
    }

    private static func write(_ numbers: [Int64], to path: String) throws {
        guard let file = fopen(path, "w") else { throw ProbeError("open", errno) }
        let count = fwrite(numbers, 8, numbers.count, file)
        guard fclose(file) == 0, count == numbers.count else { throw ProbeError("write", errno) }
    }
}
