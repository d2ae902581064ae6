// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import Synchronization

/// A log of each packet's fate as lines of text. A separate thread writes them from the pump's records while the pump
/// runs.
///
/// Lines end with a line feed, tabs separate fields. The first line names the fields. One line for each packet and each
/// duplicate follows, in the order in which the pump decided their fates:
///
/// | field | meaning |
/// |---|---|
/// | `arrival` | seconds since the log began, with nine decimals |
/// | `due` | when the model delivers or drops the packet |
/// | `departure` | when the packet was delivered; `-` if it was not |
/// | `bytes` | the IP packet and an Ethernet header |
/// | `device` | the conditioned device |
/// | `lane` | `uplink`, `downlink` or `dns` |
/// | `fate` | `passed`, `duplicate`, `corrupted`, `marked` or `dropped` |
/// | `reason` | a case of ``DropReason``, or a fault such as `fault 2: reset`; `-` if it was not dropped |
/// | `made` | the fault that made the packet; `-` if one end of its flow sent it |
///
/// A lane that does not split super-packets logs one line for each super-packet. The pump never waits for the log:
/// packets that arrive faster than lines are written are not logged. The last line is always `# lost N lines of
/// DEVICE`, where N is the number of packets not logged. Several pumps can log to one file if it is open for appending:
/// lines are never mixed.
package final class PacketLog: Sendable {
    /// The recorder to which the pump writes each packet.
    let recorder: PacketRecorder
    private let state: LogState

    /// Starts a log in the open file `descriptor`, which remains the caller's.
    ///
    /// - Parameters:
    ///   - device: the name of the conditioned device in each line.
    ///   - first: the log that started the file; nil if this log does.
    ///   - capacity: the size in bytes of the queue of packets to write, a power of two; a packet takes 72 bytes.
    package init(descriptor: Int32, device: String, after first: PacketLog? = nil, capacity: Int = 1 << 23)
        throws(PumpError)
    {
        guard let recorder = PacketRecorder(capacity: capacity) else { throw .memory }
        self.recorder = recorder
        state = LogState(recorder, descriptor: descriptor, device: device, origin: first?.state.origin)
        do {
            try PosixThread.detach { [state] in state.run() }
        } catch {
            throw .thread(error.code)
        }
    }

    /// Asks the log's thread to end, and does not wait, so that several logs end at the same time.
    func requestEnd() { state.requestEnd() }

    /// Writes the remaining lines and the last line, and waits until they are written or the reader of the pipe has
    /// stopped. The pump must have ended.
    ///
    /// - Returns: why the log ends early, with the number of missing lines; nil if it does not.
    @discardableResult
    package func finish() -> String? { state.finish() }

    deinit { _ = state.finish() }
}

/// The state of the log's thread. Unchecked: only that thread changes the variables that are not synchronized.
private final class LogState: @unchecked Sendable {
    private static let header = "arrival\tdue\tdeparture\tbytes\tdevice\tlane\tfate\treason\tmade\n"
    /// The longest line in bytes: three timestamps, a size, a device and four words.
    private static let room = 192
    /// The pause between two rounds of writing, in microseconds.
    private static let pause: UInt32 = 20_000
    /// How long the end of the log waits for a pipe without room, in milliseconds: less than a supervisor waits for
    /// this process.
    private static let writeTimeout: CInt = 250
    /// Locked from poll(2) to write(2): another log on the same pipe must not use the room that poll(2) has reported.
    private static let writing = Mutex(())

    private let recorder: PacketRecorder
    private let descriptor: Int32
    private let isEnding = Atomic(false)
    private let hasEnded = Mutex(false)
    let origin: Int64
    private let device: [UInt8]
    private let beginsFile: Bool
    private let isFile: Bool
    private var text: [UInt8] = []
    /// The reason why no more lines are written, and the number of lines not written.
    private var problem: (reason: String, lines: Int)?
    private let lanes = Lane.allCases.map { Array($0.name.utf8) }
    /// The end of a line for each fate: the names of the fate and of its reason.
    private var encodedTexts: [Fate: [UInt8]] = [:]

    init(_ recorder: PacketRecorder, descriptor: Int32, device: String, origin: Int64?) {
        self.recorder = recorder
        self.descriptor = descriptor
        self.device = Array(device.utf8)
        self.origin = origin ?? lc_monotonic_time()
        beginsFile = origin == nil
        var facts = stat()
        isFile = fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    func run() {
        text.reserveCapacity(1 << 17)
        if beginsFile { text += Self.header.utf8 }
        while true {
            let isLast = isEnding.load(ordering: .acquiring)
            recorder.drain { packet, _ in
                guard packet.kind == .packet else { return }
                write(packet)
                if text.count > (1 << 17) - Self.room { flush() }
            }
            if isLast { break }
            flush()
            usleep(Self.pause)
        }
        flush()
        if problem == nil {
            text += "# lost \(recorder.lost) lines of ".utf8 + device + [10]
            flush()
        } else {
            problem?.lines += recorder.lost
        }
        hasEnded.withLock { $0 = true }
    }

    func requestEnd() { isEnding.store(true, ordering: .releasing) }

    func finish() -> String? {
        requestEnd()
        while !hasEnded.withLock({ $0 }) { usleep(1_000) }
        return problem.map { problem in
            let device = String(decoding: device, as: UTF8.self)
            return "the log ends early: \(problem.reason); \(problem.lines) lines of \(device) are missing"
        }
    }

    private func write(_ packet: RecordedPacket) {
        for time in [packet.arrival, packet.due, packet.delivery] {
            if let time { write(time: max(time - origin, 0)) } else { text.append(UInt8(ascii: "-")) }
            text.append(9)
        }
        write(number: UInt64(packet.counted), digits: 1)
        text.append(9)
        text += device
        text.append(9)
        text += lanes[packet.lane.rawValue]
        text.append(9)
        text += encodedText(of: packet.fate)
        text.append(9)
        text += (packet.maker?.name ?? "-").utf8
        text.append(10)
    }

    private func encodedText(of fate: Fate) -> [UInt8] {
        if let known = encodedTexts[fate] { return known }
        let new = Array("\(fate.name)\t\(fate.reasonName ?? "-")".utf8)
        encodedTexts[fate] = new
        return new
    }

    private func write(time: Int64) {
        write(number: UInt64(time) / 1_000_000_000, digits: 1)
        text.append(UInt8(ascii: "."))
        write(number: UInt64(time) % 1_000_000_000, digits: 9)
    }

    private func write(number: UInt64, digits: Int) {
        var rest = number
        let start = text.count
        while rest > 0 || text.count - start < digits {
            text.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
        text[start...].reverse()
    }

    /// Writes `text` and empties it. A pipe gets whole lines only, so that a log that ends early does not end within a
    /// line.
    private func flush() {
        var rest = text[...]
        while problem == nil, !rest.isEmpty {
            guard isFile || awaitRoom() else {
                problem = ("its reader does not go on", 0)
                break
            }
            // A pipe that poll(2) reports as writable has room for PIPE_BUF bytes.
            let lines = isFile ? rest : rest[...(rest.prefix(Int(PIPE_BUF)).lastIndex(of: 10) ?? rest.endIndex - 1)]
            let code: CInt? = Self.writing.withLock { _ in
                guard isFile || hasRoom(limit: 0) else { return EAGAIN }
                return Descriptors.write(lines, to: descriptor)
            }
            switch code {
            case EAGAIN?: continue
            case nil: rest = rest.dropFirst(lines.count)
            case let code?: problem = (String(cString: strerror(code)), 0)
            }
        }
        problem?.lines += rest.count { $0 == 10 }
        text.removeAll(keepingCapacity: true)
    }

    /// Waits until the pipe has room; false if it has none for `writeTimeout` after the end was requested.
    private func awaitRoom() -> Bool {
        while !isEnding.load(ordering: .acquiring) {
            if hasRoom(limit: 100) { return true }
        }
        return hasRoom(limit: Self.writeTimeout)
    }

    private func hasRoom(limit: CInt) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, limit) > 0
    }
}
