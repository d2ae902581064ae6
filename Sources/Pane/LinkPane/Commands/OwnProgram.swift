// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinuxSystem

/// Runs linkcond's own program, so that the page changes nothing that the command line could not, and by the same
/// guards.
///
/// A command ends with this process, even if that is killed. The guardian of a rule that it applies stays.
package final class OwnProgram: Sendable {
    /// The file of the program, opened once: an upgrade may replace the file while the page is served.
    private let executable: CInt

    /// The time limit of a command. Lanes drain for ten seconds at most, and a lock may be waited for.
    package static let limit = Duration.seconds(40)
    /// The maximum size of each of a command's outputs that is kept, in bytes.
    static let maximumOutput = 1 << 16

    /// - Parameter path: the program's file.
    package init(_ path: String = "/proc/self/exe") throws(SystemError) {
        executable = try checked(open(path, O_RDONLY | O_CLOEXEC), "open \(path)")
    }

    deinit { close(executable) }

    /// Runs the program with these arguments, and waits for its end. Several threads may do so at the same time.
    ///
    /// - Throws: the kernel's reason if no process can be started.
    package func run(
        _ arguments: [String],
        limit: Duration = OwnProgram.limit
    ) throws(SystemError) -> CommandOutcome {
        let (output, errors) = (try Descriptors.pipe(), try Descriptors.pipe())
        defer { for descriptor in [output.read, errors.read] { close(descriptor) } }
        let process: Int32
        do {
            defer { for descriptor in [output.write, errors.write] { close(descriptor) } }
            process = try start(arguments, output.write, errors.write)
        }
        let watched = lc_open_process(process)
        defer { if watched >= 0 { close(watched) } }
        var readers = [BoundedReader(output.read), BoundedReader(errors.read)]
        let isLate = !Self.read(&readers, until: watched, limit)
        if isLate { kill(process, SIGKILL) }
        let status = ChildStatus.wait(for: process)
        return CommandOutcome(
            arguments,
            isLate ? .late(limit) : CommandOutcome.End(status),
            output: readers[0].text,
            errors: readers[1].text
        )
    }

    private func start(_ arguments: [String], _ output: CInt, _ errors: CInt) throws(SystemError) -> Int32 {
        var words: [UnsafeMutablePointer<CChar>?] = (["linkcond"] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        return try checked(lc_start_program(executable, words, output, errors), "start linkcond")
    }

    /// Reads until the process has ended; false if the time is over before.
    private static func read(_ readers: inout [BoundedReader], until process: CInt, _ limit: Duration) -> Bool {
        let deadline = BootClock.now + limit
        while true {
            let rest = deadline - BootClock.now
            guard rest > .zero else { return false }
            // Without a descriptor of the process, the end of its outputs stands for its own.
            let open = readers.filter { !$0.isAtEnd }.map(\.descriptor) + (process >= 0 ? [process] : [])
            guard !open.isEmpty, Wait.untilReadable(open, limit: rest) else { return open.isEmpty }
            let hasEnded = process >= 0 && Wait.isReadable(process)
            for index in readers.indices { readers[index].readPending() }
            if hasEnded { return true }
        }
    }
}

/// Reads a pipe, and keeps the first bytes.
private struct BoundedReader {
    let descriptor: CInt
    private var bytes: [UInt8] = []
    private(set) var isAtEnd = false

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Reads what is there now, without waiting.
    mutating func readPending() {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while !isAtEnd, Wait.isReadable(descriptor) {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return isAtEnd = true }
            // The rest is read and discarded, so that the program does not wait.
            bytes += buffer[..<min(count, OwnProgram.maximumOutput - bytes.count)]
        }
    }
}
