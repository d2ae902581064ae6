// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The progress of a scenario: the next step, and the condition that starts it.
struct ScenarioProgress {
    typealias Step = (label: String, trigger: Trigger)

    private let steps: [Step]
    private let passes: Int
    /// The index of the next step; the number of steps after the last one.
    private(set) var next = 0
    /// The number of the present pass through all steps, from 1.
    private(set) var pass = 1

    init(_ steps: [Step], repeat passes: Int) { (self.steps, self.passes) = (steps, passes) }

    /// The condition that starts the next step; nil if there is none.
    var trigger: Trigger? { missed.first?.trigger }

    /// The label of the step in effect; nil before the first.
    var current: String? {
        if next > 0 { return steps[next - 1].label }
        return pass > 1 ? steps.last?.label : nil
    }

    /// The label of the next step; nil if there is none.
    var upcoming: String? { missed.first?.label }

    /// Marks the next step as begun; after the last step, goes on to the next pass.
    mutating func advance() {
        next += 1
        guard next == steps.count, pass < passes else { return }
        (next, pass) = (0, pass + 1)
    }

    /// The steps of the present pass that have not begun.
    var missed: ArraySlice<Step> { steps.dropFirst(next) }

    /// The time since the step before, and the bytes and connections in that time.
    struct Arrivals {
        /// The time.
        var time = Duration.zero
        /// The bytes that the link has carried.
        var bytes = ByteCount(bytes: 0)
        /// The connections that were begun.
        var connections: UInt64 = 0
    }

    /// Whether the condition of the next step is met; false for a mark, which a client reports.
    func isMet(by arrivals: Arrivals) -> Bool {
        switch trigger {
        case .time(let time): arrivals.time >= time
        case .bytes(let count): arrivals.bytes >= count
        case .connections(let count): arrivals.connections >= UInt64(count)
        case .mark, nil: false
        }
    }

    /// A note for the user about the steps that never began; nil if all did.
    func note(_ arrivals: Arrivals) -> String? {
        guard let trigger, let first = missed.first else { return nil }
        let came =
            switch trigger {
            case .time: "\(arrivals.time.words) passed"
            case .bytes: "\(arrivals.bytes) came"
            case .connections: "\(arrivals.connections) came"
            case .mark: "which did not come"
            }
        let run = passes > 1 ? " in run \(pass) of \(passes)" : ""
        var text = "step '\(first.label)' never began\(run): it waited for \(trigger), \(came)"
        let others = missed.dropFirst().map { "'\($0.label)'" }
        if let last = others.last {
            let list =
                others.count > 4 ? "the \(others.count) steps" : (others.dropLast() + [last]).joined(separator: ", ")
            text += "; nor did \(list) after it"
        }
        return text
    }
}
