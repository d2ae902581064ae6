// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import Reachability

/// Prints events and the live table. If the reader is too slow, events are dropped and counted.
struct EventPrinter {
    /// The style of the output while the monitor runs.
    enum Style: Equatable {
        case lines
        case json(samples: Bool)
        /// Lines, and below them a table that is redrawn.
        case live
    }

    /// A length in bytes that few lines exceed.
    private static let usualLength = 4096

    let output: OutputQueue
    private let style: Style
    /// Whether text output contains only the verdicts at the end.
    private let isQuiet: Bool
    /// The time of day, in seconds since 1970, at zero of the events' clock; it changes when the time is set, and by a
    /// suspend.
    private let epoch: () -> Double
    private var table = LiveLines(on: STDOUT_FILENO)
    /// The number of events dropped since the last printed one.
    private var dropped = 0

    init(_ output: OutputQueue, _ style: Style, isQuiet: Bool, epoch: @escaping () -> Double) {
        (self.output, self.style, self.isQuiet, self.epoch) = (output, style, isQuiet, epoch)
    }

    /// Prints events.
    ///
    /// - Parameter lost: the number of events that were lost before these.
    mutating func print(_ events: [Event], lost: Int) {
        dropped += lost
        for event in events where isPrinted(event) {
            // Checked before formatting the line, which is the most expensive part.
            guard reportDropped(), output.hasRoom(for: Self.usualLength) else {
                dropped += 1
                continue
            }
            if let line = bytes(of: event) { output.send(table.erase() + line) }
        }
        _ = reportDropped()
    }

    /// Whether events of this kind are printed; some still have no text.
    private func isPrinted(_ event: Event) -> Bool {
        let isSample = if case .sample = event.kind { true } else { false }
        if case .json(let samples) = style { return samples || !isSample }
        // The line of a cause includes its consequences.
        return !isSample && !event.isConsequence && !isQuiet
    }

    /// Redraws the table, unless the terminal has not yet read the last output.
    mutating func draw(_ rows: [TargetStatistics]) {
        guard style == .live, output.isIdle else { return }
        // Formats only the rows that fit, since there may be thousands.
        let shown = Array(rows.prefix(table.room))
        output.send(table.draw(TargetTable.current(shown, hasCurve: true), more: rows.count - shown.count))
    }

    mutating func finish(_ lines: [OutputLine]) {
        output.send(table.erase())
        if dropped > 0 { output.send(noteOfDropped()) }
        dropped = 0
        output.send(lines.flatMap(Console.bytes))
    }

    /// Prints how many events were dropped, if any; false if there is no room for the line yet.
    private mutating func reportDropped() -> Bool {
        guard dropped > 0 else { return true }
        let note = noteOfDropped()
        guard output.hasRoom(for: note.count) else { return false }
        output.send(table.erase() + note)
        dropped = 0
        return true
    }

    private func noteOfDropped() -> [UInt8] {
        if case .json = style {
            return Console.bytes(of: OutputLine(JSON(("event", "dropped"), ("count", .number(dropped))).line))
        }
        return Console.bytes(of: OutputLine("\(counted(dropped, "event")) dropped: the output was not read"))
    }

    private func bytes(of event: Event) -> [UInt8]? {
        let time = epoch() + event.time / .seconds(1)
        if case .json = style {
            return Console.bytes(of: OutputLine(event.json(time: time).line))
        }
        return event.words.map { Console.bytes(of: "\(Self.clock(time)) \($0)") }
    }

    private static func clock(_ seconds: Double) -> String {
        let fraction = Int((seconds - seconds.rounded(.down)) * 10)
        return "\(LocalTime.text(Int(seconds), "%H:%M:%S")).\(fraction)"
    }
}
