// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import ClientObservation
import Glibc
import LinkProfiles
import LinuxSystem
import Reports
import Sandboxing

/// A run whose packets are observed, from the files that it left to the verdicts.
struct ObservedRun {
    let files: ObservationFiles
    let expectations: [ClientExpectation]
    let setting: RunReport.Setting
    /// The profile at the begin and those of the scenario, for their rates.
    var profiles: [Profile] = []
    private let started = RealClock.now

    /// Makes the run.
    init(_ files: ObservationFiles, _ expectations: [ClientExpectation], _ setting: RunReport.Setting) {
        (self.files, self.expectations, self.setting) = (files, expectations, setting)
    }

    /// Judges the command by what the run left.
    ///
    /// - Parameter hasTimeline: whether the report is to say what happened, besides the verdicts.
    func report(_ end: CommandEnd, timeline hasTimeline: Bool) throws -> RunReport {
        let ended = RealClock.now
        let record = RunRecord(
            events: files.readEvents(),
            started: Instant(nanoseconds: started),
            ended: Instant(nanoseconds: ended),
            outcome: RunRecord.End(end)
        )
        let traffic = record.clientTraffic(of: try traffic())
        let judge = Judge(traffic, record)
        var report = RunReport(
            setting,
            RunReport.Outcome(end),
            begin: record.begin.nanoseconds,
            duration: record.end - record.begin,
            results: expectations.map { RunReport.Result(judge.judge($0)) },
            totals: RunReport.Totals(traffic, record)
        )
        if hasTimeline {
            let rates = profiles.map { ($0.name, AskedRates($0)) }
            report.timeline = RunTimeline(
                traffic,
                record,
                initial: profiles.first?.name,
                rates: Dictionary(rates) { first, _ in first },
                evidence: Set(report.results.flatMap(\.packets))
            )
        }
        return report
    }

    private func traffic() throws -> Traffic {
        var reader = CaptureReader()
        var traffic = TrafficReader()
        try files.readCapture { piece in
            reader.append(piece)
            while let record = try reader.next() { traffic.add(record) }
        }
        return traffic.read()
    }
}

extension RunRecord.End {
    /// The end of a command.
    fileprivate init(_ end: CommandEnd) {
        switch end {
        case .exited(let code): self = .exited(code)
        case .killed(let signal): self = .killed(signal: signal)
        case .timedOut: self = .timedOut
        case .notStarted: self = .notStarted
        }
    }
}

extension RunReport.Outcome {
    /// The end of a command.
    fileprivate init(_ end: CommandEnd) {
        switch end {
        case .exited(let code): self = .exited(code)
        case .killed(let signal): self = .killed(signal)
        case .timedOut: self = .timedOut
        case .notStarted: self = .notStarted
        }
    }
}
