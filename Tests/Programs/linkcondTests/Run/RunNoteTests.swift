// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Notes of `run` on what a user may have forgotten.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct RunNoteTests {
    private func run(_ arguments: String...) throws -> CommandResult {
        try Program.start([Program.path, "run"] + arguments, directory: "/")
    }

    @Test(.enabled(if: Kernel.hasUplink, "needs an uplink"))
    func saysThatThereAreNoConditions() throws {
        let note = "linkcond: note: the network had no conditions"
        #expect(try run("--", "true").errors.contains(note))
        let switched = try run("--", Program.path, "switch", "3G")
        #expect(switched.status == 0 && !switched.errors.contains(note), "\(switched)")
        #expect(try !run("3g", "--", "true").errors.contains(note))
    }

    @Test func saysThatOfflineReachesNoOtherHost() throws {
        let note = "with --offline, the command has no network but loopback"
        let connect = "import socket; socket.create_connection(('192.0.2.1', 80), 2)"
        let far = try run("--offline", "3g", "--", "python3", "-c", connect)
        #expect(far.status == 1 && far.errors.contains(note), "\(far)")
        let near = try run("--offline", "3g", "--", "python3", "-c", connect.replacing("192.0.2.1", with: "127.0.0.1"))
        #expect(near.status == 1 && !near.errors.contains(note), "\(near)")
        #expect(try !run("--offline", "3g", "--", "true").errors.contains(note))
    }

    @Test(.enabled(if: !Kernel.hasNetem, "needs a kernel without netem"))
    func givesTheReasonForTheEngineWhereAsked() throws {
        let plain = try run("--offline", "3g", "--", "true")
        #expect(plain.status == 0 && plain.errors.isEmpty, "\(plain)")
        let verbose = try run("-v", "--offline", "3g", "--", "true")
        #expect(verbose.errors.contains("note: using the userspace engine: this kernel has no netem"), "\(verbose)")
    }

    @Test func tellsAProfileFromAScenario() throws {
        let scenario = try run("--scenario", "Lift", "--", "true")
        #expect(scenario.status == 125 && scenario.errors.contains("\"Lift\" is a profile"), "\(scenario)")
        #expect(scenario.errors.contains("linkcond: try: linkcond run lift -- COMMAND\n"), "\(scenario)")
        let profile = try run("NAT Rebinding", "--", "true")
        #expect(profile.errors.contains("try: linkcond run --scenario nat-rebinding -- COMMAND"), "\(profile)")
    }
}
