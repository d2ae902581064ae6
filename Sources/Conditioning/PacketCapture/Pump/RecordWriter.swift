// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
import Glibc
internal import LinuxSystem

/// Merges what pumps have recorded, and writes it.
struct RecordWriter {
    var devices: [RecordedDevice] = []
    private let output: CaptureOutput
    private var keyLog: KeyLogFollower?
    private var encoder = CaptureFiles.encoder()
    /// Blocks that follow what the encoder holds.
    private var blocks: [UInt8] = []
    private let start = RunClock.now
    private var failure: CaptureOutput.Failure?
    /// Packets in `blocks`, of each device.
    private var pending: [Int: UInt64] = [:]
    /// Packets that were not written, of each device.
    private var skipped: [Int: UInt64] = [:]

    /// Until when the file was complete when that was last worked out, and when that was.
    private var complete: (until: Int64, at: Int64)?
    /// Remarks about that which are due after the latest packet.
    private var dueRemarks = 0

    /// The bytes to collect before they are written while there is more.
    private static let chunk = 1 << 18
    /// The time between two remarks about that, in nanoseconds.
    private static let remarkPause: Int64 = 100_000_000

    init(_ output: CaptureOutput, _ keyLog: KeyLogFollower?) {
        self.output = output
        self.keyLog = keyLog
    }

    /// Writes what was seen before `time`, in nanoseconds of the monotonic clock, and cannot be preceded by anything
    /// else; everything for `.max`.
    ///
    /// - Returns: the time before which everything is written.
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

    /// Tells a reader of the file, from time to time, that all which was sent before some moment precedes this: what the
    /// command receives stands where it was delivered.
    ///
    /// - Parameter horizon: what is still to be recorded arrives at this time or after it.
    private mutating func noteCompleteness(_ horizon: Int64) {
        let now = RunClock.now
        guard dueRemarks > 0, now - (complete?.at ?? .min / 2) >= Self.remarkPause, failure == nil,
            let interface = devices.lazy.compactMap(\.lanes.counts.first?.number).first
        else { return }
        // The last time counts: a pump may be late with its records.
        if let complete {
            var statistics = CaptureStatistics(begin: start, end: now)
            statistics.completeUntil = complete.until
            encoder.add(statistics, of: interface)
            flush()
            dueRemarks -= 1
        }
        complete = (completeUntil(horizon), now)
    }

    /// Writes all packets sent before the returned moment of the run's clock.
    ///
    /// - Parameter horizon: what is still to be recorded arrives at this time of the monotonic clock, or after it.
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

    /// The digest of what was written, if the output has one.
    var written: CaptureDigest.Value? { output.written }

    /// Writes the statistics; returns why not everything was written, or nil.
    mutating func finish() -> String? {
        let now = RunClock.now
        flush()
        for index in devices.indices {
            // A device that carried nothing has statistics, too: without any, a capture has no end.
            devices[index].describeLane { encoder.add($0) }
            let device = devices[index]
            // Told with the first lane.
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
        // A reader must not take a file that ends early for a whole one: small as they are, they may still have room.
        try? output.write(&encoder)
        return problem
    }

    /// The reason why not everything was written; nil if it was.
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
