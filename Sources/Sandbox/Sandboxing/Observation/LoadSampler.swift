// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
import Glibc
internal import LinkProfiles
internal import LinuxSystem

/// Measures how long the command's processes waited for a processor. If that is unknown: how long processes of this
/// machine did, by pressure stall information, or how late this process itself was.
struct LoadSampler {
    private let root: CInt
    private var last: (time: Int64, total: Duration?, waits: ProcessorWaits?)?

    init(below root: CInt = getpid()) { self.root = root }

    /// The shortest wait that is reported, in nanoseconds: shorter ones are normal.
    private static let minimum: Int64 = 1_000_000

    /// Returns the waits since the last call as an event; nil if they are shorter than `minimum`, and at the first
    /// call.
    mutating func wait(at now: Int64) -> RunEvent.Kind? {
        let total = ProcessorTimes.pressure
        let waits = ProcessorWaits(below: root)
        defer { last = (now, total, waits) }
        guard let last else { return nil }
        var length = now - last.time
        var waited: Int64
        if let own = last.waits.flatMap({ waits?.since($0) }) {
            // The kernel counts a wait at its end: the wait may have begun before the last sample.
            length = max(length, own.longest)
            waited = own.sum
        } else if let total, let before = last.total {
            waited = (total - before).nanoseconds
        } else {
            waited = length - Int64(ClientSampler.pause) * 1000
        }
        waited = min(waited, length)
        guard waited >= Self.minimum else { return nil }
        return .busy(from: Instant(nanoseconds: now - length), waited: .nanoseconds(waited))
    }

}

/// The time for which a process and its descendants have waited for a processor, by thread:
/// Documentation/scheduler/sched-stats.rst. Other processes of the machine are not in it.
struct ProcessorWaits {
    /// A thread, and the process that it belongs to.
    struct Thread: Hashable {
        var process: CInt
        var number: CInt
    }

    /// The time that each thread has waited since its start, in nanoseconds.
    var waits: [Thread: Int64] = [:]
    /// For each process, a number that starts at 0 and grows whenever a child of the process ends.
    var endedChildren: [CInt: UInt64] = [:]

    /// Makes waits of no thread.
    init() {}

    /// Reads the waits of `root` and its descendants; nil if the kernel does not provide them.
    init?(below root: CInt) {
        // Without CONFIG_PROC_CHILDREN, the descendants would be missing.
        guard access("/proc/\(root)/task/\(root)/children", R_OK) == 0 else { return nil }
        var rest = [root]
        while let process = rest.popLast() {
            for thread in DirectoryListing.numbers(in: "/proc/\(process)/task") {
                let directory = "/proc/\(process)/task/\(thread)"
                // Missing if the thread has just ended.
                let fields = ProcFile("\(directory)/schedstat").firstLine?.split(separator: " ") ?? []
                guard fields.count > 1, let waited = Int64(fields[1]) else { continue }
                waits[Thread(process: process, number: thread)] = waited
                rest += ProcFile("\(directory)/children").text.split(separator: " ").compactMap { CInt($0) }
            }
            endedChildren[process] = ProcessStatus(process)?.childFaults
        }
        if waits.isEmpty { return nil }
    }

    /// The waits for a processor since `before`, in nanoseconds: the sum, and the longest of a thread. Nil if a thread
    /// has ended since, or a child process that was never sampled: its waits are unknown.
    func since(_ before: ProcessorWaits) -> (sum: Int64, longest: Int64)? {
        guard before.waits.keys.allSatisfy({ waits[$0] != nil }),
            endedChildren.allSatisfy({ before.endedChildren[$0.key, default: 0] == $0.value })
        else { return nil }
        let differences = waits.map { max(0, $0.value - (before.waits[$0.key] ?? 0)) }
        return (differences.reduce(0, +), differences.max() ?? 0)
    }
}
