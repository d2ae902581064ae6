// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// A format of another tool to which profiles are written.
public enum ExportFormat: String, CaseIterable, Sendable {
    /// Chaos Mesh: NetworkChaos objects, in YAML.
    case chaosMesh = "chaos-mesh"
    /// pumba: commands.
    case pumba
    /// toxiproxy: toxics, in JSON.
    case toxiproxy
    /// The network conditions of Chrome's DevTools protocol, in JSON.
    case devtools
}

/// A profile in the format of another tool, with remarks on what the format cannot express.
public struct ExportedProfile: Hashable, Sendable {
    /// The text, without a line feed at its end.
    public var text: String
    /// Facts of the profile that the text lacks, and assumptions; a sentence each, without a full stop.
    public var remarks: [String]

    /// Writes a profile in a format.
    public init(_ profile: Profile, as format: ExportFormat) {
        var remarks = ExportRemarks(profile)
        text =
            switch format {
            case .chaosMesh: ChaosMeshExport.text(profile, &remarks)
            case .pumba: PumbaExport.text(profile, &remarks)
            case .toxiproxy: ToxiproxyExport.text(profile, &remarks)
            case .devtools: DevToolsExport.text(profile, &remarks)
            }
        self.remarks = remarks.lines
    }
}

/// Collects remarks on the parts of a profile that a format cannot express.
struct ExportRemarks {
    private let profile: Profile
    private(set) var lines: [String] = []

    init(_ profile: Profile) { self.profile = profile }

    mutating func add(_ line: String) {
        if !lines.contains(line) { lines.append(line) }
    }

    /// Adds remarks on the parts of the profile that are left out: all figures for which `isSaid` returns false, and
    /// DNS, network, schedule, faults and seed.
    mutating func leaveOut(in format: String, unless isSaid: (_ lane: Lane, _ figure: String) -> Bool) {
        for lane in [Lane.downlink, .uplink] {
            let figures = profile.impairments(of: lane)?.json.members.map(\.name) ?? []
            let unsaid = figures.filter { !isSaid(lane, $0) }
            guard !unsaid.isEmpty else { continue }
            add(
                "\(unsaid.joined(separator: ", ")) of the \(lane) \(unsaid.count == 1 ? "is" : "are") left out: \(format) cannot say so"
            )
        }
        if let dns = profile.dns { add("the delay of DNS, \(dns.delay.text), is left out: \(format) cannot say so") }
        for words in profile.networkWords { add("\(words) is left out: \(format) cannot say so") }
        if profile.schedule != nil { add("the schedule is left out: the text has the figures before its first step") }
        for (index, fault) in profile.faults.enumerated() {
            add("fault \(index + 1), \(fault.words), is left out: \(format) cannot say so")
        }
        if profile.seed != nil { add("the seed is left out: \(format) cannot say so") }
    }

    /// Adds a remark that a value was rounded.
    mutating func rounded(_ what: String, _ value: String, to text: String) {
        add("\(what), \(value), is rounded to \(text)")
    }
}

extension Duration {
    /// The time in milliseconds, without a fraction of zero: "100", "22.5".
    var millisecondText: String { Self.text(nanoseconds, of: 1_000_000) }

    private static func text(_ amount: Int64, of unit: Int64) -> String {
        let (whole, rest) = amount.quotientAndRemainder(dividingBy: unit)
        guard rest > 0 else { return "\(whole)" }
        return "\(whole).\(String("\(unit + rest)".dropFirst().reversed().drop { $0 == "0" }.reversed()))"
    }
}

extension Probability {
    /// The percentage, without the percent sign.
    var percentText: String { String(description.prefix { $0 != " " }) }
}
