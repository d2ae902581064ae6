// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import TestKit
import Testing

@testable import LinkPane

/// The report that a pane shows, and the token that it writes.
@Suite struct PaneFilesTests {
    private let files: TemporaryDirectory
    private var path: String { files.path }

    init() throws { files = try TemporaryDirectory() }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    /// Opens a file of the report, and returns its text; nil for none.
    private func read(_ folder: ReportFolder, _ name: String) -> String? {
        guard let file = folder.file(name) else { return nil }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        return String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
    }

    @Test func opensNothingOutsideOfTheReport() throws {
        try FileManager.default.createDirectory(atPath: "\(path)/report/runs", withIntermediateDirectories: true)
        try write("secret", "outside")
        try write("report/report.html", "page")
        try write("report/runs/report.json", "{}")
        for (link, target) in [("link", "../secret"), ("up", ".."), ("runs/up", "../.."), ("own", "report.html")] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(path)/report/\(link)",
                withDestinationPath: target
            )
        }
        mkfifo("\(path)/report/pipe", 0o600)
        let folder = try ReportFolder("\(path)/report")
        #expect(read(folder, "report.html") == "page")
        #expect(read(folder, "runs/report.json") == "{}")
        for name in [
            "", ".", "..", "../secret", "runs/../../secret", "link", "own", "up/secret", "runs/up/secret", "runs",
            "pipe",
            "runs/", "/etc/passwd", "runs//report.json", "./report.html", "report.html/", "none",
        ] {
            #expect(folder.file(name) == nil, "\(name)")
        }
    }

    @Test func needsTheReportsPage() throws {
        #expect(throws: (any Error).self) { try ReportFolder(path) }
        #expect(throws: (any Error).self) { try ReportFolder("\(path)/none") }
    }

    @Test func showsAReportInAnOriginOfItsOwn() throws {
        let fields = Dictionary(uniqueKeysWithValues: ReportFolder.fields(of: "runs/report.html"))
        #expect(fields["Content-Type"] == "text/html; charset=utf-8")
        let policy = try #require(fields["Content-Security-Policy"])
        #expect(policy.hasPrefix("sandbox allow-scripts; default-src 'none';") && !policy.contains("same-origin"))
        let capture = Dictionary(uniqueKeysWithValues: ReportFolder.fields(of: "packets.pcapng"))
        #expect(capture["Content-Disposition"] == "attachment")
    }

    @Test func writesATokenThatOnlyItsUserReads() throws {
        let token = try PaneToken(writingTo: "\(path)/token")
        let facts = try FileManager.default.attributesOfItem(atPath: "\(path)/token")
        #expect(facts[.posixPermissions] as? Int == 0o600)
        #expect(try String(contentsOfFile: "\(path)/token", encoding: .utf8) == "\(token.secret.text)\n")
        // The next pane replaces the file of one that was killed, and only that removes its own.
        let next = try PaneToken(writingTo: "\(path)/token")
        #expect(next.secret.text != token.secret.text)
        next.remove()
        #expect(!FileManager.default.fileExists(atPath: "\(path)/token"))
    }

    @Test func replacesNoOtherFileByAToken() throws {
        try write("notes", "precious")
        try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "notes")
        for name in ["notes", "link", "", "none/token"] {
            #expect(throws: (any Error).self) { try PaneToken(writingTo: "\(path)/\(name)") }
        }
        #expect(try String(contentsOfFile: "\(path)/notes", encoding: .utf8) == "precious")
    }
}
