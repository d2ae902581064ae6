// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
package import LinkProfiles

extension RunReport {
    static let formatVersion = 1

    /// The report as report.json holds it, with the timeline if there is one.
    package var json: JSON {
        JSON(
            ("version", .number(Self.formatVersion)),
            ("verdict", .text(verdict.rawValue)),
            ("command", .list(context.command)),
            ("profile", .text(context.profile)),
            ("scenario", .text(context.scenario)),
            ("seed", .number(context.seed)),
            ("randomSequence", .number(context.randomSequence)),
            ("engine", .text(context.engine)),
            ("serverCongestion", .text(context.serverCongestion)),
            ("kernel", .text(context.kernel)),
            ("linkcond", .text(context.version)),
            ("repeat", .list(context.repetition)),
            ("begin", .number(begin)),
            ("durationSeconds", .number(duration / .seconds(1))),
            ("outcome", outcome.json),
            ("expectations", .list(results.map(\.json))),
            ("conditions", conditions.isEmpty ? nil : .list(conditions.map(\.json))),
            ("totals", totals.json),
            ("testCount", testCount == 0 ? nil : .number(testCount)),
            ("tests", tests.isEmpty ? nil : .list(tests.map { $0.json(since: Instant(nanoseconds: begin)) })),
            ("timeOfDaySet", clockChanges.isEmpty ? nil : .list(clockChanges.map(\.json))),
            ("timeline", timeline?.json),
            ("output", output?.json)
        )
    }

    /// Reads a report without its timeline; nil for anything else.
    package init?(json: JSON) {
        guard let version: Int = json.required("version"), version == Self.formatVersion,
            let command: [String] = json.required("command"), let seed: UInt64 = json.required("seed"),
            let engine: String = json.required("engine"), let kernel: String = json.required("kernel"),
            let program: String = json.required("linkcond"), let repetition: [String] = json.required("repeat"),
            let begin: Int64 = json.required("begin"), let outcome = json["outcome"].flatMap({ CommandEnd(json: $0) }),
            case .number(let seconds)? = json["durationSeconds"]?.value, let duration = Double(seconds),
            case .array(let results)? = json["expectations"]?.value, let totals = json["totals"]
        else { return nil }
        let context = Context(
            command: command,
            profile: json.required("profile"),
            scenario: json.required("scenario"),
            seed: seed,
            // Programs that did not name it had the first.
            randomSequence: json.required("randomSequence") ?? 1,
            engine: engine,
            serverCongestion: json.required("serverCongestion"),
            kernel: kernel,
            version: program,
            repetition: repetition
        )
        self.init(
            context,
            outcome,
            begin: begin,
            duration: .seconds(duration),
            results: results.compactMap { Result(json: $0) },
            totals: Totals(json: totals)
        )
        if case .array(let parts)? = json["conditions"]?.value {
            conditions = parts.compactMap { ConditionsResult(json: $0) }
        }
        if case .array(let changes)? = json["timeOfDaySet"]?.value {
            clockChanges = changes.compactMap { ClockChange(json: $0) }
        }
        testCount = json.required("testCount") ?? 0
        if case .array(let tests)? = json["tests"]?.value {
            self.tests = tests.compactMap { TestVerdicts(json: $0, since: Instant(nanoseconds: begin)) }
        }
    }
}

extension RunReport.ClockChange {
    fileprivate var json: JSON { JSON(("seconds", .seconds(time)), ("bySeconds", .seconds(change))) }

    fileprivate init?(json: JSON) {
        guard case .number(let time)? = json["seconds"]?.value, case .number(let change)? = json["bySeconds"]?.value,
            let time = Double(time), let change = Double(change)
        else { return nil }
        self.init(time: .seconds(time), change: .seconds(change))
    }
}

extension RunReport.ConditionsResult {
    fileprivate var json: JSON { JSON(members: part.members + [("verdict", .text(verdict.rawValue))]) }

    fileprivate init?(json: JSON) {
        guard let part = ConditionsPart(json: json),
            let verdict = json.required("verdict").flatMap({ (name: String) in Verdict(rawValue: name) })
        else { return nil }
        (self.part, self.verdict) = (part, verdict)
    }
}

extension TestVerdicts {
    fileprivate func json(since start: Instant) -> JSON {
        JSON(
            ("name", .text(name)),
            ("begin", .seconds(begin - start)),
            ("end", .seconds(end - start)),
            ("verdict", .text(verdict.rawValue)),
            ("expectations", results.json)
        )
    }

    fileprivate init?(json: JSON, since start: Instant) {
        guard case .number(let begin)? = json["begin"]?.value, case .number(let end)? = json["end"]?.value,
            let begin = Double(begin), let end = Double(end),
            let results: [RunReport.Result] = json.required("expectations")
        else { return nil }
        self.init(json.required("name"), from: start + .seconds(begin), to: start + .seconds(end), results)
    }
}

extension CommandEnd {
    fileprivate var json: JSON {
        switch self {
        case .exited(let status): JSON(("exited", .number(status)))
        case .killed(let signal): JSON(("signal", .number(signal)))
        case .timedOut: JSON(("timedOut", true))
        case .failedFast: JSON(("failedFast", true))
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
        } else if json["failedFast"] != nil {
            self = .failedFast
        } else if json["notStarted"] != nil {
            self = .notStarted(nil)
        } else {
            return nil
        }
    }
}

extension JSON {
    static func list(_ texts: [String]) -> JSON { .list(texts.map { JSON(.string($0)) }) }

    static func list(_ numbers: [Int]) -> JSON { .list(numbers.map { JSON(integerLiteral: $0) }) }

    /// A time in seconds, to the microsecond; nil for nil.
    static func seconds(_ duration: Duration?) -> JSON? { duration.map(seconds) }

    /// A time in seconds, to the microsecond.
    static func seconds(_ duration: Duration) -> JSON {
        let microseconds = (duration / .microseconds(1)).rounded()
        return JSON(.number("\(microseconds / 1e6)"))
    }
}
