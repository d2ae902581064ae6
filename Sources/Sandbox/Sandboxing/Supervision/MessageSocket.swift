// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem

/// One end of a socket pair between launcher and supervisor. It preserves message boundaries, and ends with the peer.
struct MessageSocket {
    private let channel: SequencedChannel

    /// Readable while a message waits, or when the other end is closed.
    var descriptor: CInt { channel.descriptor }

    enum Message: Hashable {
        /// To the supervisor: pass this signal on to the command.
        case signal(CInt)
        /// To the supervisor: continue the command, if this is the number of its current stop, from 1.
        case proceed(CInt)
        /// From the supervisor: the environment is ready.
        case ready
        /// To the supervisor: start the command.
        case begin
        /// From the supervisor: the command has this process ID.
        case started(pid_t)
        /// From the supervisor: a signal stopped the command.
        case stopped(CInt)
        /// From the supervisor: a note for the user, with a remedy.
        case note(String, Remedy? = nil)
        /// From the supervisor: output of the monitor, to be printed unchanged.
        case report(String)
        /// To the supervisor: report the progress of the run.
        case tellProgress
        /// To the supervisor: end the command, since an expectation can no longer hold.
        case end
        /// To the supervisor: the new text of this machine's resolv.conf(5).
        case nameServers(String)
        /// From the supervisor: the progress of the run.
        case progress(RunProgress)
        /// From the supervisor: how the command ended.
        case ended(CommandEnd)
        /// From the supervisor: the command could not be wrapped.
        case failed(SandboxError)
    }

    static func pair() throws(SandboxError) -> (MessageSocket, MessageSocket) {
        let (first, second) = try onSystem(SequencedChannel.pair())
        return (MessageSocket(channel: first), MessageSocket(channel: second))
    }

    /// Sends a message; does nothing if the other end is closed. If the kernel refuses the message, for lack of memory
    /// for example, ends the stream, since the other end might wait for the message for ever.
    func send(_ message: Message) {
        let bytes = message.bytes
        var result: CInt
        repeat { result = channel.send(bytes) } while result == -EINTR
        if ![0, -EPIPE, -ECONNRESET].contains(result) { end() }
    }

    /// Waits for a message; nil when the other end is closed.
    func receive() -> Message? {
        var bytes = [UInt8](repeating: 0, count: 65536)
        var count: Int
        // ECONNRESET comes before the messages that wait, if the other end was closed with messages unread.
        repeat {
            count = bytes.withUnsafeMutableBytes { channel.receive(into: $0).count }
        } while count == -Int(ECONNRESET)
        return count > 0 ? Message(bytes: Array(bytes[..<count])) : nil
    }

    /// Ends the stream of messages, although this end or a copy in another process stays open.
    func end() { channel.end() }

    func close() { channel.close() }
}

extension MessageSocket.Message {
    private enum Kind: UInt8 {
        case signal, proceed, ready, begin, started, stopped, note, report, exited, killed, timedOut, notStarted, failed
        case tellProgress, progress, end, failedFast, nameServers
    }

    /// A byte for the kind, a number, and a text.
    fileprivate var bytes: [UInt8] {
        switch self {
        case .signal(let number): Self.write(.signal, number)
        case .proceed(let number): Self.write(.proceed, number)
        case .ready: Self.write(.ready, 0)
        case .begin: Self.write(.begin, 0)
        case .started(let process): Self.write(.started, process)
        case .stopped(let number): Self.write(.stopped, number)
        case .note(let text, let remedy): Self.write(.note, 0, text, remedy)
        case .report(let text): Self.write(.report, 0, text)
        case .tellProgress: Self.write(.tellProgress, 0)
        case .end: Self.write(.end, 0)
        case .nameServers(let text): Self.write(.nameServers, 0, text)
        case .progress(let progress): Self.write(.progress, 0, progress.json.line)
        case .ended(.exited(let code)): Self.write(.exited, code)
        case .ended(.killed(let signal)): Self.write(.killed, signal)
        case .ended(.timedOut): Self.write(.timedOut, 0)
        case .ended(.failedFast): Self.write(.failedFast, 0)
        case .ended(.notStarted(let code)): Self.write(.notStarted, code ?? 0)
        case .failed(let error): Self.write(.failed, 0, error.message, error.remedy)
        }
    }

    private static func write(
        _ kind: Kind,
        _ number: CInt,
        _ text: String = "",
        _ remedy: Remedy? = nil
    ) -> [UInt8] {
        let text = text + (remedy.map { "\0\($0.line)" } ?? "")
        return [kind.rawValue] + withUnsafeBytes(of: number) { Array($0) } + Array(text.utf8.prefix(32768))
    }

    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count >= 5, let kind = Kind(rawValue: bytes[0]) else { return nil }
        let number = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 1, as: CInt.self) }
        let text = String(decoding: bytes[5...], as: UTF8.self)
        let parts = text.split(separator: "\0", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let remedy = parts.count > 1 ? Remedy(line: parts[1]) : nil
        switch kind {
        case .signal: self = .signal(number)
        case .proceed: self = .proceed(number)
        case .ready: self = .ready
        case .begin: self = .begin
        case .started: self = .started(number)
        case .stopped: self = .stopped(number)
        case .note: self = .note(parts[0], remedy)
        case .report: self = .report(text)
        case .tellProgress: self = .tellProgress
        case .progress:
            guard let progress = (try? JSON(utf8: Array(text.utf8))).flatMap({ RunProgress(json: $0) }) else {
                return nil
            }
            self = .progress(progress)
        case .end: self = .end
        case .nameServers: self = .nameServers(text)
        case .failedFast: self = .ended(.failedFast)
        case .exited: self = .ended(.exited(number))
        case .killed: self = .ended(.killed(number))
        case .timedOut: self = .ended(.timedOut)
        case .notStarted: self = .ended(.notStarted(number))
        case .failed: self = .failed(SandboxError(parts[0], remedy: remedy))
        }
    }
}
