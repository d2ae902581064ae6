// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import LinkProfiles
package import LinuxSystem
package import Reports
package import Sandboxing

/// The reason why the report or the capture of an observed run cannot be kept.
package enum EvidenceError: Error {
    /// The report cannot be written to the directory at this path by this user.
    case report(String, Account?, SystemError)
    /// The path for the capture is no regular file, so the packets could not be read back.
    case noFile(String)
}

/// The directory of a run's report, open from before the command's start. Its files are made with the rights of the
/// command's user.
package struct ReportDirectory {
    /// The names of the files in the directory.
    static let capture = "packets.pcapng"
    /// The capture of a run that was killed, with the packets until then.
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

    /// The files that tell what a run did.
    private static let results = [report, page, tests, text, summary, capture, part, events]

    /// The bytes that are reserved: more than most reports need.
    private static let usualRoom = 16 << 20

    /// The directory's path.
    package let path: String
    private let directory: Directory
    private let account: Account?
    /// Space that is reserved for the report, since the command or the capture may fill the disk.
    private let room: ReservedRoom?

    /// Makes the directory and its parents, unless they exist, and deletes the report of an earlier run or matrix, which
    /// must not be taken for the report of this one. Throws if the command's user cannot write there.
    package init(_ path: String, for account: Account?, keepsRoom: Bool = true) throws(EvidenceError) {
        do throws(SystemError) {
            directory = try Directory(making: path, with: account.fileRights)
            for name in Self.earlierRuns(in: path) {
                try directory.remove(Self.results + [Self.schema, TrialFiles.logName], below: name)
            }
            for name in Self.results { try directory.remove(name) }
        } catch {
            throw .report(path, account, error)
        }
        (self.path, self.account) = (path, account)
        room = keepsRoom ? directory.reserve(Self.usualRoom) : nil
    }

    /// The paths of the directories of an earlier matrix, by the summary that it wrote: the networks of the next one may
    /// be others.
    private static func earlierRuns(in path: String) -> [String] {
        let file = "\(path)/\(summary)"
        var facts = stat()
        // Reading a pipe there would wait for a writer.
        guard lstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            let bytes = try? SmallFile.read(file, limit: longestSummary),
            let json = try? JSON(utf8: bytes), case .array(let runs)? = json["runs"]?.value
        else { return [] }
        return runs.compactMap { $0.required("directory") }.filter { isBelow($0, path) }
    }

    /// Whether `name` is the path of a directory below `path` that no symbolic link leads to.
    private static func isBelow(_ name: String, _ path: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return parts.indices.allSatisfy { index in
            var facts = stat()
            let parent = parts[...index].joined(separator: "/")
            return !["", ".", ".."].contains(parts[index]) && lstat("\(path)/\(parent)", &facts) == 0
                && facts.st_mode & S_IFMT == S_IFDIR
        }
    }

    /// The size above which a summary is none of linkcond's.
    private static let longestSummary = 64 << 20

    /// The absolute path, for processes with other working directories.
    var absolutePath: String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Makes an empty file for appending and reading.
    func makeFile(_ name: String) throws(EvidenceError) -> CInt {
        do throws(SystemError) {
            return try directory.create(name, mode: 0o644)
        } catch {
            throw .report(path, account, error)
        }
    }

    /// Makes an empty file for the captured packets. The file has no name until the report is written.
    func makeCapture() throws(EvidenceError) -> CInt {
        do throws(SystemError) {
            return try directory.createUnnamed(Self.capture, mode: 0o600)
        } catch {
            throw .report(path, account, error)
        }
    }

    /// Keeps the packets of a run that was killed.
    func keepPart(_ capture: CInt) throws(SystemError) { try directory.name(capture, Self.part, mode: 0o600) }

    /// Writes the report in all its forms, and the packets and events of the run, from two open files. With `isStrict`,
    /// an inconclusive expectation is a failure.
    ///
    /// - Returns: the SHA-256 of report.json.
    func write(
        _ report: RunReport,
        _ files: ObservationFiles,
        strict isStrict: Bool
    ) throws(SystemError) -> String {
        // If the file system has to copy the capture, there may be no space: the report is written all the same.
        let naming = Result { () throws(SystemError) in
            try directory.name(files.capture, Self.capture, mode: 0o600)
        }
        let json = report.json.text + "\n"
        try write(
            [
                (Self.schema, { ReportSchema.text }),
                (Self.tests, { JUnitFile(report, strict: isStrict).text }),
                (Self.text, { SummaryText(report).text }),
                (Self.page, { RunPage(report).text }),
                // Written last: if it is there, the other files are, too.
                (Self.report, { json }),
            ],
            events: files.events
        )
        try naming.get()
        return SHA256.text(of: json.utf8)
    }

    /// Writes the results of several runs, whose reports are in directories below this one.
    ///
    /// - Parameter runs: the runs in the order of the list; read several times.
    package func write(_ report: TrialsReport, _ runs: some Sequence<TrialText>) throws(SystemError) {
        try write(
            [(Self.text, { SummaryText(report).text }), (Self.page, { TrialsPage(report).text })],
            [
                (Self.tests, { file in JUnitFile.write(runs, report.coverage) { file.write($0) } }),
                // Written last: if it is there, the other files are, too.
                (
                    Self.summary,
                    { file in
                        report.writeSummary(runs.lazy.map(\.summary)) { file.write($0) }
                        file.write(SummaryDigest.member(file.digest))
                    }
                ),
            ]
        )
    }

    /// Copies the report of one run from a directory of others into the directory with this name below.
    func copy(from source: OthersDirectory, to name: String) throws {
        let target = try Directory(making: "\(path)/\(name)", with: account.fileRights)
        for file in Self.results + [Self.schema, TrialFiles.logName] {
            guard let original = try source.file(file) else { continue }
            defer { close(original) }
            try target.replace(file, mode: file == Self.capture ? 0o600 : 0o644) {
                Descriptors.copy(original, to: $0)
            }
        }
    }

    /// Writes the results of a search for limits.
    package func write(_ report: LimitsReport, _ summary: JSON) throws(SystemError) {
        try write([
            (Self.text, { SummaryText(report).text }),
            (Self.page, { LimitsPage(report).text }),
            (Self.summary, { summary.text + "\n" }),
        ])
    }

    /// Writes the results of measuring a link.
    package func write(_ report: VerificationReport, _ summary: JSON) throws(SystemError) {
        try write([(Self.page, { VerificationPage(report).text }), (Self.summary, { summary.text + "\n" })])
    }

    /// Replaces each file atomically: a reader finds the old one or the new one. Throws the first failure after all
    /// files have been tried.
    private func write(
        _ files: [(name: String, text: () -> String)],
        _ longFiles: [(name: String, write: (PiecewiseFile) -> Void)] = [],
        events: CInt? = nil
    ) throws(SystemError) {
        var failure: SystemError?
        func attempt(_ name: String, _ write: (CInt) -> CInt?) {
            do throws(SystemError) {
                try directory.replace(name, mode: 0o644, write)
            } catch {
                failure = failure ?? error
            }
        }
        let copyEvents = { (target: CInt) in events.flatMap { Descriptors.copy($0, to: target) } }
        // Before the reserved space is released for the others, since events may be many; on failure, tried again after
        // the others.
        let areEventsLeft = events != nil && (try? directory.replace(Self.events, mode: 0o644, copyEvents)) == nil
        room?.release()
        for (name, text) in files { attempt(name) { Descriptors.write(Array(text().utf8)[...], to: $0) } }
        for (name, write) in longFiles {
            attempt(name) { descriptor in
                let file = PiecewiseFile(descriptor)
                write(file)
                return file.finish()
            }
        }
        if areEventsLeft { attempt(Self.events, copyEvents) }
        if let failure { throw failure }
    }
}
