// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import LinkVerification
import Reports

/// The requested, modelled and measured figures of a link.
struct VerificationTable {
    private let verification: Verification
    private let profile: Profile
    /// The engine that carried the packets; nil if unknown.
    private let engine: Engine?
    /// Whether all packets were sent over an uplink.
    private let isOverUplink: Bool

    init(_ verification: Verification, _ profile: Profile, engine: Engine?, isOverUplink: Bool) {
        (self.verification, self.profile, self.engine) = (verification, profile, engine)
        self.isOverUplink = isOverUplink
    }

    /// The engine that carried the packets, and the uplink if they were sent over one.
    private var place: String {
        (engine.map { " on \($0.rawValue)" } ?? "") + (isOverUplink ? ", over an uplink" : "")
    }

    var lines: [OutputLine] {
        var lines = [OutputLine(heading: profile.name, place)]
        var table = Table(header: ["", "ASKED", "MODELLED", "MEASURED", "RIGHT IF", ""])
        for lane in [Lane.downlink, .uplink, .dns] {
            for part in verification.parts where part.lane == lane && !part.isBothWays { add(part, to: &table) }
        }
        for part in verification.parts where part.isBothWays { add(part, to: &table) }
        lines += table.lines(indent: 2)
        lines.append("")
        for words in [machine, path].compactMap({ $0 }) { lines.append(OutputLine(words)) }
        lines.append(OutputLine(heading: sentence))
        return lines
    }

    /// A sentence on the noise of this machine; nil if it was not measured.
    private var machine: String? {
        var facts: [String] = []
        if let own = verification.unconditionedDelays.values.max(), own > 0 {
            facts.append("a packet takes \(Self.milliseconds(own)) without conditions")
            facts.append("99 of 100 wakes were at most \(Self.milliseconds(verification.lateness.tail)) late")
        }
        if verification.stolen > .zero { facts.append("the hypervisor took \(verification.stolen.text) for others") }
        return facts.isEmpty ? nil : "This machine: \(facts.joined(separator: "; "))."
    }

    /// A sentence on the error of the clock comparison; nil if only one machine was measured.
    private var path: String? {
        guard let path = verification.path else { return nil }
        let clocks =
            path.clockError == 0
            ? "Both ends have one clock."
            : "The clocks of both machines are compared to ± \(Self.milliseconds(path.clockError))."
        if verification.parts.contains(where: { part in part.findings.contains { $0.aspect == .medianDelay } }) {
            return clocks
        }
        let remedy = path.ownRoundTrip == nil ? " --path-delay says what the path itself takes." : ""
        return """
            \(clocks) How the delay divides into both ways is not judged: each way's delays are laid on the model's median.\
            \(remedy)
            """
    }

    /// The verdict as a sentence.
    private var sentence: String {
        let findings = verification.parts.flatMap(\.findings)
        func count(_ verdict: LinkFinding.Verdict) -> Int { findings.count { $0.verdict == verdict } }
        let (wrong, open) = (count(.fail), count(.inconclusive))
        switch verification.verdict {
        case .pass: return "pass: \(counted(findings.count, "figure")) of \(findings.count) are as the model says"
        case .fail:
            let rest = open > 0 ? ", \(open) inconclusive" : ""
            let figures = counted(findings.count, "figure")
            return "fail: \(wrong) of \(figures) \(wrong == 1 ? "is" : "are") not as asked\(rest)"
        case .inconclusive:
            if verification.path != nil, verification.path?.ownRoundTrip == nil {
                return
                    "inconclusive: what is not known of the path or this machine's noise could explain \(open) of \(counted(findings.count, "figure"))"
            }
            return "inconclusive: this machine's noise could explain \(open) of \(counted(findings.count, "figure"))"
        }
    }

    private func add(_ part: Verification.Part, to table: inout Table) {
        let rows = rows(part)
        guard !rows.isEmpty else { return }
        table.add([name(part)])
        for row in rows {
            let verdict = row.verdict == LinkFinding.Verdict.pass.rawValue ? "" : row.verdict.uppercased()
            table.add(["  \(row.figure)", row.asked, row.modelled, row.measured, row.range, verdict])
        }
    }

    private func name(_ part: Verification.Part) -> String {
        switch part.kind {
        case .tcp: return "TCP, \(counted(part.count, "connection"))"
        case .bothWays: return "\(part.kind.rawValue), \(counted(part.count, "packet"))"
        case .transfer, .transferIPv6: return "\(part.lane) (\(part.kind.rawValue), over the uplink)"
        default: return "\(part.lane) (\(part.kind.rawValue)), \(counted(part.count, "packet"))"
        }
    }

    private func rows(_ part: Verification.Part) -> [VerificationReport.Row] {
        let figures = profile.impairments(of: part.lane) ?? Impairments()
        // Leaves out the aspect `filling` if it passes.
        return part.findings.filter { $0.aspect != .filling || $0.verdict != .pass }.map { finding in
            let (aspect, unit) = (finding.aspect, Unit(finding.aspect, part, figures))
            let maximum = finding.allowed.upperBound
            let ends = [unit.text(max(finding.allowed.lowerBound, 0)), unit.text(finding.allowed.upperBound)]
            return VerificationReport.Row(
                aspect.rawValue,
                asked: part.isBothWays ? "" : figures.asked(aspect),
                modelled: aspect == .shape ? "" : unit.text(finding.modelled),
                measured: unit.text(finding.measured),
                range: !maximum.isFinite
                    ? "\(ends[0]) or more" : ends[0] == ends[1] ? ends[0] : ends.joined(separator: " to "),
                verdict: finding.verdict.rawValue
            )
        }
    }

    /// The report as a web page.
    var report: VerificationReport {
        VerificationReport(
            profile: profile.name + place,
            verdict: verification.verdict.rawValue,
            sentences: [sentence] + [machine, path].compactMap { $0 },
            parts: verification.parts.filter { !$0.findings.isEmpty }.map { part in
                let pair = part.record.flatMap { record in part.model.map { (record, $0) } }
                let own = verification.unconditionedDelays[part.lane.direction] ?? 0
                let delays = pair.map { measured, modelled in
                    VerificationReport.Pair(measured: measured.delays.map { $0 - own }, modelled: modelled.delays)
                }
                let rates = pair.map { VerificationReport.Pair(measured: $0.rates, modelled: $1.rates) }
                return VerificationReport.Part(
                    name(part),
                    direction: part.lane.direction.rawValue,
                    rows(part),
                    delays: part.kind == .full ? nil : delays,
                    rates: part.kind == .full ? rates : nil
                )
            },
            repetition: CommandLine.repetition(),
            version: Linkcond.version
        )
    }

    static func milliseconds(_ value: Double) -> String {
        let digits = abs(value) < 10 ? 100.0 : 10
        return Duration.microseconds(Int64((value * digits).rounded() * 1_000 / digits)).text
    }

    /// The format of a figure.
    private enum Unit {
        case milliseconds, plain
        /// A share of this number.
        case share(of: Double)
        /// A share of this rate, in bits per second.
        case rate(Double)
        case bitsPerSecond

        init(_ aspect: Aspect, _ part: Verification.Part, _ figures: Impairments) {
            switch aspect {
            case .medianDelay, .longDelay, .tailDelay, .meanDelay, .longestDelay, .roundTrip, .bothWays,
                .delayDifference:
                self = .milliseconds
            case .losses, .duplicates, .damaged, .marked, .overtaken, .otherFates: self = .share(of: Double(part.count))
            case .meanBurst, .longestBurst, .shape: self = .plain
            case .filling: self = .share(of: 1)
            case .goodput: self = .bitsPerSecond
            case .rate, .slowestSecond, .fastestSecond: self = .rate(part.model?.rate ?? 0)
            }
        }

        func text(_ value: Double) -> String {
            switch self {
            case .milliseconds: VerificationTable.milliseconds(value)
            case .plain: Self.short((value * 1_000).rounded() / 1_000)
            case .share(let all): Self.short((value / all * 10_000).rounded() / 100) + " %"
            case .rate(let whole): VerificationTable.rate(value * whole)
            case .bitsPerSecond: value.isFinite ? VerificationTable.rate(value) : ""
            }
        }

        private static func short(_ value: Double) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }
    }

    /// The rate, rounded to four digits.
    static func rate(_ value: Double) -> String {
        var scale = 1.0
        while value / scale >= 10_000 { scale *= 10 }
        return "\(BitRate(bitsPerSecond: UInt64(max((value / scale).rounded() * scale, 0))))"
    }

    // MARK: JSON

    var json: JSON {
        JSON(
            ("version", .number(1)),
            ("profile", .text(profile.name)),
            ("engine", .text(engine?.rawValue)),
            ("overUplink", isOverUplink ? true : nil),
            ("verdict", .text(verification.verdict.rawValue)),
            (
                "machine",
                JSON(
                    ("ownDelay", Self.number(verification.unconditionedDelays.values.max() ?? 0)),
                    ("lateness99", Self.number(verification.lateness.tail)),
                    ("greatestLateness", Self.number(verification.lateness.maximum)),
                    ("stolen", Self.number(verification.stolen / .milliseconds(1)))
                )
            ),
            (
                "path",
                verification.path.map { path in
                    JSON(
                        ("clockError", Self.number(path.clockError)),
                        ("ownRoundTrip", path.ownRoundTrip.map(Self.number))
                    )
                }
            ),
            (
                "parts",
                .list(
                    verification.parts.filter { !$0.findings.isEmpty }.map { part in
                        JSON(
                            ("lane", .text(part.lane.name)),
                            ("packets", .text(part.kind.rawValue)),
                            ("count", .number(part.count)),
                            ("figures", .list(part.findings.map { json($0, part) }))
                        )
                    }
                )
            )
        )
    }

    private func json(_ finding: LinkFinding, _ part: Verification.Part) -> JSON {
        let figures = profile.impairments(of: part.lane) ?? Impairments()
        let asked = part.isBothWays ? "" : figures.asked(finding.aspect)
        return JSON(
            ("figure", .text(finding.aspect.rawValue)),
            ("asked", asked.isEmpty ? nil : .text(asked)),
            ("modelled", Self.number(finding.modelled)),
            ("measured", Self.number(finding.measured)),
            ("least", Self.number(finding.allowed.lowerBound)),
            ("most", finding.allowed.upperBound.isFinite ? Self.number(finding.allowed.upperBound) : nil),
            ("verdict", .text(finding.verdict.rawValue))
        )
    }

    static func number(_ value: Double) -> JSON { JSON(.number("\((value * 1e6).rounded() / 1e6)")) }
}

extension Verification.Part {
    /// Whether the part measures round trips.
    fileprivate var isBothWays: Bool { kind == .tcp || kind == .bothWays }
}

extension Impairments {
    /// The figure of the profile that determines this aspect, as text; empty if there is none.
    fileprivate func asked(_ aspect: Aspect) -> String {
        switch aspect {
        case .medianDelay, .meanDelay: delay?.text ?? ""
        case .longDelay, .tailDelay: jitter.map { "± \($0.amount.text)" } ?? ""
        case .shape: jitter?.distribution.rawValue ?? ""
        case .losses: loss.map { "\(Probability(fraction: ($0.meanLoss * 1e4).rounded() / 1e4))" } ?? ""
        case .meanBurst: if case .gilbertElliott(let chain) = loss { chain.meanBurst.map { "\($0)" } ?? "" } else { "" }
        case .longestBurst: if case .limited(let bursts) = loss { "\(bursts.longest)" } else { "" }
        case .duplicates: duplicate.map { "\($0)" } ?? ""
        case .damaged: corrupt.map { "\($0)" } ?? ""
        case .marked: ecn == true ? "marked" : ""
        case .overtaken: reorder.map { "\($0.probability)" } ?? ""
        case .rate, .goodput: rate.map { "\($0)" } ?? trace?.file ?? ""
        case .longestDelay: queue.map { "\($0)" } ?? ""
        case .filling, .slowestSecond, .fastestSecond, .roundTrip, .bothWays, .otherFates, .delayDifference: ""
        }
    }
}
