// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinuxSystem
import Sandboxing

/// The pane beside a run: `linkcond pane` as a process of its own, in the host's network, so that the run's conditions
/// never apply to the page.
///
/// It has a session of its own, so that the terminal's keys reach the command only. It ends with the run, and the kernel
/// ends it if this process is killed. If it ends itself, the run goes on.
struct PaneProcess {
    /// What the pane shows.
    enum Subject {
        /// The network of the run.
        case run
        /// This machine's interfaces, for a run on one of them.
        case host
    }

    private let process: HelperProcess
    /// The pane's messages; at the end of file, the pane has ended.
    private let output: CInt

    /// The longest time that the pane may take to start, and to end.
    private static let (startLimit, endLimit) = (Duration.seconds(10), Duration.seconds(2))
    /// The time for the page to show the end of the run.
    private static let farewell = Duration.milliseconds(300)
    /// The largest size of its messages that are read.
    private static let maximumOutput = 1 << 14

    /// Starts the pane, and prints its address. If it does not start, prints the reason.
    ///
    /// - Parameter supervisor: the process ID of the run's supervisor.
    init?(showing subject: Subject, of supervisor: pid_t) {
        let arguments: [String] =
            switch subject {
            case .run: ["--socket", ControlSocket.path(ofSupervisor: supervisor)]
            case .host: []
            }
        do {
            let (output, input) = try Descriptors.pipe()
            self.output = output
            defer { close(input) }
            let launcher = getpid()
            process = try HelperProcess.start(nil, keeping: [OpenDescriptor(input)], hasOwnSession: true) {
                _ = lc_prctl(CInt(PR_SET_PDEATHSIG), UInt(SIGKILL))
                // The launcher may have ended before.
                guard getppid() == launcher else { _exit(127) }
                dup2(input, STDOUT_FILENO)
                dup2(input, STDERR_FILENO)
                _exit(Fork.exec(["/proc/self/exe", "pane"] + arguments) == ENOENT ? 127 : 126)
            }
        } catch {
            Console.failure("note: no pane: \(error)")
            return nil
        }
        let text = Self.firstLines(of: output)
        guard let address = Self.address(in: text) else {
            end()
            let reason = text.isEmpty ? "it did not start" : text
            Console.failure("note: no pane: \(reason)")
            return nil
        }
        Console.note("the pane is at \(address)")
    }

    /// The messages up to the one with the address, or all until the pane ends or the time is over.
    private static func firstLines(of output: CInt) -> String {
        let deadline = BootClock.now + startLimit
        var bytes: [UInt8] = []
        while bytes.count < maximumOutput {
            let text = String(decoding: bytes, as: UTF8.self)
            if bytes.last == UInt8(ascii: "\n"), address(in: text) != nil { return text }
            let rest = deadline - BootClock.now
            guard rest > .zero, Wait.untilReadable([output], limit: rest) else { break }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first address of a page in a text; nil if there is none.
    static func address(in text: String) -> Substring? {
        text.split { $0.isWhitespace || $0 == ";" }.first { $0.hasPrefix("http://") }
    }

    /// Ends the pane, after the page had the time to show the run's end.
    func end() {
        // The supervisor has ended: the pane finds that within its interval.
        if !Wait.untilReadable([output], limit: Self.farewell) || !hasEnded { kill(process.id, SIGTERM) }
        let deadline = BootClock.now + Self.endLimit
        while !hasEnded {
            let rest = deadline - BootClock.now
            guard rest > .zero, Wait.untilReadable([output], limit: rest) else {
                kill(process.id, SIGKILL)
                break
            }
        }
        process.reap()
        close(output)
    }

    /// Reads the messages that have come, and returns whether the pane has ended.
    private var hasEnded: Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while Wait.isReadable(output) {
            let count = read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return true }
        }
        return false
    }
}
