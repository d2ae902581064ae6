// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Two threads that hand a byte to and fro while something else is measured: how late they are tells how late this machine
/// makes packets, which also wait for processes to be woken. It needs no timer, whose steps are 10 ms in the lab.
package final class Yardstick: Sendable {
    /// The share of the time in which processes waited for a processor, from which on nothing is in time.
    private static let busy = 0.5

    private let isOver = Atomic(false)
    private let pressure = ProcessorPressure()
    private let times = Mutex<[Double]>([])
    private let ends = DispatchGroup()

    /// Starts the threads.
    package init() {
        let (there, back) = (Self.makePipe(), Self.makePipe())
        let both = ends
        both.enter()
        Thread.detachNewThread {
            while Self.passes(there.reading, to: back.writing) {}
            close(back.writing)
            close(there.reading)
            both.leave()
        }
        both.enter()
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .relaxed) {
                let start = ContinuousClock.now
                var byte: UInt8 = 0
                guard write(there.writing, &byte, 1) == 1, read(back.reading, &byte, 1) == 1 else { break }
                let time = start.duration(to: .now) / .milliseconds(1)
                times.withLock { $0.append(time) }
                usleep(2000)
            }
            close(there.writing)
            close(back.reading)
            both.leave()
        }
    }

    /// Ends the threads, and gives how long nine of ten round trips of the byte took at most, in milliseconds; infinite if
    /// processes waited for a processor half of the time.
    package func stop() -> Double {
        isOver.store(true, ordering: .relaxed)
        ends.wait()
        let sorted = times.withLock { $0.sorted() }
        let isBusy = pressure.share.map { $0 > Self.busy } ?? false
        return sorted.isEmpty || isBusy ? .infinity : sorted[(sorted.count - 1) * 9 / 10]
    }

    private static func makePipe() -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Hands on one byte; false at the end.
    private static func passes(_ reading: Int32, to writing: Int32) -> Bool {
        var byte: UInt8 = 0
        return read(reading, &byte, 1) == 1 && write(writing, &byte, 1) == 1
    }
}
