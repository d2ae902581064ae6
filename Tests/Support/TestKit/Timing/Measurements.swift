// SPDX-License-Identifier: Apache-2.0

/// Measurements of one figure that a busy machine makes too large, and never too small.
///
/// The first one that is right decides: no machine makes a slow link fast. One that is wrong counts if the yardstick beside it
/// was still, and three of these fail the test. Else the measurement is taken again, and in the end the test is
/// inconclusive.
package struct Measurements {
    private static let maximum = 6
    private static let enough = 3
    /// The program's own words for a verdict that is in doubt: it sees all waits of a command, the yardstick only its own.
    private static let doubt = "for a processor"
    /// Milliseconds.
    private let stillness: Double
    private var counted: [String] = []
    private var disturbed: [String] = []

    /// `stillness`: the most that the yardstick may show, in milliseconds, for a wrong figure to count.
    package init(stillness: Double = 2) {
        self.stillness = stillness
    }

    /// Whether a measurement settles it: `fault` is nil if the figure is right, and `yardstick` what that showed meanwhile.
    package mutating func isSettled(fault: String?, yardstick: Double) throws -> Bool {
        guard let fault else { return true }
        let words = "\(fault) (yardstick: \(yardstick) ms)"
        if yardstick <= stillness, !fault.contains(Self.doubt) {
            counted.append(words)
        } else {
            disturbed.append(words)
        }
        if counted.count == Self.enough { throw TestFailure("measured \(Self.enough) times: \(counted)") }
        guard counted.count + disturbed.count == Self.maximum else { return false }
        let share = "\(disturbed.count) of \(Self.maximum) measurements"
        try endInconclusively("the machine was busy in \(share): \(disturbed + counted)")
    }

    /// Measures until it is settled. `measure` returns what is wrong with the figure; nil if it is right.
    package static func settle(stillness: Double = 2, _ measure: () throws -> String?) throws {
        var series = Measurements(stillness: stillness)
        while true {
            let yardstick = Yardstick()
            let fault = try measure()
            if try series.isSettled(fault: fault, yardstick: yardstick.stop()) { return }
        }
    }

    /// What is wrong with a figure: nil if it is in `range`. One that is too small is wrong whatever the machine, and ends the
    /// test.
    package static func fault(_ name: String, _ figure: Double, in range: ClosedRange<Double>) throws -> String? {
        guard figure >= range.lowerBound else { throw TestFailure("\(name): \(figure), \(range) wanted") }
        return figure <= range.upperBound ? nil : "\(name): \(figure), \(range) wanted"
    }
}
