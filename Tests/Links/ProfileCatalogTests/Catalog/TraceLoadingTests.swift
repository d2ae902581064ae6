// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import ProfileCatalog
import Testing

@Suite struct TraceLoadingTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func load(_ file: String, format: String = "mahimahi") throws -> LoadedProfile {
        let trace = "{ \"file\": \"\(file)\", \"format\": \"\(format)\" }"
        return try LoadedProfile.read(
            path: directory.write("{ \"name\": \"T\", \"downlink\": { \"trace\": \(trace) } }", to: "t.json")
        )
    }

    private func error(_ profile: LoadedProfile) -> CatalogError? {
        CatalogError.thrown { () throws(CatalogError) in try profile.traces() }
    }

    @Test func liesBesideTheProfile() throws {
        _ = try directory.makeDirectory("recordings")
        try directory.write("0\n12\n", to: "recordings/down.txt")
        let traces = try load("recordings/down.txt").traces()
        #expect(traces.map(\.reference.file) == ["recordings/down.txt"])
        #expect(traces.map(\.trace.content) == [.opportunities([0, 12])])
    }

    @Test func mayLieElsewhere() throws {
        let other = try TemporaryDirectory()
        let file = try other.write("0 1\n1 2\n", to: "rates.txt")
        #expect(try load(file, format: "seconds-mbit").traces().map(\.trace.length) == [.seconds(1)])
    }

    @Test func isNamedWhereItIsMissing() throws {
        let error = error(try load("absent.txt"))
        #expect(error?.systemCode == ENOENT)
        #expect(
            error.map { "\($0)" } == """
                \(directory.path)/t.json: $.downlink.trace.file: cannot read \(directory.path)/absent.txt: \
                No such file or directory
                """
        )
    }

    @Test func isNoDirectory() throws {
        _ = try directory.makeDirectory("recordings")
        #expect(error(try load("recordings"))?.systemCode == EISDIR)
    }

    /// Opening a pipe would wait for a writer.
    @Test func isARegularFileWhereTheProfileWasFound() throws {
        let pipe = "\(directory.path)/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        _ = try load("pipe")
        let found = try Catalog(directories: [directory.path]).profile("T")
        let error = error(found)
        let place = "\(directory.path)/t.json: $.downlink.trace.file"
        #expect(error.map { "\($0)" } == "\(place): cannot read \(pipe): not a regular file")
    }

    @Test(arguments: [
        ("0\nx\n", "line 2: found other text; expected whole milliseconds"), ("", "line 1: the trace is empty"),
    ])
    func isNamedWithTheLineThatIsWrong(text: String, reason: String) throws {
        let file = try directory.write(text, to: "down.txt")
        let place = "\(directory.path)/t.json: $.downlink.trace.file"
        #expect(error(try load("down.txt")).map { "\($0)" } == "\(place): \(file): \(reason)")
    }

    @Test func isNamedWithAllOthersThatCannotBeUsed() throws {
        let path = try directory.write(
            #"""
            { "name": "T", "uplink": { "trace": { "file": "a.txt", "format": "mahimahi" } },
              "schedule": { "steps": [
                { "at": "1 s", "downlink": { "trace": { "file": "b.txt", "format": "seconds-mbit" } } }
              ] } }
            """#,
            to: "t.json"
        )
        let text = error(try LoadedProfile.read(path: path)).map { "\($0)" }
        let lines = try #require(text).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("\(path): $.uplink.trace.file: ") == true)
        #expect(lines.last?.hasPrefix("\(path): $.schedule.steps[0].downlink.trace.file: ") == true)
    }

    @Test func isReadForEveryStepToo() throws {
        try directory.write("0\n12\n", to: "a.txt")
        try directory.write("0 1\n1 2\n", to: "b.txt")
        let path = try directory.write(
            #"""
            { "name": "T", "uplink": { "trace": { "file": "a.txt", "format": "mahimahi" } },
              "schedule": { "steps": [
                { "at": "1 s", "downlink": { "trace": { "file": "b.txt", "format": "seconds-mbit" } } }
              ] } }
            """#,
            to: "t.json"
        )
        let profile = try LoadedProfile.read(path: path)
        #expect(profile.profile.traceReferences.map(\.file) == ["a.txt", "b.txt"])
        #expect(try profile.traces().map(\.trace.length) == [.milliseconds(12), .seconds(1)])
    }
}
