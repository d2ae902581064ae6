// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Shell {
    /// A line of shell that runs beside the test. Killed with its user.
    final class Background {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()

        init(_ line: String) throws {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "exec \(line)"]
            process.standardInput = input
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
        }

        deinit {
            if process.isRunning { kill(SIGKILL) }
        }

        /// Waits for the end and gives the exit status, or the signal's number.
        @discardableResult
        func wait() -> Int32 {
            process.waitUntilExit()
            return process.terminationStatus
        }

        /// Waits for the end and gives what was printed, from the line on that was not read yet.
        func waitForOutput() -> String {
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self)
        }

        /// Waits for the next line that is printed; nil when there is none any more.
        func nextLine() -> String? {
            var line = Data()
            while let byte = try? output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
                if byte == Data("\n".utf8) { return String(decoding: line, as: UTF8.self) }
                line += byte
            }
            return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
        }

        /// Ends its standard input, for which it may be waiting.
        func endInput() {
            try? input.fileHandleForWriting.close()
        }

        /// The process that the line's first word became.
        var processID: pid_t { process.processIdentifier }

        /// Sends it a signal.
        func kill(_ signal: Int32) {
            Foundation.kill(processID, signal)
        }
    }
}
