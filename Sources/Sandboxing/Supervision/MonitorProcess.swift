// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// A run of this same program beside the command, in its network, whose words are told when the command has ended.
struct MonitorProcess {
    /// Its process.
    let process: pid_t
    /// What it has written so far, in memory.
    private let output: CInt

    /// How long it may take to sum up.
    private static let patience = Duration.seconds(2)

    /// Starts it with these arguments and variables.
    static func start(
        _ arguments: [String],
        _ environment: [(name: String, value: String)]
    ) throws(SandboxError) -> MonitorProcess {
        let output = try checked(lc_open_memory("lc-monitor"), "get memory for the monitor's words")
        let process = try onSystem { () throws(SystemError) in
            try Fork.helper(keeping: [output]) {
                for descriptor in [STDOUT_FILENO, STDERR_FILENO] { dup2(output, descriptor) }
                for (name, value) in environment { setenv(name, value, 1) }
                _ = Fork.exec(["/proc/self/exe"] + arguments)
                _exit(127)
            }
        }
        return MonitorProcess(process: process, output: output)
    }

    /// Asks it to sum up, waits for that, and gives all it has written, in pieces of whole lines.
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

    /// A message between our processes has room for this much, and more.
    private static let pieceLength = 16384
}
