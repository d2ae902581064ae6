// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
import Glibc
internal import LinuxSystem

/// Merges the packets that pumps have recorded, and writes them.
struct RecordWriter {
    var devices: [RecordedDevice] = []
    private let output: CaptureOutput
    private var keyLog: KeyLogFollower?
    private var encoder = CaptureFiles.encoder()
    /// Blocks to write after those in the encoder.
    private var blocks: [UInt8] = []
    private let start = RunClock.now
    private var failure: CaptureOutput.Failure?
    /// The number of packets in `blocks`, by device index.
    private var pending: [Int: UInt64] = [:]
    /// The number of packets that were not written, by device index.
    private var skipped: [Int: UInt64] = [:]

    /// The time before which the file was complete at the last check (`until`), and the time of that check (`at`).
    private var complete: (until: Int64, at: Int64)?
    /// The number of remarks about completeness that are due after the latest packet.
    private var dueRemarks = 0

    /// The bytes of blocks to collect before a write, while there are more packets.
    private static let chunk = 1 << 18
    /// The time between two remarks about completeness, in nanoseconds.
    private static let remarkPause: Int64 = 100_000_000

    init(_ output: CaptureOutput, _ keyLog: KeyLogFollower?) {
        self.output = output
        self.keyLog = keyLog
    }

    /// Writes the packets that were seen before `time`, in nanoseconds of the monotonic clock, and that no undecided
    /// packet can precede; all packets for `.max`.
    ///
    /// - Returns: the time before which all packets are written.
    @discardableResult
    mutating func write(until time: Int64) -> Int64 {
        for index in devices.indices {
            devices[index].read { encoder.add($0) }
            if time == .max { devices[index].forgetArrivals() }
        }
        if let lines = keyLog?.newLines() { encoder.add(tlsKeys: lines) }
        var horizon = time
        for device in devices { horizon = min(horizon, device.order.horizon(now: time)) }
        while let first = firstDevice, let packet = devices[first].next(before: horizon) {
            pending[first, default: 0] += 1
            dueRemarks = 2
            if failure == nil { blocks += packet }
            if blocks.count >= Self.chunk { flush() }
        }
        flush()
        if time < .max { noteCompleteness(horizon) }
        return horizon
    }

    /// Writes a remark from time to time: all packets sent before some moment are in the file before this remark.
    /// Packets that the command receives are ordered by their delivery, so their own times do not show this.
    ///
    /// - Parameter horizon: packets that are still to be recorded arrive at this time or after it.
    private mutating func noteCompleteness(_ horizon: Int64) {
        let now = RunClock.now
        guard dueRemarks > 0, now - (complete?.at ?? .min / 2) >= Self.remarkPause, failure == nil,
            let interface = devices.lazy.compactMap(\.lanes.counts.first?.number).first
        else { return }
        // The time of the previous check is used: a pump may be late with its records.
        if let complete {
            var statistics = CaptureStatistics(begin: start, end: now)
            statistics.completeUntil = complete.until
            encoder.add(statistics, of: interface)
            flush()
            dueRemarks -= 1
        }
        complete = (completeUntil(horizon), now)
    }

    /// The time of the run's clock before which all packets sent are written.
    ///
    /// - Parameter horizon: a time of the monotonic clock; no packet still to be recorded arrives before it.
    func completeUntil(_ horizon: Int64) -> Int64 {
        devices.map { $0.completeUntil(horizon) }.min() ?? RunClock.aheadOfMonotonic + horizon
    }

    /// The device whose next packet was seen first; nil if there is no packet.
    private var firstDevice: Int? {
        var found: Int?
        var earliest = Int64.max
        for index in devices.indices {
            guard let time = devices[index].order.firstTime, time < earliest else { continue }
            (found, earliest) = (index, time)
        }
        return found
    }

    /// The digest of the written blocks, if the output has one.
    var written: CaptureDigest.Value? { output.written }

    /// Writes the statistics; returns why not all packets were written, or nil if they were.
    mutating func finish() -> String? {
        let now = RunClock.now
        flush()
        for index in devices.indices {
            // A device without packets gets statistics, too: a capture without any looks incomplete.
            devices[index].describeLane { encoder.add($0) }
            let device = devices[index]
            // Both counts are reported with the first lane.
            var (skipped, lost) = (skipped[index, default: 0], device.lost)
            for (number, packets) in device.lanes.counts {
                var statistics = CaptureStatistics(begin: start, end: now)
                (statistics.written, statistics.dropped) = (packets - min(packets, skipped), lost + skipped)
                statistics.shortfall = failure?.cause
                encoder.add(statistics, of: number)
                (skipped, lost) = (0, 0)
            }
        }
        output.liftBound()
        // A file that ends early must not look like a whole one: the statistics are small, and may still have room.
        try? output.write(&encoder)
        return problem
    }

    /// The reason why not all packets were written; nil if they were.
    var problem: String? { failure?.description }

    private mutating func flush() {
        defer {
            if failure != nil { skipped.merge(pending) { $0 + $1 } }
            pending = [:]
            blocks.removeAll(keepingCapacity: true)
        }
        guard failure == nil else { return }
        do throws(CaptureOutput.Failure) {
            try output.write(&encoder)
            try blocks.withUnsafeBufferPointer { (all) throws(CaptureOutput.Failure) in
                try output.write(UnsafeRawBufferPointer(all))
            }
        } catch {
            failure = error
        }
    }
}
