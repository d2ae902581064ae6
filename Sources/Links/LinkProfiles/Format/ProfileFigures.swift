// SPDX-License-Identifier: Apache-2.0

/// The figures of a profile as columns of a list, with three digits: downlink and uplink as "50/10 Mbit/s" where they
/// differ. "-" stands for what the profile does not change.
///
/// The heading of the rates says which is which; that of the loss does not, so a loss in one direction names it.
package struct ProfileFigures: Hashable, Sendable {
    package let rate: String
    /// The one-way delay, with the jitter: "250 ± 50 ms".
    package let delay: String
    /// The mean loss.
    package let loss: String
    /// Everything else that changes packets, in a few words: "dns + 200 ms", "queue 1 s".
    package let others: [String]

    /// Whether rate, delay and loss are unchanged.
    package var isEmpty: Bool { [rate, delay, loss] == ["-", "-", "-"] }

    package init(_ profile: Profile) {
        let (down, up) = (profile.downlink ?? Impairments(), profile.uplink ?? Impairments())
        let links = [down, up]
        rate = Pair(down.rate.map(\.number), up.rate.map(\.number)).text(Self.rates) ?? "-"
        let pair = Pair(down.delay.map(\.number), up.delay.map(\.number))
        let jitter = Pair(down.jitter?.amount.number, up.jitter?.amount.number)
        delay = Self.delay(pair, jitter)
        loss = Pair(down.loss?.meanLoss, up.loss?.meanLoss).namingDirection(["%": 0.01]) ?? "-"
        let queues = Set(links.compactMap(\.queue))
        let words: [String?] = [
            profile.dns.map { "dns + \($0.delay.text)" },
            profile.schedule != nil ? "varies" : nil,
            links.contains { $0.trace != nil } ? "recorded rate" : nil,
            queues.count > 1 ? "queues" : queues.first.map { "queue \($0)" },
            links.lazy.compactMap { $0.queueManagement?.discipline.rawValue }.first,
            links.contains { $0.competing?.isEmpty == false } ? "shared" : nil,
            links.contains { $0.reorder != nil } ? "reorders" : nil,
            links.contains { $0.duplicate != nil } ? "duplicates" : nil,
            links.contains { $0.corrupt != nil } ? "corrupts" : nil,
            profile.faults.isEmpty ? nil : counted(profile.faults.count, "fault"),
        ]
        others = words.compactMap { $0 } + profile.networkWords
    }

    private static func delay(_ delay: Pair, _ jitter: Pair) -> String {
        guard let variation = jitter.text(times) else { return delay.text(times) ?? "-" }
        guard let middle = delay.text(times) else { return "± \(variation)" }
        guard delay.isEqual, jitter.isEqual, let unit = middle.split(separator: " ").last,
            variation.hasSuffix(" \(unit)")
        else { return "\(middle) ± \(variation)" }
        return "\(middle.dropLast(unit.count + 1)) ± \(variation)"
    }

    private static let rates: KeyValuePairs = ["Gbit/s": 1e9, "Mbit/s": 1e6, "kbit/s": 1e3, "bit/s": 1]
    private static let times: KeyValuePairs = ["s": 1, "ms": 1e-3, "us": 1e-6]
}

/// A figure of the downlink, and the same figure of the uplink.
private struct Pair {
    private let down: Double?
    private let up: Double?

    init(_ down: Double?, _ up: Double?) { (self.down, self.up) = (down, up) }

    var isEqual: Bool { down == up }

    /// Formats the figures in one unit, the largest that is not above the larger figure; nil without figures.
    func text(_ units: KeyValuePairs<String, Double>) -> String? {
        guard let largest = [down, up].compactMap({ $0 }).max() else { return nil }
        guard let unit = units.first(where: { $0.value <= largest }) ?? units.last else { return nil }
        let (down, up) = (down.map { Self.digits($0 / unit.value) }, up.map { Self.digits($0 / unit.value) })
        return switch (down, up) {
        case (let down?, let up?): "\(down == up ? down : "\(down)/\(up)") \(unit.key)"
        case (let down?, nil): "\(down)/- \(unit.key)"
        case (nil, let up?): "-/\(up) \(unit.key)"
        case (nil, nil): nil
        }
    }

    /// Formats the figures like `text`, and a single one as "100 % down".
    func namingDirection(_ units: KeyValuePairs<String, Double>) -> String? {
        guard let one = down ?? up, down == nil || up == nil else { return text(units) }
        return Pair(one, one).text(units).map { "\($0) \(down == nil ? "up" : "down")" }
    }

    /// Formats a number with three significant digits, without trailing zeros.
    private static func digits(_ value: Double) -> String {
        var scale = 1.0
        while value > 0, value * scale < 99.95, scale < 1e9 { scale *= 10 }
        let text = "\((value * scale).rounded() / scale)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension BitRate {
    fileprivate var number: Double { Double(bitsPerSecond) }
}

extension Duration {
    fileprivate var number: Double { self / .seconds(1) }
}
