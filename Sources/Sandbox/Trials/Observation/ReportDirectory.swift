// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
package import LinuxSystem
package import Reports
package import Sandboxing

/// The reason why what an observed run tells of itself cannot be kept.
package enum EvidenceError: Error {
    /// The report cannot be written to the directory at the path, as this user.
    case report(String, Account?, SystemError)
    /// The place for the packets is no regular file, from which they could be read back.
    case noFile(String)
}

/// The directory of a run's report, open from before the command's start. Its files are made with the rights of the
/// command's user.
package struct ReportDirectory {
    /// The names of the files in it.
    static let capture = "packets.pcapng"
    /// The capture of a run that was killed, up to there.
    static let part = "packets.partial.pcapng"
    /// The events of the run: a JSON object a line.
    static let events = "events.jsonl"
    static let report = "report.json"
    static let schema = "report.schema.json"
    static let page = "report.html"
    static let tests = "junit.xml"
    static let text = "summary.md"
    /// The results of several runs.
    static let summary = "summary.json"

    /// Space for more than most reports.
    private static let usualRoom = 16 << 20

    /// The directory's path.
    package let path: String
    private let directory: Directory
    private let account: Account?
    /// Room for the report: the command, or the capture, may fill the disk.
    private let room: ReservedRoom?

    /// Makes the directory and those above it, unless they exist, and deletes the report of an earlier run, which must not be
    /// taken for this one's. Fails if the command's user can write nothing there.
    package init(_ path: String, for account: Account?, keepsRoom: Bool = true) throws(EvidenceError) {
        do throws(SystemError) {
            directory = try Directory(making: path, with: account.fileRights)
            for name in [
                Self.report, Self.page, Self.tests, Self.text, Self.summary, Self.capture, Self.part, Self.events,
            ] { try directory.remove(name) }
        } catch {
            throw .report(path, account, error)
        }
        (self.path, self.account) = (path, account)
        room = keepsRoom ? directory.reserve(Self.usualRoom) : nil
    }

    /// Makes an empty file for appending and reading.
    func makeFile(_ name: String) throws(EvidenceError) -> CInt {
        do throws(SystemError) {
            return try directory.create(name, mode: 0o644)
        } catch {
            throw .report(path, account, error)
        }
    }

    /// Makes an empty file for the packets, which gets its name with the report.
    func makeCapture() throws(EvidenceError) -> CInt {
        do throws(SystemError) {
            return try directory.createUnnamed(Self.capture, mode: 0o600)
        } catch {
            throw .report(path, account, error)
        }
    }

    /// Keeps the packets of a run that was killed.
    func keepPart(_ capture: CInt) throws(SystemError) { try directory.name(capture, Self.part, mode: 0o600) }

    /// Writes the report in all its forms, and beside it the packets and the events of the run, two open files. With `isStrict`
    /// an expectation without an answer is a failure.
    func write(_ report: RunReport, _ files: ObservationFiles, strict isStrict: Bool) throws(SystemError) {
        // Where the file system has to copy it, there may be no room: the report says what it can all the same.
        let naming = Result { () throws(SystemError) in
            try directory.name(files.capture, Self.capture, mode: 0o600)
        }
        try write(
            [
                (Self.schema, { ReportSchema.text }),
                (Self.tests, { JUnitFile(report, strict: isStrict).text }),
                (Self.text, { SummaryText(report).text }),
                (Self.page, { RunPage(report).text }),
                // The last: where it is, the others are.
                (Self.report, { report.json.text + "\n" }),
            ],
            events: files.events
        )
        try naming.get()
    }

    /// Writes what came out of several runs, whose reports lie in directories below.
    package func write(_ report: TrialsReport, strict isStrict: Bool) throws(SystemError) {
        try write([
            (Self.tests, { JUnitFile(report, strict: isStrict).text }),
            (Self.text, { SummaryText(report).text }),
            (Self.page, { TrialsPage(report).text }),
            (Self.summary, { report.json(below: path).text + "\n" }),
        ])
    }

    /// Writes what a search for limits found.
    package func write(_ report: LimitsReport, _ summary: JSON) throws(SystemError) {
        try write([
            (Self.text, { SummaryText(report).text }),
            (Self.page, { LimitsPage(report).text }),
            (Self.summary, { summary.text + "\n" }),
        ])
    }

    /// Writes what was measured of a link.
    package func write(_ report: VerificationReport, _ summary: JSON) throws(SystemError) {
        try write([(Self.page, { VerificationPage(report).text }), (Self.summary, { summary.text + "\n" })])
    }

    /// Replaces each file as a whole: a reader finds the old one or the new one. Throws the first failure after all have been
    /// tried.
    private func write(_ files: [(name: String, text: () -> String)], events: CInt? = nil) throws(SystemError) {
        var failure: SystemError?
        func attempt(_ name: String, _ write: (CInt) -> CInt?) {
            do throws(SystemError) {
                try directory.replace(name, mode: 0o644, write)
            } catch {
                failure = failure ?? error
            }
        }
        let copyEvents = { (target: CInt) in events.flatMap { Descriptors.copy($0, to: target) } }
        // Before the room for the others is given back, since events may be many; else they get what the others leave.
        let areEventsLeft = events != nil && (try? directory.replace(Self.events, mode: 0o644, copyEvents)) == nil
        room?.release()
        for (name, text) in files { attempt(name) { Descriptors.write(Array(text().utf8)[...], to: $0) } }
        if areEventsLeft { attempt(Self.events, copyEvents) }
        if let failure { throw failure }
    }
}
