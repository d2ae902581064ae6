// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
package import ClientObservation
internal import DecryptedStreams
internal import LinkConditioning
internal import LinuxSystem
package import Reports
internal import Sandboxing

/// A run whose packets are observed, from the files that it leaves to the verdicts.
package struct ObservedRun {
    /// What is run, with its seed and its engine.
    package let plan: ObservedPlan
    let files: ObservationFiles
    private let seed: UInt64
    private let directory: ReportDirectory?
    private let started: Instant
    private let streams: CommandStreams

    /// Opens the files, and settles what the run needs to be repeated.
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
        started = .now
        streams = CommandStreams(for: account)
    }

    /// Judges the command by what the run left; returns the names of events that mean nothing to this version, too. A signal
    /// ends the reading; the verdicts are about what was read then.
    package func report(_ end: CommandEnd) -> (report: RunReport, unknownEvents: Set<String>) {
        var events = RunRecordReader(started: started, ended: .now, outcome: end)
        Descriptors.read(files.events) { events.append($0) }
        var record = events.finish()
        let (packets, shortfall) = readPackets()
        record.shortfall = record.shortfall ?? shortfall ?? (packets.link.isClosed ? nil : .recordingEnded)
        record.hosts = HostNames((try? SmallFile.read(HostNames.path, followsLinks: true)) ?? [])
        let client = ClientTraffic(packets, of: record)
        let (traffic, judge) = (client.traffic, Judge(client, record))
        var report = RunReport(
            context,
            end,
            begin: record.begin.nanoseconds,
            duration: record.end - record.begin,
            results: plan.expectations.map { RunReport.Result(judge.judge($0)) },
            totals: RunReport.Totals(traffic, record)
        )
        if case .report(let path) = plan.evidence {
            let profiles = (plan.sandbox.conditions?.requests ?? []).map(\.profile)
            report.timeline = RunTimeline(
                traffic,
                record,
                initial: profiles.first?.name,
                asked: Dictionary(profiles.map { ($0.name, AskedFigures($0)) }) { first, _ in first },
                evidence: Set(report.results.flatMap(\.packets))
            )
            report.output = streams.read(besides: path)
        }
        return (report, record.unknownEvents)
    }

    /// Writes the report to its directory, if there is one.
    package func write(_ report: RunReport) throws {
        try directory?.write(report, events: files.events, strict: plan.isStrict)
    }

    private var context: RunReport.Context {
        RunReport.Context(
            command: plan.command.words,
            profile: plan.sandbox.conditions?.request.profile.name,
            scenario: plan.sandbox.conditions?.scenario?.name,
            seed: seed,
            engine: Engine.userspace.rawValue,
            kernel: KernelVersion.release,
            version: plan.version,
            repetition: plan.repetition(seed: seed)
        )
    }

    /// The packets, and why some of them were not read.
    private func readPackets() -> (ClientObservation.Traffic, RunRecord.Shortfall?) {
        var reader = CaptureReader()
        var traffic = TrafficReader(decoders: CaptureDecoders())
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
