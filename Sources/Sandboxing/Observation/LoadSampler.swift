// SPDX-License-Identifier: Apache-2.0

internal import ClientObservation
import Glibc
internal import LinuxSystem

/// How long the command's processes waited for a processor. Where that is not known, how long processes of this machine
/// did: pressure stall information, or how late this process itself was.
struct LoadSampler {
    private let root: CInt
    private var last: (time: Int64, total: Int64?, waits: ProcessorWaits?)?

    /// Makes a sampler of a process and its descendants.
    init(below root: CInt = getpid()) {
        self.root = root
    }

    /// Shorter waits are everyday life, in nanoseconds.
    private static let least: Int64 = 1_000_000

    /// The waits since the last look, as an event; nil if there were none to speak of.
    mutating func take(at now: Int64) -> RunEvent.Kind? {
        let total = Self.total
        let waits = ProcessorWaits(below: root)
        defer { last = (now, total, waits) }
        guard let last else { return nil }
        var length = now - last.time
        var waited: Int64
        if let own = last.waits.flatMap({ waits?.since($0) }) {
            // The kernel counts a wait when it ends: it may have begun before the last look.
            length = max(length, own.longest)
            waited = own.sum
        } else if let total, let before = last.total {
            waited = (total - before) * 1000
        } else {
            waited = length - Int64(ClientSampler.pause) * 1000
        }
        waited = min(waited, length)
        guard waited >= Self.least else { return nil }
        return .busy(from: Instant(nanoseconds: now - length), waited: .nanoseconds(waited))
    }

    /// The time in which some process waited for a processor, in microseconds since boot: Documentation/accounting/psi.rst.
    private static var total: Int64? {
        guard let line = ProcFile("/proc/pressure/cpu").firstLine, line.hasPrefix("some"),
            let field = line.split(separator: " ").last, field.hasPrefix("total=")
        else { return nil }
        return Int64(field.dropFirst("total=".count))
    }
}
