// SPDX-License-Identifier: Apache-2.0

/// A figure of a profile and a range of values for it, from mild to harsh: "loss=0..50%", "uplink.delay=0..2s".
package struct FigureRange: Hashable, Sendable {
    package enum Figure: String, CaseIterable, Sendable {
        case rate, delay, jitter, loss, duplicate, corrupt

        fileprivate func text(_ amount: UInt64) -> String {
            switch self {
            // `text` formats zero as "0 ms".
            case .delay, .jitter: Duration.nanoseconds(Int64(amount)).text
            case .rate, .loss, .duplicate, .corrupt: quantity.format(amount)
            }
        }

        var quantity: Quantity {
            switch self {
            case .rate: BitRate.quantity
            case .delay, .jitter: Duration.quantity
            case .loss, .duplicate, .corrupt: Probability.quantity
            }
        }
    }

    package let figure: Figure
    /// The parts of the profile in which the figure is varied: "downlink", "uplink" or "dns".
    package let parts: [String]
    /// The mildest and the harshest value, in the figure's smallest unit.
    private let mild: UInt64
    private let harsh: UInt64

    /// Parses a range. The ends may be in either order: the figure decides which end is the harsh one.
    package init(parsing text: String) throws(UnreadableRange) {
        let sides = text.split(separator: "=", maxSplits: 1).map { String($0).trimmingSpaces() }
        guard sides.count == 2 else {
            throw UnreadableRange("\"\(text.shortened)\" is not FIGURE=FROM..TO, such as \"loss=0..50%\"")
        }
        let path = sides[0].split(separator: ".").map(String.init)
        let names = ["downlink", "uplink", "dns"]
        guard path.count == 1 || path.count == 2 && names.contains(path[0]), let last = path.last,
            let figure = Figure(rawValue: last), path.first != "dns" || figure == .delay
        else {
            let known = Figure.allCases.map(\.rawValue)
            let valid =
                known + ["downlink", "uplink"].flatMap { part in known.map { "\(part).\($0)" } } + ["dns.delay"]
            let hint = Spelling.meant(by: sides[0], among: valid).map { "; did you mean \"\($0)\"?" } ?? ""
            let list = known.joined(separator: ", ")
            throw UnreadableRange(
                "\"\(sides[0].shortened)\" cannot be varied; expected one of \(list), or one link's such as "
                    + "\"uplink.loss\", or \"dns.delay\"\(hint)"
            )
        }
        self.figure = figure
        parts = path.count == 2 ? [path[0]] : ["downlink", "uplink"]
        let ends = try Self.ends(sides[1], figure)
        let (minimum, maximum) = (min(ends.0, ends.1), max(ends.0, ends.1))
        guard minimum != maximum else { throw UnreadableRange("\"\(text.shortened)\": both values are the same") }
        guard figure != .rate || minimum > 0 else {
            throw UnreadableRange("\"\(text.shortened)\": a rate of 0 lets nothing through")
        }
        (mild, harsh) = figure == .rate ? (maximum, minimum) : (minimum, maximum)
    }

    /// Parses "0..50%". If the first number has no unit, the second number's unit applies.
    private static func ends(_ text: String, _ figure: Figure) throws(UnreadableRange) -> (UInt64, UInt64) {
        guard let dots = text.firstRange(of: "..") else {
            throw UnreadableRange("\"\(text.shortened)\" is not FROM..TO, such as \"0..50%\"")
        }
        var first = String(text[..<dots.lowerBound]).trimmingSpaces()
        let second = String(text[dots.upperBound...]).trimmingSpaces()
        if !first.isEmpty, first.allSatisfy({ $0.isASCIIDigit || $0 == "." }) {
            first += second.drop { $0.isASCIIDigit || $0 == "." }
        }
        var amounts: [UInt64] = []
        for side in [first, second] {
            switch figure.quantity.parse(side) {
            case .success(let amount): amounts.append(amount)
            case .failure(let error):
                let hint = suggestion(first, second, figure).map { "; did you mean \"\($0)\"?" } ?? ""
                let problem = "\(figure.rawValue): \"\(side.shortened)\" \(error.reason)"
                throw UnreadableRange("\(problem); expected \(error.expected)\(hint)")
            }
        }
        return (amounts[0], amounts[1])
    }

    /// The range with the units that were meant, the smaller number first; nil if these are not known.
    private static func suggestion(_ first: String, _ second: String, _ figure: Figure) -> String? {
        var sides: [(number: Substring, unit: Substring, amount: UInt64)] = []
        for side in [first, second] {
            var text = side
            if case .failure(let error) = figure.quantity.parse(side) {
                guard let suggestion = error.suggestion else { return nil }
                text = suggestion
            }
            guard case .success(let amount) = figure.quantity.parse(text) else { return nil }
            let number = text.prefix { $0.isASCIIDigit || $0 == "." }
            sides.append((number, text[number.endIndex...].drop { $0 == " " }, amount))
        }
        sides.sort { $0.amount < $1.amount }
        let unit = sides[0].unit == sides[1].unit ? "" : sides[0].unit
        return "\(figure.rawValue)=\(sides[0].number)\(unit)..\(sides[1].number)\(sides[1].unit)"
    }

    /// The value at the fraction `share` (0 to 1) of the range from mild to harsh, in the format of profiles: linear,
    /// but logarithmic for a rate.
    package func value(at share: Double) -> String {
        figure.text(amount(at: min(max(share, 0), 1)))
    }

    private func amount(at share: Double) -> UInt64 {
        if share == 0 { return mild }
        if share == 1 { return harsh }
        let (from, to) = (Double(mild), Double(harsh))
        return Self.rounded(figure == .rate ? from * (to / from).power(share) : from + (to - from) * share)
    }

    /// Rounds to three significant digits.
    private static func rounded(_ amount: Double) -> UInt64 {
        var scale = 1.0
        while amount / scale >= 1000 { scale *= 10 }
        return UInt64((amount / scale).rounded() * scale)
    }
}

extension FigureRange: CustomStringConvertible {
    /// The figure, preceded by the part if it is varied in one only: "loss", "uplink.loss".
    package var description: String { parts.count == 1 ? "\(parts[0]).\(figure.rawValue)" : figure.rawValue }
}

/// The reason why a text is not a range of a figure.
package struct UnreadableRange: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
