// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkConditioning
import LinkProfiles
import Netlink
import ProfileCatalog
import SandboxClient
import Testing

@testable import Sandboxing

/// The client and the server of a sandbox without devices: nothing reaches the kernel.
@Suite struct ControlClientTests {
    private func withServer(_ body: (ControlClient, RunEvents) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "control-\(UUID())").path
        defer { unlink(path) }
        let connection = RouteConnection(try RouteSocket())
        let events = RunEvents()
        var sandbox = ControlledSandbox(
            conditions: SandboxConditions(
                connection,
                [ConditionedInterfaces(nil, [], [])],
                selection: Selection(),
                pump: nil
            ),
            catalog: Catalog(directories: []),
            uplink: nil,
            supervisor: 4711
        )
        sandbox.events = events
        let listener = try ControlServer.listen(at: path, user: geteuid())
        let server = ControlServer.serve(listener, for: sandbox, users: [geteuid()])
        defer { server.stop() }
        try body(ControlClient(path: path), events)
    }

    @Test func restoresTheConditions() throws {
        try withServer { client, _ in
            #expect(try client.conditions() == nil)
            var profile = Profile(name: "Mine")
            profile.seed = 7
            profile.uplink = Impairments()
            profile.uplink?.delay = .milliseconds(5)
            try client.change(to: profile)
            #expect(try client.conditions() == profile)
        }
    }

    @Test func setsMarks() throws {
        try withServer { client, events in
            try client.mark("a \"b\"")
            guard case .lines(let bytes, next: 1) = events.read(from: 0, size: 1000) else {
                Issue.record("there is not one event")
                return
            }
            #expect(try JSON(utf8: bytes)["name"].flatMap { String(json: $0) } == "a \"b\"")
            #expect(throws: ControlClient.Refusal.self) { try client.mark("it's") }
        }
    }
}
