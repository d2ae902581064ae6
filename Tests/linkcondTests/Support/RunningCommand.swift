// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A command that runs beside the test. Whoever waits for something of it waits ten seconds at most.
final class RunningCommand {
    private let process: ChildProcess
    private let files: TemporaryDirectory
    private let input: FileHandle
    private let output: FileHandle
    private var rest: [UInt8] = []

    init(_ command: [String]) throws {
        files = try TemporaryDirectory()
        let (input, output) = (try Self.pipe(files, "input"), try Self.pipe(files, "output"))
        process = try ChildProcess(
            command,
            environment: Program.environment,
            streams: [input.reading.fileDescriptor, output.writing.fileDescriptor, STDERR_FILENO]
        )
        (self.input, self.output) = (input.writing, output.reading)
    }

    /// A pipe that no child of another test can inherit, not even while it is made.
    private static func pipe(
        _ files: TemporaryDirectory,
        _ name: String
    ) throws -> (reading: FileHandle, writing: FileHandle) {
        let path = "\(files.path)/\(name)"
        guard mkfifo(path, 0o600) == 0 else { throw Unexpected("mkfifo \(path): \(errno)") }
        let reading = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        let writing = open(path, O_WRONLY | O_CLOEXEC)
        _ = fcntl(reading, F_SETFL, 0)
        return (
            FileHandle(fileDescriptor: reading, closeOnDealloc: true),
            FileHandle(fileDescriptor: writing, closeOnDealloc: true)
        )
    }

    /// Its number, and so that of the program which it became.
    var number: pid_t { process.number }

    /// Whether it has not ended.
    var isRunning: Bool { process.isRunning }

    /// The next line of its output; nil behind the last.
    func line() throws -> String? {
        let reading = output.fileDescriptor
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var request = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, 10000) == 1 else { throw Unexpected("no output for ten seconds") }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(reading, &bytes, bytes.count)
            guard count > 0 else { return nil }
            rest += bytes[..<count]
        }
    }

    /// Gives it input.
    func write(_ text: String) throws {
        try input.write(contentsOf: Data(text.utf8))
    }

    /// Sends it a signal.
    func send(_ signal: Int32) {
        kill(number, signal)
    }

    /// Waits for the end.
    func end() throws -> ChildProcess.End {
        try process.waitAWhile()
    }

    /// Waits until proc(5) gives a process this state, such as "T" for one that is stopped.
    static func wait(for state: String, of process: pid_t) throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            if text.split(separator: ")").last?.split(separator: " ").first.map(String.init) == state { return }
            guard ContinuousClock.now < deadline else { throw Unexpected("\(text) and not \(state)") }
            usleep(1000)
        }
    }
}
