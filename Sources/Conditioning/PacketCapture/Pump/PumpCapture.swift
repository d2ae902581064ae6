// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
package import CapturedPackets
import Glibc
internal import LinuxSystem
package import PacketPump
internal import Synchronization

/// Writes the packets of pumps to a pcapng file, including those that the link dropped: each with its lane, its fate
/// and its delay, in the order in which the command saw them.
///
/// A packet is written when its fate and the fates of all packets that the command saw before it are known.
package final class PumpCapture: PacketRecording {
    /// The values that other threads exchange with the writing thread.
    private struct Inbox {
        var added: [RecordedDevice] = []
        var thread: PosixThread?
        var isEnding = false
        var problem: String?
        /// The digest of the whole file, after the file is complete.
        var digest: CaptureDigest.Value?
        /// The time of a `flush` request: packets seen before it must be written; nil if no thread waits.
        var wanted: Int64?
        /// The answer to the `flush` request.
        var written: WrittenPackets?
    }

    /// The interval at which the recorders are read.
    private static let pause = Duration.milliseconds(20)
    /// The longest wait of another thread for the writer.
    private static let writerTimeout = Duration.seconds(2)
    /// The time that a pump may take between the time of a packet and its record, in nanoseconds.
    private static let margin: Int64 = 100_000_000

    private let descriptor: CInt
    private let keyLog: CInt?
    private let snapLength: Int?
    private let bound: CaptureBound?
    private let key: UInt64?
    private let inbox = Mutex(Inbox())
    /// Ends the pause of the writing thread; nil if the kernel has none to give.
    private let wakeup = try? EventFD()
    /// Readable when the writing thread has answered a `flush` request.
    private let answered = try? EventFD()

    /// Prepares a capture. Nothing is written before the first pump is added.
    ///
    /// - Parameters:
    ///   - descriptor: an empty file or a pipe.
    ///   - keyLog: a TLS key log that the command writes, for reading; nil for none.
    ///   - snapLength: the bytes to keep of each packet; nil for all, on a fast link only its headers.
    ///   - bound: the largest size of the file; nil for the file system's limit.
    ///   - key: the key of the file's digest; nil for no digest.
    package init(
        descriptor: CInt,
        keyLog: CInt?,
        snapLength: Int? = nil,
        bound: CaptureBound? = nil,
        key: UInt64? = nil
    ) {
        self.descriptor = descriptor
        self.keyLog = keyLog
        self.snapLength = snapLength
        self.bound = bound
        self.key = key
    }

    /// The bytes to keep of each packet.
    package var limits: PacketRecorder.Limits {
        var limits = PacketRecorder.Limits()
        limits.snapLength = snapLength
        return limits
    }

    /// Writes the packets that a pump on `device` records.
    package func add(_ recorder: PacketRecorder, of device: String, inputs: [PumpInput]) {
        inbox.withLock { inbox in
            inbox.added.append(RecordedDevice(recorder, device, inputs, snapLength: snapLength))
            guard inbox.thread == nil else { return }
            do {
                inbox.thread = try PosixThread.start { [self] in write() }
            } catch {
                inbox.problem = "\(error)"
            }
        }
    }

    /// The reason why no more packets are written; nil as long as they are.
    package var problem: String? { inbox.withLock { $0.problem } }

    package func flush(until time: Int64) -> WrittenPackets? {
        guard let wakeup, let answered else { return nil }
        answered.clear()
        let isWriting = inbox.withLock { inbox in
            (inbox.wanted, inbox.written) = (time, nil)
            return inbox.problem == nil ? inbox.thread != nil : nil
        }
        // Writing has failed.
        guard let isWriting else { return nil }
        // No pump records yet, so no packet precedes `time`.
        guard isWriting else {
            let time = RunClock.aheadOfMonotonic + time
            return WrittenPackets(seen: time, sent: time)
        }
        wakeup.signal()
        Wait.untilReadable([answered.descriptor], limit: Self.writerTimeout)
        return inbox.withLock { $0.problem == nil ? $0.written : nil }
    }

    /// Writes the remaining packets.
    package func finish() -> String? {
        let thread = inbox.withLock { inbox in
            inbox.isEnding = true
            return inbox.thread
        }
        wakeup?.signal()
        thread?.join()
        return inbox.withLock { $0.problem }
    }

    package var digest: CaptureDigest.Value? { inbox.withLock { $0.digest } }

    /// Writes until the pumps have ended.
    private func write() {
        var writer = RecordWriter(
            CaptureOutput(descriptor: descriptor, bound: bound, key: key),
            keyLog.map { KeyLogFollower($0) }
        )
        let margin = keyLog == nil ? Self.margin : Int64(KeyLogFollower.keyTimeout / .nanoseconds(1))
        while true {
            wakeup?.clear()
            let (added, isEnding, wanted) = inbox.withLock { inbox in
                defer { (inbox.added, inbox.wanted) = ([], nil) }
                return (inbox.added, inbox.isEnding, inbox.wanted)
            }
            writer.devices += added
            let horizon = writer.write(until: isEnding ? .max : wanted ?? lc_monotonic_time() - margin)
            if isEnding { break }
            if let problem = writer.problem { inbox.withLock { $0.problem = problem } }
            if wanted != nil {
                let seen = RunClock.aheadOfMonotonic + horizon
                let written = WrittenPackets(seen: seen, sent: writer.completeUntil(horizon))
                inbox.withLock { $0.written = written }
                answered?.signal()
            }
            if let wakeup {
                Wait.untilReadable([wakeup.descriptor], limit: Self.pause)
            } else {
                usleep(UInt32(Self.pause / .microseconds(1)))
            }
        }
        let problem = writer.finish()
        inbox.withLock { ($0.problem, $0.digest) = (problem, writer.written) }
    }
}
