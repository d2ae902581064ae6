// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ProfileFormats

@Suite struct TarArchiveTests {
    private static var sound: [UInt8] {
        var archive = TarArchive()
        archive.add("scenario.json", Array("{}".utf8))
        archive.add("capture.pcapng", [UInt8](repeating: 7, count: 1500))
        return archive.bytes(time: 1_764_450_000)
    }

    /// The bytes with a changed field of the first header, and its right checksum.
    private static func changed(at offset: Int, to text: String) -> [UInt8] {
        var bytes = sound
        bytes.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        let sum = String(TarArchive.sum(bytes[..<512]), radix: 8)
        let field = String(repeating: "0", count: 6 - sum.count) + sum
        bytes.replaceSubrange(148..<154, with: field.utf8)
        return bytes
    }

    private static func problem(_ bytes: [UInt8]) -> String? {
        do throws(TarArchive.Malformed) {
            _ = try TarArchive(bytes)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func readsWhatItWrites() throws {
        let archive = try TarArchive(Self.sound)
        #expect(archive.files.map(\.name) == ["scenario.json", "capture.pcapng"])
        #expect(archive["scenario.json"] == Array("{}".utf8) && archive["capture.pcapng"]?.count == 1500)
        #expect(Self.sound.count % 512 == 0)
        #expect(try TarArchive(TarArchive().bytes(time: 0)).files.isEmpty)
    }

    @Test(arguments: [
        (0, "/scenario.json", "name"), (0, "../scenario.jso", "name"), (0, "a/b\u{0}", "name"),
        (0, ".hidden\u{0}", "name"), (345, "etc", "name"), (156, "2", "no plain file"), (156, "1", "no plain file"),
        (156, "5", "no plain file"), (156, "x", "no plain file"), (156, "L", "no plain file"),
        (157, "/etc/passwd", "no plain file"), (124, "77777777777", "cut off"), (124, "9", "no size"),
        (257, "other", "no tar archive"),
    ])
    func refusesAHeader(at offset: Int, with text: String, because reason: String) {
        let problem = Self.problem(Self.changed(at: offset, to: text))
        #expect(problem?.contains(reason) == true, "\(problem ?? "none")")
    }

    @Test func refusesAWrongChecksum() {
        var bytes = Self.sound
        bytes[0] ^= 1
        #expect(Self.problem(bytes)?.contains("checksum") == true)
    }

    @Test func refusesAFileThatIsThereTwice() {
        let once = Self.sound
        #expect(Self.problem(Array(once[..<1024]) + once)?.contains("two files") == true)
    }

    @Test func refusesWhatIsCutOffOrFollowsTheEnd() {
        let bytes = Self.sound
        for count in [0, 1, 511, 512, 1024, 1600] {
            #expect(Self.problem(Array(bytes.prefix(count))) != nil, "\(count)")
        }
        #expect(Self.problem(bytes + [1])?.contains("follows") == true)
    }

    @Test func refusesMoreFilesThanItKeeps() {
        var archive = TarArchive()
        for index in 0...TarArchive.maximumFiles { archive.add("f\(index)", []) }
        #expect(Self.problem(archive.bytes(time: 0))?.contains("more than") == true)
    }
}
