// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processors' times since boot, and the time for which processes have waited for a processor.
package struct ProcessorTimes: Hashable, Sendable {
    /// The time of the reading, by CLOCK_BOOTTIME.
    package var time: Duration
    /// The total idle time of all processors, including waits for disks.
    package var idle: Duration
    /// The total busy time of all processors.
    package var busy: Duration
    /// The time in which some process waited for a processor; nil if the kernel does not report it.
    package var waited: Duration?
    /// The total time of all processors in which a hypervisor ran other machines.
    package var stolen: Duration

    package init(time: Duration, idle: Duration, busy: Duration, waited: Duration?, stolen: Duration = .zero) {
        (self.time, self.idle, self.busy, self.waited) = (time, idle, busy, waited)
        self.stolen = stolen
    }

    /// Reads /proc/stat (proc_stat(5)); nil if it cannot be read.
    package static var now: ProcessorTimes? {
        let fields = ProcFile("/proc/stat").firstLine?.split(separator: " ").dropFirst().compactMap { Int64($0) } ?? []
        let tick = 1_000_000_000 / Int64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        // user, nice, system, idle, iowait, irq, softirq, steal; a guest's time is in the first two.
        guard fields.count >= 8 else { return nil }
        let idle = fields[3] + fields[4]
        return ProcessorTimes(
            time: BootClock.now,
            idle: .nanoseconds(idle * tick),
            busy: .nanoseconds((fields[..<8].reduce(0, +) - idle) * tick),
            waited: pressure,
            stolen: .nanoseconds(fields[7] * tick)
        )
    }

    /// The time since boot in which some process of this machine waited for a processor:
    /// Documentation/accounting/psi.rst. Nil if the kernel does not report it.
    package static var pressure: Duration? {
        guard let line = ProcFile("/proc/pressure/cpu").firstLine, line.hasPrefix("some"),
            let field = line.split(separator: " ").last, field.hasPrefix("total=")
        else { return nil }
        return Int64(field.dropFirst("total=".count)).map { .microseconds($0) }
    }
}
