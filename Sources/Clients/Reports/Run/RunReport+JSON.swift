// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
package import LinkProfiles

extension RunReport: JSONObject {
    static let formatVersion = 1

    package static let blank = RunReport(
        Context(
            command: [],
            profile: nil,
            scenario: nil,
            seed: 0,
            // Older versions, which did not write this member, used sequence 1.
            randomSequence: 1,
            engine: "",
            kernel: "",
            version: "",
            repetition: []
        ),
        .timedOut,
        begin: 0,
        duration: .zero,
        results: [],
        totals: Totals()
    )

    /// Describes the members of report.json. The timeline and the output are written if present, but not read back.
    package mutating func describe(_ members: inout JSONMembers) {
        var version = Self.formatVersion
        members.required("version", &version)
        if version != Self.formatVersion { members.refuse() }
        members.writeOnly("verdict", verdict.json)
        members.required("command", &context.command)
        members.lenient("profile", &context.profile)
        members.lenient("scenario", &context.scenario)
        members.required("seed", &context.seed)
        members.lenient("randomSequence", &context.randomSequence)
        members.required("engine", &context.engine)
        members.lenient("serverCongestion", &context.serverCongestion)
        members.required("kernel", &context.kernel)
        members.required("linkcond", &context.version)
        members.required("repeat", &context.repetition)
        members.required("begin", &begin)
        members.required(
            "durationSeconds",
            &duration,
            write: { .number($0 / .seconds(1)) ?? JSON(.null) },
            read: JSON.duration
        )
        members.required("outcome", &outcome, write: \.json, read: CommandEnd.init(json:))
        members.required("expectations", &results)
        members.list("conditions", &conditions)
        members.required("totals", &totals)
        members.optional("testCount", &testCount, default: 0)
        let start = Instant(nanoseconds: begin)
        var tests = tests.map { ReportedTest($0, since: start) }
        members.list("tests", &tests)
        self.tests = tests.map { $0.verdicts(since: start) }
        members.list("timeOfDaySet", &clockChanges)
        members.writeOnly("timeline", timeline?.json)
        members.writeOnly("output", output?.json)
    }
}

extension RunReport.ClockChange: JSONObject {
    package static let blank = Self(time: .zero, change: .zero)

    package mutating func describe(_ members: inout JSONMembers) {
        members.seconds("seconds", &time)
        members.seconds("bySeconds", &change)
    }
}

extension RunReport.ConditionsResult: JSONObject {
    package static let blank = Self(.blank, strict: false)

    package mutating func describe(_ members: inout JSONMembers) {
        part.describe(&members)
        members.required("verdict", &verdict)
    }
}

/// The verdicts of a test, with times from the start of the run.
private struct ReportedTest: JSONObject {
    private var name: String?
    private var (begin, end) = (Duration.zero, Duration.zero)
    private var results: [RunReport.Result] = []

    init(_ test: TestVerdicts, since start: Instant) {
        (name, begin, end, results) = (test.name, test.begin - start, test.end - start, test.results)
    }

    func verdicts(since start: Instant) -> TestVerdicts {
        TestVerdicts(name, from: start + begin, to: start + end, results)
    }

    static let blank = Self(.blank, since: .zero)

    mutating func describe(_ members: inout JSONMembers) {
        members.lenient("name", &name)
        members.seconds("begin", &begin)
        members.seconds("end", &end)
        members.writeOnly("verdict", Verdict.worst(of: results.map(\.verdict)).json)
        members.required("expectations", &results)
    }
}

extension JSONMembers {
    /// A time in seconds, to the microsecond.
    fileprivate mutating func seconds(_ name: String, _ time: inout Duration) {
        required(name, &time, write: { .seconds($0) }, read: JSON.duration)
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
    /// Reads a number of seconds; nil for anything else, and for one of which a Duration cannot be made.
    fileprivate static func duration(_ json: JSON) -> Duration? {
        guard case .number(let text) = json.value, let seconds = Double(text), abs(seconds) <= 1e9 else { return nil }
        return .seconds(seconds)
    }

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
