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
    /// Where the report is to be written; nil for nowhere.
    var directory: ReportDirectory?
    private let started = RealClock.now
    /// What the command prints.
    let output: CommandStreams

    /// Makes the run.
    ///
    /// - Parameter account: the command's user; nil for the current user.
    init(
        _ files: ObservationFiles,
        _ expectations: [ClientExpectation],
        _ setting: RunReport.Setting,
        for account: Account?
    ) {
        (self.files, self.expectations, self.setting) = (files, expectations, setting)
        output = CommandStreams(for: account)
    }

    /// Judges the command by what the run left. A signal ends the reading; the verdicts are about what was read then.
    ///
    /// - Parameter hasTimeline: whether the report is to say what happened, besides the verdicts.
    func report(_ end: CommandEnd, timeline hasTimeline: Bool) -> RunReport {
        let ended = RealClock.now
        var events = RunRecordReader(
            started: Instant(nanoseconds: started),
            ended: Instant(nanoseconds: ended),
            outcome: end
        )
        Descriptors.read(files.events) { events.append($0) }
        var record = events.finish()
        if !record.unknownEvents.isEmpty {
            let names = record.unknownEvents.sorted().joined(separator: ", ")
            Console.failure("note: events of the run's record mean nothing to this version: \(names)")
        }
        let (packets, shortfall) = readPackets()
        record.shortfall = record.shortfall ?? shortfall
        let traffic = record.clientTraffic(of: packets)
        let judge = Judge(traffic, record)
        var report = RunReport(
            setting,
            end,
            begin: record.begin.nanoseconds,
            duration: record.end - record.begin,
            results: expectations.map { RunReport.Result(judge.judge($0)) },
            totals: RunReport.Totals(traffic, record)
        )
        if hasTimeline {
            let asked = profiles.map { ($0.name, AskedFigures($0)) }
            report.timeline = RunTimeline(
                traffic,
                record,
                initial: profiles.first?.name,
                asked: Dictionary(asked) { first, _ in first },
                evidence: Set(report.results.flatMap(\.packets))
            )
        }
        return report
    }

    /// The packets, and why some of them were not read.
    private func readPackets() -> (Traffic, RunRecord.Shortfall?) {
        var reader = CaptureReader()
        var traffic = TrafficReader()
        var shortfall: RunRecord.Shortfall?
        Descriptors.read(files.capture) { piece in
            if Interruption.signal != nil { shortfall = shortfall ?? .interrupted }
            guard shortfall == nil else { return }
            reader.append(piece)
            do {
                while let record = try reader.next() { traffic.add(record) }
            } catch {
                shortfall = .damaged
            }
        }
        return (traffic.read(), shortfall)
    }
}
