// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A figure in a text of another format, with its location for messages.
struct Field {
    let text: String
    let location: String

    init(_ text: some StringProtocol, at location: String) { (self.text, self.location) = (String(text), location) }

    /// Makes a figure from a number or a string; throws for any other value.
    init(_ node: Node) throws(ImportError) {
        switch node.json.value {
        case .number(let text), .string(let text): self.init(text, at: node.location)
        default: throw .invalid(location: node.location, reason: "found \(node.json.kind); expected a number")
        }
    }

    /// Parses the figure: its value by the factors in `units`, where "" is the unit of a bare number. Throws if it is
    /// negative or exceeds `maximum`, which `limit` names.
    private func amount(
        _ units: KeyValuePairs<String, Double>,
        atMost maximum: Double,
        _ limit: String
    ) throws(ImportError) -> (value: Double, isZero: Bool) {
        let trimmed = text.trimmingSpace()
        let digits = trimmed.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        var (number, rest) = (Double(digits), trimmed.dropFirst(digits.count))
        // A JSON number with an exponent.
        if rest.first == "e" || rest.first == "E", let exact = Double(trimmed) { (number, rest) = (exact, "") }
        guard let number else { throw failure("is not a number") }
        let unit = rest.trimmingSpace()
        guard let factor = units.first(where: { $0.key.lowercased() == unit.lowercased() })?.value else {
            let known = units.map(\.key).filter { !$0.isEmpty }.joined(separator: ", ")
            let shown = JSON.quoted(String(unit.prefix(20)))
            throw failure("has the unit \(shown)" + (known.isEmpty ? "" : "; expected one of \(known)"))
        }
        guard number >= 0 else { throw failure("is below 0") }
        guard number * factor <= maximum else { throw failure("is more than \(limit)") }
        return (number * factor, number == 0)
    }

    /// Makes the error about a mistake in the figure.
    func failure(_ reason: String) -> ImportError {
        .invalid(
            location: location,
            reason: "\(JSON.quoted(text.count > 40 ? "\(text.prefix(40))..." : text)) \(reason)"
        )
    }

    /// Parses a rate; nil for 0, which means no limit in the other tools. `units` are in bit/s.
    func rate(_ units: KeyValuePairs<String, Double>) throws(ImportError) -> BitRate? {
        let (bits, isZero) = try amount(units, atMost: 1e13, "10 Tbit/s")
        guard isZero || bits.rounded() > 0 else { throw failure("is less than 1 bit/s") }
        return isZero ? nil : BitRate(bitsPerSecond: UInt64(bits.rounded()))
    }

    /// Parses a time; nil for 0. `units` are in seconds.
    func time(_ units: KeyValuePairs<String, Double> = Self.milliseconds) throws(ImportError) -> Duration? {
        let (seconds, isZero) = try amount(units, atMost: 3600, "1 h")
        let nanoseconds = (seconds * 1e9).rounded()
        guard isZero || nanoseconds > 0 else { throw failure("is less than 1 ns") }
        return isZero ? nil : .nanoseconds(Int64(nanoseconds))
    }

    /// Parses a round trip in milliseconds, and returns half of it; nil for 0.
    func halfOfRoundTrip() throws(ImportError) -> Duration? {
        try time().flatMap { $0.nanoseconds > 1 ? .nanoseconds($0.nanoseconds / 2) : nil }
    }

    /// Parses a share, by default in percent; nil for 0.
    func share(_ units: KeyValuePairs<String, Double> = ["": 0.01, "%": 0.01]) throws(ImportError) -> Probability? {
        let (value, isZero) = try amount(units, atMost: 1, "100 %")
        let share = Probability(fraction: value)
        guard isZero || share > .zero else { throw failure("is less than 10^-10 %") }
        return isZero ? nil : share
    }

    /// Parses a whole number; `what` is its unit for messages.
    func count(
        atMost maximum: Int,
        of what: String,
        _ units: KeyValuePairs<String, Double> = ["": 1]
    ) throws(ImportError) -> Int {
        let (count, _) = try amount(units, atMost: Double(maximum), "\(maximum) \(what)")
        guard count == count.rounded() else { throw failure("is not a whole number") }
        return Int(count)
    }

    /// Parses a number of bytes; nil for 0. `units` are in bytes.
    func size(_ units: KeyValuePairs<String, Double>) throws(ImportError) -> UInt64? {
        let (bytes, _) = try amount(units, atMost: 1e12, "1 TB")
        return bytes.rounded() > 0 ? UInt64(bytes.rounded()) : nil
    }

    /// The units of times in milliseconds, with or without the unit.
    static let milliseconds: KeyValuePairs<String, Double> = ["": 1e-3, "ms": 1e-3]
}

extension Node {
    /// The value's location: "3:12: $.down.rate".
    var location: String { "\(json.position.line):\(json.position.column): \(path)" }

    /// The member `name` as a figure; nil if it is absent or null.
    func field(_ name: String) throws(ImportError) -> Field? {
        guard let member = self[name] else { return nil }
        if case .null = member.json.value { return nil }
        return try Field(member)
    }

    /// The members of an object; throws for any other value.
    func object(_ what: String) throws(ImportError) -> [(name: String, node: Node)] {
        guard case .object = json.value else {
            throw .invalid(location: location, reason: "found \(json.kind); expected \(what)")
        }
        return members
    }
}

extension StringProtocol {
    /// The text without spaces, tabs and carriage returns at its ends.
    func trimmingSpace() -> String {
        let isSpace = { (character: Character) in character == " " || character == "\t" || character == "\r" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
