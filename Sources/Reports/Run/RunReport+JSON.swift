// SPDX-License-Identifier: Apache-2.0

internal import ClientObservation
public import LinkProfiles

extension RunReport {
    /// The version of the format.
    static let formatVersion = 1

    /// The report as report.json holds it, with the timeline if there is one.
    public var json: JSON {
        JSON(
            ("version", .number(Self.formatVersion)),
            ("verdict", .text(verdict.rawValue)),
            ("command", .list(setting.command.map { JSON(.string($0)) })),
            ("profile", .text(setting.profile)),
            ("scenario", .text(setting.scenario)),
            ("seed", .number(setting.seed)),
            ("engine", .text(setting.engine)),
            ("kernel", .text(setting.kernel)),
            ("linkcond", .text(setting.version)),
            ("repeat", .list(setting.repetition.map { JSON(.string($0)) })),
            ("begin", .number(begin)),
            ("durationSeconds", .number(duration / .seconds(1))),
            ("outcome", outcome.json),
            ("expectations", .list(results.map(\.json))),
            ("totals", totals.json),
            ("timeline", timeline?.json),
            ("output", output?.json)
        )
    }

    /// Reads a report without its timeline; nil for anything else.
    public init?(json: JSON) {
        guard let version: Int = json.required("version"), version == Self.formatVersion,
            let command: [String] = json.required("command"), let seed: UInt64 = json.required("seed"),
            let engine: String = json.required("engine"), let kernel: String = json.required("kernel"),
            let program: String = json.required("linkcond"), let repetition: [String] = json.required("repeat"),
            let begin: Int64 = json.required("begin"), let outcome = json["outcome"].flatMap({ CommandEnd(json: $0) }),
            case .number(let seconds)? = json["durationSeconds"]?.value, let duration = Double(seconds),
            case .array(let results)? = json["expectations"]?.value, let totals = json["totals"]
        else { return nil }
        let setting = Setting(
            command: command,
            profile: json.required("profile"),
            scenario: json.required("scenario"),
            seed: seed,
            engine: engine,
            kernel: kernel,
            version: program,
            repetition: repetition
        )
        self.init(
            setting,
            outcome,
            begin: begin,
            duration: .seconds(duration),
            results: results.compactMap { Result(json: $0) },
            totals: Totals(json: totals)
        )
    }
}

extension CommandEnd {
    fileprivate var json: JSON {
        switch self {
        case .exited(let status): JSON(("exited", .number(status)))
        case .killed(let signal): JSON(("signal", .number(signal)))
        case .timedOut: JSON(("timedOut", true))
        case .notStarted: JSON(("notStarted", true))
        }
    }

    fileprivate init?(json: JSON) {
        if let status: Int32 = json.required("exited") {
            self = .exited(status)
        } else if let signal: Int32 = json.required("signal") {
            self = .killed(signal)
        } else if json["timedOut"] != nil {
            self = .timedOut
        } else if json["notStarted"] != nil {
            self = .notStarted(nil)
        } else {
            return nil
        }
    }
}

extension RunReport.Result {
    /// The verdict as report.json holds it.
    public var json: JSON {
        JSON(
            ("expectation", .text(expectation)),
            ("verdict", .text(verdict.rawValue)),
            ("finding", .text(finding)),
            ("packets", .list(packets.map { JSON(integerLiteral: $0) })),
            ("remedy", .text(remedy))
        )
    }

    fileprivate init?(json: JSON) {
        guard let expectation: String = json.required("expectation"),
            let verdict = json.required("verdict").flatMap({ (name: String) in Verdict(rawValue: name) }),
            let finding: String = json.required("finding"), let packets: [Int] = json.required("packets")
        else { return nil }
        (self.expectation, self.verdict, self.finding, self.packets) = (expectation, verdict, finding, packets)
        remedy = json.required("remedy")
    }
}

extension RunReport.Totals {
    private static var members: [(String, WritableKeyPath<Self, Int>)] {
        [
            ("connections", \.connections), ("accepted", \.accepted), ("requests", \.requests),
            ("nameQueries", \.nameQueries), ("retransmissions", \.retransmissions), ("packets", \.packets),
            ("dropped", \.dropped), ("undelivered", \.undelivered), ("bytes", \.bytes),
        ]
    }

    fileprivate var json: JSON {
        JSON(members: Self.members.map { ($0, .number(self[keyPath: $1])) })
    }

    fileprivate init(json: JSON) {
        self.init()
        for (name, path) in Self.members { self[keyPath: path] = json.required(name) ?? 0 }
    }
}
