// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
import Glibc
internal import LinuxSystem

/// Reads packets from a ring, and writes and shows them until it is stopped or reaches a limit.
package final class CaptureSession {
    /// The packets to capture, and when to end.
    package struct Options: Sendable {
        /// The largest number of bytes to keep of a packet.
        package var snapLength: UInt32 = 262_144
        /// The filter expression, as it was compiled for the ring.
        package var filter: String?
        /// Whether a super-packet is kept whole, and not split into the wire packets that it stands for.
        package var keepsSuperPackets = false
        /// The number of packets after which the capture ends; nil for no limit.
        package var count: UInt64?
        /// The time after which the capture ends; nil for no limit.
        package var duration: Duration?
        /// Remarks about the whole capture.
        var comments: [String] = []
        /// Whether to go on after a write has failed, to count the packets that are not written.
        var countsUnwritten = false

        package init() {}
    }

    /// The reason why the capture ended.
    package enum End: Sendable {
        case stopped
        /// The number of packets or the time has been reached.
        case limit
        /// The interface is gone or down.
        case interfaceGone
        /// Not all packets could be written.
        case failed(CaptureOutput.Failure)
    }

    package struct Summary: Sendable {
        package var end: End
        /// The number of packets written or shown: wire packets, unless super-packets are kept.
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
    /// The number of packets of each interface in the current file.
    private var written: [UInt64] = []
    /// The TLS keys of a command; nil for none.
    private var keyLog: KeyLogFollower?
    /// The time and the kernel's counts when the current file was started.
    private var fileStart: (time: Int64, counters: PacketRing.Counters)

    /// - Parameters:
    ///   - files: the files to write; nil to only show packets.
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

    /// Captures until `stop` is readable, a limit of `options` is reached, the interface is gone, or a write fails.
    /// Packets that the kernel has handed over by then are written.
    package func run(stop: Int32) -> Summary {
        let deadline = options.duration.map { ContinuousClock.now + $0 }
        flush(stop)
        while end == nil {
            let left = deadline.map { $0 - .now } ?? .seconds(1)
            if left <= .zero { end = .limit }
            // `stop` and the deadline are checked after each block: packets may always come faster than they are
            // written.
            let isFound = readBlock(stop)
            var requests = [ring.descriptor, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let limit = isFound || end != nil ? 0 : CInt(min(left, .seconds(1)) / .milliseconds(1)) + 1
            guard poll(&requests, 2, limit) > 0 else { continue }
            if requests[1].revents != 0 { end = end ?? .stopped }
            if requests[0].revents & Int16(POLLERR) != 0, ring.readError() != 0 { end = end ?? .interfaceGone }
        }
        // The kernel hands over the block that it is filling after its pause; earlier blocks may still wait until then.
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

    /// Waits until the TLS keys for the next block are logged, if the ring has room and the capture goes on.
    private func awaitKeys(_ stop: Int32) {
        guard keyLog != nil, end == nil, let time = ring.blockTime else { return }
        let age = Duration.nanoseconds(RealClock.now - time)
        // The age is negative if the time of day was set back.
        Wait.untilReadable([stop], limit: KeyLogFollower.keyTimeout - max(age, .zero))
    }

    /// Reads a block into `writer`; false if there is none. `inout`, so that exclusivity is checked once a block, and
    /// not for each packet.
    private func readBlock(into writer: inout PacketWriter) -> Bool {
        var isFirst = true
        return ring.readBlock { packet in
            if isFirst, let lines = keyLog?.newLines() { writer.encoder.add(tlsKeys: lines) }
            isFirst = false
            writer.add(packet)
        }
    }

    /// Writes the encoded blocks, or discards them if there is no file or a write has failed.
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

    /// Ends the current file with its statistics, and starts to count for the next.
    private func finishFile(_ stop: Int32) {
        let (now, counters) = (RealClock.now, ring.readCounters())
        flush(stop)
        let unwritten = writer.counts.reduce(0, +) - written.reduce(0, +)
        for (number, count) in written.enumerated() {
            var statistics = CaptureStatistics(begin: fileStart.time, end: now)
            statistics.written = count
            // The kernel's count is for all interfaces together.
            if written.count == 1 { statistics.accepted = counters.accepted - fileStart.counters.accepted }
            if number == 0 { statistics.dropped = counters.dropped - fileStart.counters.dropped + unwritten }
            writer.encoder.add(statistics, of: number)
        }
        fileStart = (now, counters)
        files?.liftBound()
        // The statistics are small and may still have room: a file that ends early must not look like a whole one.
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
