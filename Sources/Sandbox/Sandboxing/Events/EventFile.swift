// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
import Glibc
internal import Synchronization

/// The file to which the processes that watch a run append its events, a line of JSON each.
///
/// Its size is bounded, since every process inside may cause events. After a line that could not be written, the next
/// line says that lines are missing, so that the record is not taken as complete.
package final class EventFile: Sendable {
    /// The reason why lines are missing.
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        case full
        /// The event could not be written, with this errno.
        case refused(CInt)

        package var description: String {
            switch self {
            case .full:
                "the record of the run's events has taken \(EventFile.maximum >> 20) MiB, and ends there"
            case .refused(let code):
                "cannot write the record of the run's events: \(String(cString: strerror(code)))"
            }
        }
    }

    /// The most bytes of a record.
    package static let maximum = 64 << 20

    /// The open file, for reading too.
    package let descriptor: CInt
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var problem: Problem?
        /// Whether the line that says that lines are missing has still to be written.
        var owesNotice = false
    }

    /// Appends to an open file, whose offset may be shared with other processes.
    package init(_ descriptor: CInt, limit: Int = maximum) {
        (self.descriptor, self.limit) = (descriptor, limit)
    }

    /// Appends an event, with one write(2).
    package func append(_ event: RunEvent.Kind, at time: Instant = .now) { append(RunEvent(time, event).line) }

    /// Appends a line that ends with a line feed, with one write(2).
    package func append(_ line: [UInt8]) {
        state.withLock { state in
            if state.owesNotice {
                guard write(Self.notice) == nil else { return }
                state.owesNotice = false
            }
            guard state.problem != .full else { return }
            let problem = hasRoom(for: line) ? write(line).map { Problem.refused($0) } : .full
            guard let problem else { return }
            state.problem = state.problem == nil || problem == .full ? problem : state.problem
            state.owesNotice = write(Self.notice) != nil
        }
    }

    /// The reason why lines are missing; nil if none is.
    package var problem: Problem? { state.withLock { $0.problem } }

    /// The line that says that lines are missing. It begins with a line feed, since the line before it may be cut.
    private static var notice: [UInt8] {
        [UInt8(ascii: "\n")] + RunEvent(.now, .cut).line
    }

    /// Whether the file has room for a line. Reads the file's size each time, since other processes append, too.
    private func hasRoom(for line: [UInt8]) -> Bool {
        var facts = stat()
        return fstat(descriptor, &facts) != 0 || Int(facts.st_size) + line.count <= limit
    }

    /// Writes a line; returns the error number if not all bytes could be written. On a full disk, a part may be
    /// written.
    private func write(_ line: [UInt8]) -> CInt? {
        while true {
            let count = Glibc.write(descriptor, line, line.count)
            if count == line.count { return nil }
            if count < 0, errno == EINTR { continue }
            return count < 0 ? errno : ENOSPC
        }
    }
}
