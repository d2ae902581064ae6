// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import LinuxSystem
import Reports
import Sandboxing

/// The open files of a trial: its output, the report that it hands back, and its progress. Those without names end with the processes
/// that have them open.
struct TrialFiles {
    /// The number under which the trial's process has the file of its report.
    static let reportDescriptor: CInt = 3
    /// The same for the file of its progress.
    static let progressDescriptor: CInt = 4
    /// The name of the log in a trial's directory.
    static let logName = "output.log"
    /// A log that exceeds this is emptied, and begins again.
    private static let longestLog = 64 << 20

    let log: CInt
    let report: CInt
    /// Nil if nobody watches.
    let progress: CInt?

    /// Makes the files.
    ///
    /// - Parameter account: the command's user; nil for the current user.
    init(_ trial: Trial, for account: Account?) throws {
        if let directory = trial.directory {
            log = try ReportDirectory(directory, for: account, keepsRoom: false).makeFile(Self.logName)
        } else {
            log = try ObservationFiles.temporary()
        }
        // In memory: what came out must not be lost where a disk is full.
        report = try Descriptors.memory(named: "linkcond-report")
        progress = trial.isWatched ? try Descriptors.memory(named: "linkcond-progress") : nil
    }

    /// Gives the files to the trial's process, which is this one, under their numbers.
    func pass() {
        // Out of the way of both numbers.
        let (report, progress) = (fcntl(report, F_DUPFD_CLOEXEC, 16), progress.map { fcntl($0, F_DUPFD_CLOEXEC, 16) })
        dup2(report, Self.reportDescriptor)
        if let progress { dup2(progress, Self.progressDescriptor) }
    }

    func close() {
        Glibc.close(log)
        Glibc.close(report)
        if let progress { Glibc.close(progress) }
    }

    /// Keeps the log in bounds.
    func limitLog() {
        var facts = stat()
        guard fstat(log, &facts) == 0, facts.st_size > Self.longestLog else { return }
        ftruncate(log, 0)
        let note = Array("linkcond: the output above \(Self.longestLog >> 20) MiB before this line was removed\n".utf8)
        _ = Descriptors.write(note[...], to: log)
    }

    /// How far the trial has come, for people.
    func readProgress() -> String {
        guard let progress else { return "" }
        var bytes: [UInt8] = []
        Descriptors.read(progress) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The report that the trial handed back.
    func readReport() -> RunReport? {
        var bytes: [UInt8] = []
        Descriptors.read(report) { bytes += $0 }
        return (try? JSON(utf8: bytes)).flatMap { RunReport(json: $0) }
    }

    /// The last lines of the log.
    func lastLines() -> [String] { FileTail(of: log, from: 0, limit: 20).lines }
}
