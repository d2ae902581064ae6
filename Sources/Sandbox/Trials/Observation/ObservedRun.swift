// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import ClientTraffic
package import ClientVerdicts
internal import DecryptedStreams
internal import LinkConditioning
internal import LinuxSystem
package import Reports
internal import Sandboxing

/// A run whose packets are observed. It makes the files for the packets and events, and the verdicts from them.
package struct ObservedRun {
    /// The plan of the run, with its seed and its engine.
    package let plan: ObservedPlan
    let files: ObservationFiles
    private let seed: UInt64
    private let directory: ReportDirectory?
    let follower: RunFollower
    private let streams: CommandStreams

    /// Opens the files, and sets the seed and the engine, so that the run can be repeated.
    init(_ plan: ObservedPlan) throws {
        let account = plan.command.account
        switch plan.evidence {
        case .unnamed: (files, directory) = (try ObservationFiles(), nil)
        case .capture(let capture): (files, directory) = (try ObservationFiles(capture, for: account), nil)
        case .report(let path):
            let report = try ReportDirectory(path, for: account)
            (files, directory) = (try ObservationFiles(in: report), report)
        }
        var plan = plan
        seed = plan.sandbox.conditions?.request.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        plan.sandbox.conditions?.setSeed(seed)
        plan.sandbox.conditions?.request.engine = .userspace
        plan.sandbox.engine = .userspace
        self.plan = plan
        let interest = RunFollower.Interest(
            readsAhead: true,
            endingExpectations: plan.failsFast ? plan.expectations : [],
            memory: plan.memory
        )
        follower = try RunFollower(files, started: .now, interest)
        streams = CommandStreams(for: account)
    }

    /// Judges the command by the packets and events of the run. Also returns the names of events that this version does
    /// not know. A signal ends the reading; the verdicts are then about what was read until then.
    package func report(_ end: CommandEnd) -> (report: RunReport, unknownEvents: Set<String>) {
        var reading = follower.finish()
        var isWhole = reading.advance { Interruption.signal != nil }
        var (packets, record) = reading.result(ended: .now, outcome: end)
        if isWhole, record.shortfall == .damaged || !packets.link.isClosed || !reading.isAsWritten(record) {
            reading = reading.anew()
            isWhole = reading.advance { Interruption.signal != nil }
            (packets, record) = reading.result(ended: .now, outcome: end)
        }
        if record.shortfall != nil {
            // The record has a reason already.
        } else if !isWhole {
            record.shortfall = .interrupted
        } else if !packets.link.isClosed || record.capture == nil {
            record.shortfall = .recordingEnded
        } else if !reading.isAsWritten(record) {
            record.shortfall = .captureChanged
        }
        let client = JudgedTraffic(packets, of: record)
        let (traffic, judge) = (client.traffic, ClientJudge(client, record))
        var report = RunReport(
            context,
            end,
            begin: record.begin.nanoseconds,
            duration: record.end - record.begin,
            results: plan.expectations.map { expectation in
                // A signal during the reading leaves verdicts on the packets that were read. After the whole capture
                // was read, it ends the judging, which may take long for many packets.
                // take long.
                guard !isWhole || Interruption.signal == nil else { return .interrupted(expectation) }
                return RunReport.Result(judge.judge(expectation))
            },
            totals: RunReport.Totals(traffic, record)
        )
        report.contacts = Contacts(traffic)
        report.conditions = record.parts.map { RunReport.ConditionsResult($0, strict: plan.isStrict) }
        // A client that does nothing meets all that is expected of it.
        if plan.isStrict, traffic.link.packets == 0, let profile = plan.sandbox.conditions?.profileName {
            let part = ConditionsPart("profile \"\(profile)\"", packets: 0, reason: "no packet was sent or received")
            report.conditions.append(RunReport.ConditionsResult(part, strict: true))
        }
        report.isBusy = record.isBusy
        (report.tests, report.testCount) = (record.tests, record.testCount)
        report.clockChanges = record.clockChanges.map {
            RunReport.ClockChange(time: $0.time - record.begin, change: $0.change)
        }
        if case .report(let path) = plan.evidence {
            let profiles = (plan.sandbox.conditions?.requests ?? []).map(\.profile)
            report.timeline = RunTimeline(
                traffic,
                record,
                initial: plan.sandbox.conditions?.profileName,
                asked: Dictionary(profiles.map { ($0.name, AskedFigures($0)) }) { first, _ in first },
                evidence: Set(report.results.flatMap(\.packets))
            )
            report.output = streams.read(besides: path)
        }
        return (report, record.unknownEvents)
    }

    /// Writes the report to its directory, if there is one; returns the SHA-256 of report.json.
    package func write(_ report: RunReport) throws -> String? {
        try directory?.write(report, files, strict: plan.isStrict)
    }

    /// The absolute path of the report's directory; nil for none.
    var reportPath: String? { directory?.absolutePath }

    /// Keeps the packets of a run that was killed, in the directory of its report.
    func keepPart() { try? directory?.keepPart(files.capture) }

    private var context: RunReport.Context {
        RunReport.Context(
            command: plan.command.words,
            profile: plan.sandbox.conditions?.profileName,
            scenario: plan.sandbox.conditions?.scenario?.name,
            seed: seed,
            engine: Engine.userspace.rawValue,
            serverCongestion: plan.sandbox.farCongestionControl,
            kernel: KernelVersion.release,
            version: plan.version,
            repetition: plan.repetition
        )
    }
}

extension RunReport.Result {
    fileprivate static func interrupted(_ expectation: ClientExpectation) -> RunReport.Result {
        let words = "a signal came before the verdict was made"
        return RunReport.Result(Judgement(expectation, .inconclusive, words, packets: [], remedy: nil))
    }
}
