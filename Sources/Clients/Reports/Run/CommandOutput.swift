// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The destinations of a command's standard output and standard error, and what could be read back from them.
package struct CommandOutput: Hashable, Sendable {
    /// Standard output or standard error.
    package enum Stream: String, Hashable, Sendable {
        case output = "standard output"
        case error = "standard error"
    }

    /// The kind of file that the output went to.
    package enum Destination: String, Hashable, Sendable {
        case file
        case terminal
        case pipe
        case socket
        case device
        /// The stream was closed, or went to /dev/null.
        case nowhere
    }

    /// A destination, and the streams that went to it.
    package struct Part: Hashable, Sendable {
        package var streams: [Stream]
        package var destination: Destination
        /// The file's path, relative to the report if the file is in the report's directory; nil if the destination is
        /// not a file.
        package var path: String?
        /// The bytes written to the file during the run; nil if the file cannot be read.
        package var tail: FileTail?

        package init(_ stream: Stream, _ destination: Destination, path: String? = nil, tail: FileTail? = nil) {
            (streams, self.destination, self.path, self.tail) = ([stream], destination, path, tail)
        }
    }

    package var parts: [Part]

    /// Describes the output; streams that went to the same destination become one part.
    package init(_ parts: [Part]) {
        self.parts = parts.reduce(into: []) { merged, part in
            let same = merged.firstIndex { $0.destination == part.destination && $0.path == part.path }
            if let same { merged[same].streams += part.streams } else { merged.append(part) }
        }
    }
}

/// The end of a file to which lines were appended.
package struct FileTail: Hashable, Sendable {
    /// The maximum number of bytes of a file that are read.
    package static let size = 16 << 10
    private static let longestLine = 1000

    /// The number of bytes that were appended.
    package var bytes: Int
    /// The last lines.
    package var lines: [String]
    /// Whether lines before `lines` are left out.
    package var isCut: Bool

    /// Splits the end of a file into lines.
    ///
    /// - Parameters:
    ///   - end: the last bytes that were appended.
    ///   - bytes: the number of bytes that were appended in all.
    ///   - limit: the maximum number of lines that are kept.
    package init(_ end: ArraySlice<UInt8>, of bytes: Int, limit: Int = 100) {
        self.bytes = bytes
        var lines = end.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        if lines.last?.isEmpty == true { lines.removeLast() }
        // The first line may be cut.
        if end.count < bytes, lines.count > 1 { lines.removeFirst() }
        isCut = end.count < bytes || lines.count > limit
        self.lines = lines.suffix(limit).map { Self.shown($0).shortened(to: Self.longestLine) }
    }

    /// A line as a terminal finally shows it: text after a carriage return overwrites the text before it.
    private static func shown(_ line: ArraySlice<UInt8>) -> String {
        let carriageReturn = UInt8(ascii: "\r")
        let line = line.last == carriageReturn ? line.dropLast() : line
        return String(decoding: line.split(separator: carriageReturn).last ?? [], as: UTF8.self)
    }
}

extension CommandOutput {
    /// The output in the format of report.json.
    var json: JSON {
        .list(
            parts.map { part in
                JSON(
                    ("streams", .list(part.streams.map(\.rawValue))),
                    ("destination", .text(part.destination.rawValue)),
                    ("path", .text(part.path)),
                    ("bytes", .number(part.tail?.bytes)),
                    ("lastLines", part.tail.map { .list($0.lines) })
                )
            }
        )
    }

    /// The last `count` lines of all files together, for summaries.
    func lastLines(_ count: Int) -> [String] { Array(parts.flatMap { $0.tail?.lines ?? [] }.suffix(count)) }
}

extension CommandOutput.Part {
    /// "The command's standard output and standard error".
    private var subject: String { "The command's \(streams.map(\.rawValue).joined(separator: " and "))" }

    /// The destination, in words.
    var sentence: String {
        switch destination {
        case .file:
            guard let tail else { return "\(subject) went to a file that linkcond cannot read" }
            guard tail.bytes > 0 else { return "\(subject) went to a file, to which nothing was written" }
            let size = "\(Double(tail.bytes).prefixed)B"
            let lines = tail.isCut ? "the last \(tail.lines.count.of("line")) of \(size)" : size
            return "\(subject) went to a file: \(lines)"
        case .terminal, .pipe, .socket, .device:
            return "\(subject) went to a \(destination.rawValue); only what goes to a file is shown here"
        case .nowhere: return "\(subject) went nowhere"
        }
    }
}
