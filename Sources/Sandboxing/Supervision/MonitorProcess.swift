// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// A second run of this program as a monitor in the command's network. Its output is printed after the command's end.
struct MonitorProcess {
    /// The process ID.
    let process: pid_t
    /// Its output, in memory.
    private let output: CInt

    /// The time limit for its summary.
    private static let patience = Duration.seconds(2)

    /// Starts the monitor.
    ///
    /// - Parameter descriptor: one that it inherits; nil for none.
    static func start(
        arguments: [String],
        variables: [(name: String, value: String)],
        descriptor: CInt? = nil
    ) throws(SandboxError) -> MonitorProcess {
        let output = try checked(lc_open_memory("lc-monitor"), "get memory for the monitor's output")
        let process = try onSystem { () throws(SystemError) in
            try Fork.helper(keeping: [output] + [descriptor].compactMap { $0 }) {
                for descriptor in [STDOUT_FILENO, STDERR_FILENO] { dup2(output, descriptor) }
                if let descriptor { Descriptors.keepOnExec(descriptor) }
                for (name, value) in variables { setenv(name, value, 1) }
                _ = Fork.exec(["/proc/self/exe"] + arguments)
                _exit(127)
            }
        }
        return MonitorProcess(process: process, output: output)
    }

    /// Requests the summary, waits for it, and returns the whole output, in pieces of whole lines.
    func finish(_ children: SignalQueue) -> [String] {
        defer { close(output) }
        kill(process, SIGTERM)
        let clock = ContinuousClock()
        let deadline = clock.now + Self.patience
        while waitpid(process, nil, WNOHANG) == 0 {
            guard clock.now < deadline else {
                kill(process, SIGKILL)
                break
            }
            Wait.untilReadable([children.descriptor], limit: deadline - clock.now)
            while children.next() != nil {}
        }
        lseek(output, 0, SEEK_SET)
        let text = String(decoding: Descriptors.readToEnd(output), as: UTF8.self)
        var pieces: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let last = pieces.last, last.utf8.count + line.utf8.count < Self.pieceLength {
                pieces[pieces.count - 1] = "\(last)\n\(line)"
            } else {
                pieces.append(String(line))
            }
        }
        return pieces
    }

    /// Fits into one message.
    private static let pieceLength = 16384
}
