// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
import Glibc
internal import LinuxSystem

/// Reads packets from a ring, and writes and shows them until it is told to stop.
package final class CaptureSession {
    /// The packets to keep, and how long.
    package struct Options: Sendable {
        /// The largest number of bytes to keep of a packet.
        package var snapLength: UInt32 = 262_144
        /// The expression that packets have to match, as it was compiled for the ring.
        package var filter: String?
        /// Whether a super-packet is kept as one, instead of as the wire packets that it stands for.
        package var keepsSuperPackets = false
        /// The number of packets after which it ends; nil for none.
        package var count: UInt64?
        /// The time after which it ends; nil for none.
        package var duration: Duration?
        /// Remarks about the whole capture.
        var comments: [String] = []
        /// Whether it goes on to count the packets that can no longer be written.
        var countsUnwritten = false

        package init() {}
    }

    /// The reason why it ended.
    package enum End: Sendable {
        case stopped
        /// The number of packets or the time has been reached.
        case limit
        /// The interface is gone or down.
        case interfaceGone
        /// Not everything could be written.
        case failed(CaptureOutput.Failure)
    }

    package struct Summary: Sendable {
        package var end: End
        /// The packets that were written or shown: wire packets, unless super-packets are kept.
        package var packets: UInt64
        /// The kernel's counts.
        package var counters: PacketRing.Counters
    }

    private let ring: PacketRing
    private let options: Options
    private let files: CaptureFiles?
    private var writer: PacketWriter
    private var end: End?
    /// The reason why nothing more can be written; nil if it can.
    private var failure: CaptureOutput.Failure?
    /// The packets of each interface that are in the current file.
    private var written: [UInt64] = []
    /// The TLS keys of a command; nil for none.
    private var keyLog: KeyLogFollower?
    /// The counts when the current file was started.
    private var fileStart: (time: Int64, counters: PacketRing.Counters)

    /// - Parameters:
    ///   - files: where to write; nil to only show.
    ///   - keyLog: a TLS key log to read keys from; nil for none.
    ///   - name: returns the name of an interface by its index; nil if it is gone.
    ///   - show: is called for each packet; nil to only write.
    package init(
        _ ring: PacketRing,
        _ options: Options,
        files: CaptureFiles?,
        keyLog: CInt? = nil,
        name: @escaping (Int32) -> CapturedDevice?,
        show: ((CapturedPacket, CapturedInterface) -> Void)?
    ) {
        self.ring = ring
        self.options = options
        self.files = files
        let interfaces = CapturedInterfaces(snapLength: options.snapLength, filter: options.filter, name: name)
        writer = PacketWriter(options, interfaces, show: show)
        self.keyLog = keyLog.map { KeyLogFollower($0) }
        fileStart = (RealClock.now, PacketRing.Counters())
    }

    /// Captures until `stop` is readable, or the capture ends by itself. What the kernel has handed over until then is
    /// written.
    package func run(stop: Int32) -> Summary {
        let deadline = options.duration.map { ContinuousClock.now + $0 }
        flush(stop)
        while end == nil {
            let left = deadline.map { $0 - .now } ?? .seconds(1)
            if left <= .zero { end = .limit }
            // Also between blocks: packets may come faster than they can be written, for as long as they like.
            let isFound = readBlock(stop)
            var requests = [ring.descriptor, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let limit = isFound || end != nil ? 0 : CInt(min(left, .seconds(1)) / .milliseconds(1)) + 1
            guard poll(&requests, 2, limit) > 0 else { continue }
            if requests[1].revents != 0 { end = end ?? .stopped }
            if requests[0].revents & Int16(POLLERR) != 0, ring.readError() != 0 { end = end ?? .interfaceGone }
        }
        // The kernel hands the block that it fills over after its pause, when earlier ones may still have been waiting.
        let last = ContinuousClock.now + PacketRing.pause * 2
        var blocks = ring.blockCount
        while blocks > 0, last > ContinuousClock.now {
            Wait.untilReadable([ring.descriptor], limit: last - ContinuousClock.now)
            while blocks > 0, readBlock(stop) { blocks -= 1 }
        }
        finishFile(stop)
        let reason = failure.map { End.failed($0) } ?? end ?? .stopped
        return Summary(end: reason, packets: writer.packets, counters: ring.readCounters())
    }

    /// Reads and writes the next block of packets; false if there is none.
    private func readBlock(_ stop: Int32) -> Bool {
        awaitKeys(stop)
        let isFound = readBlock(into: &writer)
        flush(stop)
        if writer.isFull { end = end ?? .limit }
        if end == nil, let files, files.isDue(now: RealClock.now) { beginFile(files, stop) }
        return isFound
    }

    /// Waits until the keys for the next block are logged, as long as the ring has room. After the end, all are.
    private func awaitKeys(_ stop: Int32) {
        guard keyLog != nil, end == nil, let time = ring.blockTime else { return }
        let age = Duration.nanoseconds(RealClock.now - time)
        // The time of day may have been set.
        Wait.untilReadable([stop], limit: KeyLogFollower.keyTimeout - max(age, .zero))
    }

    /// One access to the writer for the whole block, and not several for each packet.
    private func readBlock(into writer: inout PacketWriter) -> Bool {
        var isFirst = true
        return ring.readBlock { packet in
            if isFirst, let lines = keyLog?.newLines() { writer.encoder.add(tlsKeys: lines) }
            isFirst = false
            writer.add(packet)
        }
    }

    /// Writes what has been encoded.
    private func flush(_ stop: Int32) {
        guard let files, failure == nil else { return writer.encoder.drain { _ in } }
        do throws(CaptureOutput.Failure) {
            try files.write(&writer.encoder, stop: stop)
            written = writer.counts
        } catch {
            fail(error)
        }
    }

    private func fail(_ failure: CaptureOutput.Failure) {
        self.failure = failure
        if !options.countsUnwritten { end = .failed(failure) }
    }

    /// Adds the counts of the current file, and starts to count for the next.
    private func finishFile(_ stop: Int32) {
        let (now, counters) = (RealClock.now, ring.readCounters())
        flush(stop)
        let unwritten = writer.counts.reduce(0, +) - written.reduce(0, +)
        for (number, count) in written.enumerated() {
            var statistics = CaptureStatistics(begin: fileStart.time, end: now)
            statistics.written = count
            // The kernel counts for all interfaces.
            if written.count == 1 { statistics.accepted = counters.accepted - fileStart.counters.accepted }
            if number == 0 { statistics.dropped = counters.dropped - fileStart.counters.dropped + unwritten }
            writer.encoder.add(statistics, of: number)
        }
        fileStart = (now, counters)
        files?.liftBound()
        // Small as they are, they may still have room: a file that ends early must not pass for a whole one.
        switch failure {
        case .full, .refused: try? files?.write(&writer.encoder)
        case nil, .readerGone, .readerStalled: flush(stop)
        }
    }

    /// Ends the file and starts the next.
    private func beginFile(_ files: CaptureFiles, _ stop: Int32) {
        finishFile(stop)
        guard failure == nil else { return }
        do {
            try files.next()
            writer.beginFile()
            written = []
        } catch {
            fail(.refused(error.code))
        }
    }
}
