// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import LinuxSystem
import Testing

@testable import Containers

/// The state that runtimes keep of their containers, with this process as each container's.
@Suite struct RuntimeStateTests {
    /// Runs `body` with a runtime's directory and that of container "web" there.
    private func withState(_ files: [String: String], _ body: (RuntimeState) throws -> Void) throws {
        var template = Array("/tmp/linkcond-state.XXXXXX".utf8CString)
        let path = String(cString: try #require(mkdtemp(&template)))
        try #require(mkdir("\(path)/web", 0o700) == 0)
        defer {
            for name in files.keys { unlink("\(path)/web/\(name)") }
            rmdir("\(path)/web")
            rmdir(path)
        }
        for (name, text) in files { try SmallFile.create("\(path)/web/\(name)", Array(text.utf8)) }
        try body(RuntimeState(name: "runc", directory: path))
    }

    private func json(_ text: String) throws -> JSON { try JSON(utf8: Array(text.utf8)) }

    private var start: UInt64 { ProcessIdentity.current.startTime }

    private func runc(_ labels: String) -> String {
        """
        {"id": "web", "init_process_pid": \(getpid()), "init_process_start": \(start),
         "config": {"labels": [\(labels)]}}
        """
    }

    @Test func hasAnnotationsAsLabels() throws {
        let text = runc(#""bundle=/b", "linkcond.profile=3G", "a=b=c", "empty=", "none""#)
        try withState(["state.json": text]) { state in
            let container = try #require(try state.running().first)
            #expect(container.name == "web" && container.process == getpid())
            #expect(container.labels["linkcond.profile"] == "3G" && container.labels["a"] == "b=c")
            #expect(container.labels["empty"] == "" && container.labels["none"] == nil)
        }
    }

    @Test func hasThemInCrunsConfigurationToo() throws {
        let files = [
            "status": "{\"pid\": \(getpid()), \"process-start-time\": \(start)}",
            "config.json": #"{"annotations": {"linkcond.profile": "LTE", "other": 1}}"#,
        ]
        try withState(files) { state in
            try #expect(state.running().first?.labels == ["linkcond.profile": "LTE"])
        }
    }

    /// Until it is started, its network may not be ready; `--container` finds it.
    @Test func isNotRunningBeforeItIsStarted() throws {
        try withState(["state.json": runc(""), "exec.fifo": ""]) { state in
            try #expect(state.running().isEmpty)
            try #expect(state.containers(named: "web").first?.status == "created")
        }
    }

    /// Neither a directory that is a link, nor a file, nor another user's: what is looked at is what was checked.
    @Test(.enabled(if: geteuid() == 0, "needs root")) func believesOnlyWhatNoOtherUserCanHaveWritten() throws {
        try withState(["state.json": runc("")]) { state in
            let (web, file) = ("\(state.directory)/web", "\(state.directory)/web/state.json")
            try #expect(state.running().count == 1)
            try #require(chown(file, 65_534, 65_534) == 0)
            try #expect(state.running().isEmpty && state.containers(named: "web").isEmpty)
            try #require(chown(file, 0, 0) == 0 && chown(web, 65_534, 65_534) == 0)
            try #expect(state.running().isEmpty && state.containers(named: "web").isEmpty)
            try #require(chown(web, 0, 0) == 0 && rename(web, "\(state.directory).moved") == 0)
            try #require(symlink("\(state.directory).moved", web) == 0)
            try #expect(state.running().isEmpty && state.containers(named: "web").isEmpty)
            try #require(unlink(web) == 0 && rename("\(state.directory).moved", web) == 0)
            try #require(rename(file, "\(file).moved") == 0 && symlink("\(file).moved", file) == 0)
            try #expect(state.running().isEmpty)
            try #require(rename("\(file).moved", file) == 0)
            try #expect(state.running().count == 1)
        }
    }

    @Test func readsDockersLabels() throws {
        let listed = try json(#"{"Id": "a1", "Names": ["/web"], "Labels": {"linkcond.profile": "3G", "n": 1}}"#)
        #expect(Container(listed: listed)?.labels == ["linkcond.profile": "3G"])
        #expect(Container(listed: try json(#"{"Id": "a1", "Labels": null}"#))?.labels.isEmpty == true)
    }
}
