// SPDX-License-Identifier: Apache-2.0

import Glibc
import Netlink
import Reachability
import Synchronization

/// Probes each of many loopback addresses once a second, and prints the cost, for scripts/bench/probes.
///
///     bench-probes targets COUNT            the addresses, one per line
///     bench-probes icmp COUNT SECONDS
///     bench-probes tcp COUNT SECONDS PORT
@main struct BenchProbes {
    /// The number of batches per second, as a scheduler would spread its targets.
    private static let batches = 100

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, let count = Int(arguments[2]) else { fail() }
        let targets = addresses(count)
        if arguments[1] == "targets" { return print(targets.map(\.description).joined(separator: "\n")) }
        guard arguments.count >= 4, let seconds = Int(arguments[3]) else { fail() }
        switch arguments[1] {
        case "icmp": run(targets.map { .icmp($0) }, seconds)
        case "tcp":
            guard arguments.count == 5, let port = UInt16(arguments[4]) else { fail() }
            run(targets.map { .tcp($0, port: port) }, seconds)
        default: fail()
        }
    }

    /// Makes `count` addresses in 127.0.0.0/8, but ::1 for every hundredth.
    private static func addresses(_ count: Int) -> [IPAddress] {
        (0..<count).compactMap { index -> IPAddress? in
            if index % 100 == 99 { return IPAddress("::1") }
            let parts = [index >> 14, index >> 7, index].map { UInt8($0 & 127) + 1 }
            return IPAddress(bytes: [127] + parts)
        }
    }

    private static func run(_ probes: [Probe], _ seconds: Int) {
        let results = ProbeResults()
        let loop = ProbeLoop()
        let groups = (0..<batches).map { stride(from: $0, to: probes.count, by: batches).map { probes[$0] } }
        let before = usage()
        let start = SuspendingClock.now
        for turn in 0..<seconds * batches {
            loop.start(batch: groups[turn % batches], timeout: .seconds(1)) { results.add($1) }
            let left = start + .milliseconds((turn + 1) * 1000 / batches) - .now
            if left > .zero { usleep(UInt32(left / .microseconds(1))) }
        }
        let total = seconds * probes.count
        while results.value.sum < total { usleep(10_000) }
        let elapsed = (SuspendingClock.now - start) / .seconds(1)
        let after = usage()
        let cpu = after.cpu - before.cpu
        let counts = results.value
        print(
            "probes=\(total) seconds=\(rounded(elapsed)) cpu_us_per_probe=\(rounded(cpu / Double(total) * 1e6))",
            "core_percent=\(rounded(cpu / Double(seconds) * 100)) rss_mb=\(after.peak / 1024)",
            "wrong=\(total - counts.answered) rtt_us_mean=\(rounded(counts.mean)) rtt_us_max=\(rounded(counts.maximum))"
        )
        for (words, count) in counts.others { print("  \(count) × \(words)") }
    }

    private static func usage() -> (cpu: Double, peak: Int) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let times = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        return (times[0] + times[1], usage.ru_maxrss)
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    private static func fail() -> Never {
        print("usage: bench-probes targets COUNT | icmp COUNT SECONDS | tcp COUNT SECONDS PORT")
        exit(64)
    }
}

/// The results of the probes.
private final class ProbeResults: Sendable {
    struct Counts {
        var sum = 0
        var answered = 0
        var time = 0.0
        var maximum = 0.0
        var others: [String: Int] = [:]

        var mean: Double { time / Double(max(answered, 1)) }
    }

    private let counts = Mutex(Counts())

    var value: Counts { counts.withLock { $0 } }

    func add(_ observation: Observation) {
        counts.withLock { counts in
            counts.sum += 1
            guard case .answered(let duration) = observation.finding else {
                counts.others["\(observation.finding)", default: 0] += 1
                return
            }
            counts.answered += 1
            let time = duration / .microseconds(1)
            counts.time += time
            counts.maximum = max(counts.maximum, time)
        }
    }
}
