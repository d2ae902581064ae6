// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import Containers

/// What engines and runtimes write of a container.
@Suite struct ContainerReadingTests {
    private func json(_ text: String) throws -> JSON { try JSON(utf8: Array(text.utf8)) }

    /// Docker's answer, and Podman's, which has more.
    @Test(arguments: [
        ("bridge", nil), ("default", nil), ("private", nil), ("host", Container.SharedNetwork.host),
        ("container:abc", .container("abc")),
    ])
    func readsAnInspection(mode: String, shared: Container.SharedNetwork?) throws {
        let text = """
            {"Id": "5ca1ab1e", "Name": "/web", "Image": "sha256:1", "HostConfig": {"NetworkMode": "\(mode)"},
             "State": {"Status": "running", "Running": true, "Pid": 1234, "StartedAt": "2026-01-02T03:04:05.6Z"}}
            """
        let container = try #require(Container(inspected: json(text)))
        #expect(container.id == "5ca1ab1e" && container.name == "web" && container.status == "running")
        #expect(container.process == 1234 && container.start == "2026-01-02T03:04:05.6Z")
        #expect(container.sharedNetwork == shared)
    }

    @Test func hasNoProcessWhenItDoesNotRun() throws {
        let text = #"{"Id": "a1", "Name": "b", "State": {"Status": "exited", "Pid": 0}}"#
        let container = try #require(Container(inspected: json(text)))
        #expect(container.process == nil && container.name == "b" && container.status == "exited")
    }

    @Test(arguments: [
        "[]", "{}", #"{"Id": "a"}"#, #"{"Id": "a", "State": {"Status": "running"}}"#,
        #"{"Id": 1, "State": {"Status": "running", "Pid": 7}}"#,
        #"{"Id": "a", "State": {"Status": "running", "Pid": 99999999999}}"#,
    ])
    func refusesAnythingElse(text: String) throws {
        #expect(try Container(inspected: json(text)) == nil)
    }

    /// The state of runc, and that of crun. Once the process has ended, its ID may be another's.
    @Test(arguments: [
        #"{"id": "a", "init_process_pid": 12, "init_process_start": 345}"#,
        #"{"pid": 12, "process-start-time": 345, "bundle": "/b"}"#,
    ])
    func believesAStateFileOfALivingProcessOnly(text: String) throws {
        let living = try #require(Container(id: "a", state: json(text)) { $0 == 12 ? 345 : nil })
        #expect(living.process == 12 && living.name == "a" && living.status == "running")
        #expect(try Container(id: "a", state: json(text)) { _ in 346 }?.process == nil)
        #expect(try Container(id: "a", state: json(text)) { _ in nil }?.process == nil)
        #expect(try Container(id: "a", state: json(#"{"pid": 12}"#)) { _ in 345 } == nil)
    }
}
