// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinkProfiles
package import LinuxSystem
package import Reports
internal import Sandboxing

/// The open files of a trial: its output, its result, and its progress. Files without names are deleted with the last
/// process that has them open.
package struct TrialFiles {
    /// The name of the log in a trial's directory.
    package static let logName = "output.log"
    /// The most bytes of a log; a longer one is emptied.
    private static let longestLog = 64 << 20

    let log: CInt
    private let result: CInt
    /// A file whose content is the progress, as text; nil if the progress is not shown.
    package let progress: CInt?

    /// Makes the files.
    init(_ trial: Trial) throws {
        if case .report(let path) = trial.plan.evidence {
            let account = trial.plan.command.account
            log = try ReportDirectory(path, for: account, keepsRoom: false).makeFile(Self.logName)
        } else {
            log = try ObservationFiles.temporary()
        }
        // In memory: a result must not be lost if a disk is full.
        result = try Descriptors.memory(named: "linkcond-report")
        progress = trial.isWatched ? try Descriptors.memory(named: "linkcond-progress") : nil
    }

    /// Closes all files of this process, the trial's, except for these and those that the command inherits.
    func keepAlone() {
        let null = open("/dev/null", O_RDWR)
        for (descriptor, number) in [(null, STDIN_FILENO), (log, STDOUT_FILENO), (log, STDERR_FILENO)] {
            dup2(descriptor, number)
        }
        if null > STDERR_FILENO { Glibc.close(null) }
        Descriptors.closePrivate(except: [result] + [progress].compactMap { $0 })
    }

    func close() {
        for descriptor in [log, result] + [progress].compactMap({ $0 }) { Glibc.close(descriptor) }
    }

    /// Empties the log if it exceeds its limit.
    func limitLog() {
        var facts = stat()
        guard fstat(log, &facts) == 0, facts.st_size > Self.longestLog else { return }
        ftruncate(log, 0)
        let note = Array("linkcond: the output above \(Self.longestLog >> 20) MiB before this line was removed\n".utf8)
        _ = Descriptors.write(note[...], to: log)
    }

    /// The progress of the trial, for people.
    func readProgress() -> String { progress.map { String(decoding: Self.read($0), as: UTF8.self) } ?? "" }

    /// Writes the report, without its timeline, as the trial's result.
    ///
    /// - Parameter digest: the SHA-256 of report.json; nil if there is none.
    package func handBack(_ report: RunReport, digest: String?) throws(SystemError) {
        var verdicts = report
        verdicts.timeline = nil
        var json = verdicts.json
        if let contacts = report.contacts { json = json.replacing("contacts", contacts.json) }
        if let isBusy = report.isBusy { json = json.replacing("busy", JSON(.bool(isBusy))) }
        if let digest { json = json.replacing("digest", digest.json) }
        try handBack(json)
    }

    /// Writes the reason why there is no report as the trial's result.
    package func handBack(failure: String) throws(SystemError) { try handBack(JSON(("failure", .text(failure)))) }

    private func handBack(_ json: JSON) throws(SystemError) {
        let bytes = Array(json.text.utf8)
        if let code = Descriptors.write(bytes[...], to: result) {
            throw SystemError(operation: "hand back the report", code: code)
        }
    }

    /// The trial's result: a report, and the SHA-256 of its file if there is one, or the reason why there is no report.
    func readResult() -> (report: RunReport?, digest: String?, failure: String?) {
        guard let json = try? JSON(utf8: Self.read(result)) else { return (nil, nil, nil) }
        var report = RunReport(json: json)
        report?.contacts = json.required("contacts")
        report?.isBusy = json.required("busy")
        return (report, json.required("digest"), json.required("failure"))
    }

    private static func read(_ file: CInt) -> [UInt8] {
        var bytes: [UInt8] = []
        Descriptors.read(file) { bytes += $0 }
        return bytes
    }

    /// The last lines of the log.
    func lastLines() -> [String] { FileTail(of: log, from: 0, limit: 20).lines }
}
