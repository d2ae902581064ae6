// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import Reachability

/// Prints events, and with them the live table. What a slow reader leaves no room for is dropped, and counted.
struct EventPrinter {
    /// The style of the output while the monitor runs.
    enum Style: Equatable {
        case lines
        case json(samples: Bool)
        /// A table that is redrawn below the lines.
        case live
    }

    /// The length in bytes that few lines exceed.
    private static let usualLength = 4096

    let output: OutputQueue
    private let style: Style
    /// Whether only the verdicts at the end are printed as text.
    private let isQuiet: Bool
    /// Seconds since 1970 at zero of the events' clock: other ones after the time of day was set, or a suspend.
    private let epoch: () -> Double
    private var table = LiveLines(on: STDOUT_FILENO)
    /// Events that were dropped since the last one that was printed.
    private var dropped = 0

    init(_ output: OutputQueue, _ style: Style, isQuiet: Bool, epoch: @escaping () -> Double) {
        (self.output, self.style, self.isQuiet, self.epoch) = (output, style, isQuiet, epoch)
    }

    /// Prints events.
    ///
    /// - Parameter lost: how many others were lost before them.
    mutating func print(_ events: [Event], lost: Int) {
        dropped += lost
        for event in events where isPrinted(event) {
            // Before the line is made, which takes longer than anything else here.
            guard reportDropped(), output.hasRoom(for: Self.usualLength) else {
                dropped += 1
                continue
            }
            if let line = bytes(of: event) { output.send(table.erase() + line) }
        }
        _ = reportDropped()
    }

    /// Whether events of this kind are printed; some have no words nevertheless.
    private func isPrinted(_ event: Event) -> Bool {
        let isSample = if case .sample = event.kind { true } else { false }
        if case .json(let samples) = style { return samples || !isSample }
        // Consequences are part of their cause's line.
        return !isSample && !event.isConsequence && !isQuiet
    }

    /// Draws the table anew, unless the terminal has not shown the last one.
    mutating func draw(_ rows: [TargetStatistics]) {
        guard style == .live, output.isIdle else { return }
        // A line for each would take too long if there are thousands.
        let shown = Array(rows.prefix(table.room))
        output.send(table.draw(TargetTable.current(shown, hasCurve: true), more: rows.count - shown.count))
    }

    mutating func finish(_ lines: [OutputLine]) {
        output.send(table.erase())
        if dropped > 0 { output.send(noteOfDropped()) }
        dropped = 0
        output.send(lines.flatMap(Console.bytes))
    }

    /// Tells how many events were dropped; false if there is no room for that yet.
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
        return Console.bytes(of: "\(dropped) events were dropped: the output was not read")
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
