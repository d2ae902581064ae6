// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A lane with what was asked of it and what was measured, as the text of a JSON object.
///
/// The text is made ten times a second; what was asked, and the minute, change less often, and stay as text.
struct LaneRecord {
    let lane: Lane
    let device: String
    private var asked: AskedFigures? { didSet { start = nil } }
    private var history = LaneHistory()
    /// The time of `BootClock` since which these figures are asked.
    private var askedSince: Duration
    /// The text up to what was asked; nil if that has changed.
    private var start: String?
    /// The minute as text, made once for each second.
    private var minute = (text: "", count: -1)

    init(_ lane: Lane, device: String, asked: AskedFigures?, at now: Duration) {
        (self.lane, self.device, self.asked, askedSince) = (lane, device, asked, now)
    }

    /// Other figures are asked: what was measured before is no longer judged.
    mutating func ask(_ asked: AskedFigures?, at now: Duration) {
        guard asked != self.asked else { return }
        (self.asked, askedSince) = (asked, now)
    }

    /// Adds a sample; nil if the counters cannot be read.
    mutating func add(_ sample: LaneSample?, at now: Duration) {
        guard let sample else { return history.interrupt() }
        history.add(sample)
    }

    /// Appends the lane as `GET /v1/live` lists it.
    mutating func write(to text: inout String) {
        if minute.count != history.seconds { minute = (Self.minute(history.minute).line, history.seconds) }
        let start = start ?? startText
        self.start = start
        text += start
        if let window = history.window(last: .seconds(1)) { text += ", \"now\": \(Self.now(window).line)" }
        if let asked {
            text += ", \"verdict\": \(LaneVerdict(asked, history, since: askedSince).json.line)"
        }
        text += ", \"minute\": \(minute.text) }"
    }

    /// The members that stay as long as the same figures are asked, without the brace at the end.
    private var startText: String {
        let members = JSON(("lane", .text(lane.name)), ("device", .text(device)), ("asked", asked?.json))
        return String(members.line.dropLast(2))
    }

    private static func now(_ window: LaneWindow) -> JSON {
        JSON(
            ("rate", .number(Int(window.rate))),
            ("delay", .number(window.delay.map { milliseconds($0.mean) })),
            ("loss", .number(window.loss.map(rounded))),
            ("held", .number(window.held)),
            ("heldBytes", .number(window.heldBytes)),
            ("packets", .number(window.packets)),
            ("own", .number(window.ownDrops))
        )
    }

    /// The figures of the last 60 seconds, newest last; null for one that was not measured.
    private static func minute(_ windows: [LaneWindow?]) -> JSON {
        func values(_ figure: (LaneWindow) -> JSON?) -> JSON {
            let missing = Array(repeating: JSON(.null), count: LaneHistory.length - windows.count)
            return .list(missing + windows.map { $0.flatMap(figure) ?? JSON(.null) })
        }
        return JSON(
            ("rate", values { .number(Int($0.rate)) }),
            ("delay", values { .number($0.delay.map { milliseconds($0.mean) }) }),
            ("loss", values { .number($0.loss.map(rounded)) }),
            ("held", values { .number($0.held) })
        )
    }

    /// Hundredths of a millisecond.
    private static func milliseconds(_ time: Duration) -> Double { ((time / .microseconds(10)).rounded()) / 100 }

    private static func rounded(_ share: Double) -> Double { (share * 10_000).rounded() / 10_000 }
}

extension [LaneRecord] {
    /// The text of a JSON array of the lanes.
    mutating func text() -> String {
        var text = "["
        for index in indices {
            if index > 0 { text += ", " }
            self[index].write(to: &text)
        }
        return text + "]"
    }
}
