// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A command that runs beside the test, and is killed with its last reference.
package final class RunningCommand {
    private let process: ChildProcess
    private let files: TemporaryDirectory
    private let input: FileHandle
    private let output: FileHandle
    private let messages: UnnamedFile
    /// What was read of the output and not returned yet.
    private var rest: [UInt8] = []

    package init(
        _ command: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        files = try TemporaryDirectory()
        messages = try UnnamedFile()
        let (input, output) = (try Self.pipe(files, "input"), try Self.pipe(files, "output"))
        process = try ChildProcess(
            command,
            environment: environment,
            streams: [input.reading.fileDescriptor, output.writing.fileDescriptor, messages.descriptor]
        )
        (self.input, self.output) = (input.writing, output.reading)
    }

    /// Runs a line of shell, whose first word becomes the process.
    package convenience init(shell line: String) throws {
        try self.init(["/bin/sh", "-c", "exec \(line)"])
    }

    /// A pipe that no child of another test can inherit, not even while it is made.
    private static func pipe(
        _ files: TemporaryDirectory,
        _ name: String
    ) throws -> (reading: FileHandle, writing: FileHandle) {
        let path = "\(files.path)/\(name)"
        guard mkfifo(path, 0o600) == 0 else { throw TestFailure("mkfifo \(path): \(errno)") }
        let reading = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        let writing = open(path, O_WRONLY | O_CLOEXEC)
        _ = fcntl(reading, F_SETFL, 0)
        return (
            FileHandle(fileDescriptor: reading, closeOnDealloc: true),
            FileHandle(fileDescriptor: writing, closeOnDealloc: true)
        )
    }

    /// Its number, and so that of the program which it became.
    package var number: pid_t { process.number }

    /// Whether it has not ended.
    package var isRunning: Bool { process.isRunning }

    /// What it has written to standard error so far.
    package var errors: String { String(decoding: messages.bytes(), as: UTF8.self) }

    /// The next line of its output; nil after the last.
    package func line(within seconds: Int = HangLimit.seconds) throws -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var request = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, Int32(seconds * 1000)) == 1 else {
                throw TestFailure("no output for \(seconds) seconds: \(errors)")
            }
            guard readMore() else { return nil }
        }
    }

    /// Waits for the end and gives what was printed, from the first line on that was not read yet.
    package func waitForOutput() -> String {
        while readMore() {}
        _ = process.wait()
        defer { rest = [] }
        return String(decoding: rest, as: UTF8.self)
    }

    private func readMore() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = read(output.fileDescriptor, &bytes, bytes.count)
        guard count > 0 else { return false }
        rest += bytes[..<count]
        return true
    }

    /// Gives it input.
    package func write(_ text: String) throws {
        try input.write(contentsOf: Data(text.utf8))
    }

    /// Ends its standard input, for which it may be waiting.
    package func endInput() {
        try? input.close()
    }

    /// Sends it a signal.
    package func send(_ signal: Int32) {
        kill(number, signal)
    }

    /// Waits for an end that only a command that hangs does not come to.
    package func end() throws -> ChildProcess.End {
        try process.waitAWhile()
    }

    /// Waits for the end and gives the exit status, or the signal's number.
    @discardableResult
    package func wait() -> Int32 {
        switch process.wait() {
        case .exited(let status): status
        case .killed(let signal): signal
        }
    }

    /// Waits for an end that must be a success, without a thread.
    package func succeed() async throws {
        while isRunning { try await Task.sleep(for: .milliseconds(50)) }
        let status = wait()
        guard status == 0 else { throw TestFailure("status \(status): \(errors)") }
    }

    /// Waits until proc(5) gives a process this state, such as "T" for one that is stopped.
    package static func wait(for state: String, of process: pid_t) throws {
        var text = ""
        let hasState = try HangLimit.waits {
            text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            return text.split(separator: ")").last?.split(separator: " ").first.map(String.init) == state
        }
        guard hasState else { throw TestFailure("\(text) and not \(state)") }
    }
}
