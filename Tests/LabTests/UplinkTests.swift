// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import TestKit
import Testing

extension LabTests {
    /// A sandbox's uplink, between a host and a simulated internet.
    @Suite struct Uplinks {
        private static let addresses = [Outside.address.v4, Outside.address.v6]

        @Test(arguments: UplinkSetup.reportingRefusals, addresses)
        func connectionTakesTheProfilesRoundTrips(_ uplink: UplinkSetup, _ address: String) throws {
            let outside = try Outside()
            let figures = "--uplink 'delay=70 ms' --downlink 'delay=30 ms'"
            let client = Web.client(address, "GET", bytes: 100, count: 3)
            let requests: [Web.Request] = try outside.check("\(figures) -- \(client)", over: uplink).decoded()
            // The handshake is one round trip, request and answer another. A program in between adds milliseconds
            // of its own and takes none away.
            let connect = try #require(requests.map(\.connect).median)
            #expect((99...115).contains(connect))
            let firstByte = try #require(requests.map(\.firstByte).median)
            #expect((99...115).contains(firstByte))
        }

        @Test(arguments: zip(UplinkSetup.reportingRefusals, addresses))
        func downloadHasTheProfilesRate(_ uplink: UplinkSetup, _ address: String) throws {
            let outside = try Outside()
            let client = Web.client(address, "GET", bytes: 250_000)
            let output = try outside.check("--downlink 'rate=2 Mbit/s' -- \(client)", over: uplink)
            let request = try #require(try output.decoded(as: [Web.Request].self).first)
            // Segments of 1440 bytes are libslirp's for a MTU of 1500.
            let share = 1440.0 / (1440 + (address.contains(":") ? 74 : 54))
            #expect(abs(request.bytes * 8 / request.rest / (2000 * share) - 1) <= 0.05)
        }

        @Test(arguments: zip(UplinkSetup.reportingRefusals, addresses))
        func uploadHasTheProfilesRate(_ uplink: UplinkSetup, _ address: String) throws {
            let outside = try Outside()
            let client = Web.client(address, "PUT", bytes: 250_000)
            let output = try outside.check("--uplink 'rate=2 Mbit/s' -- \(client)", over: uplink)
            let request = try #require(try output.decoded(as: [Web.Request].self).first)
            let share = 1440.0 / (1440 + (address.contains(":") ? 74 : 54))
            #expect(abs(250_000 * 8 / request.firstByte / (2000 * share) - 1) <= 0.05)
        }

        @Test(arguments: addresses)
        func pastaCarriesAUsersTrafficAndSaysWhatItCannotDo(_ address: String) throws {
            let outside = try Outside()
            let figures = "--uplink 'delay=70 ms' --downlink 'delay=30 ms'"
            let client = Web.client(address, "GET", bytes: 100, count: 3)
            let result = try outside.run("\(figures) -- \(client)", over: .pastaForUser)
            let connect = try result.output.decoded(as: [Web.Request].self).map(\.connect).median
            #expect((99...115).contains(try #require(connect)))
            // Later versions report refusals, so there is no note.
            let isOld = try !Shell.run("pasta --help 2>&1").output.contains("--map-host-loopback")
            #expect(result.errors.contains("pasta drops refused connections silently") == isOld)
            #expect(result.errors.contains("apt install slirp4netns") == isOld)
        }

        /// By themselves, some of these programs outlive their sandbox.
        @Test(arguments: UplinkSetup.allCases)
        func programEndsWithItsSandboxWhicheverProcessIsKilled(_ uplink: UplinkSetup) throws {
            let outside = try Outside()
            let living = "ps -eo comm | grep -cE '^(passt|pasta|slirp4netns|lc-)'"
            #expect(try Shell.run(living).output == "0\n")
            let command = "kill -9 $(ps -o ppid= -p $PPID) $PPID; sleep 60"
            _ = try outside.run("-- sh -c \(Shell.quoted(command))", over: uplink)
            var rest = ""
            for _ in 0..<20 {
                rest = try Shell.run(living).output
                if rest == "0\n" { break }
                try Shell.check("sleep 0.1")
            }
            #expect(rest == "0\n")
        }

        @Test(arguments: UplinkSetup.reportingRefusals)
        func closedPortsRefuse(_ uplink: UplinkSetup) throws {
            let outside = try Outside()
            let line = PortCheck.line(Self.addresses.map { "\($0)/81" })
            let answers: [PortCheck.Answer] = try outside.check("-- \(line)", over: uplink).decoded()
            #expect(answers.map(\.tcp) == ["ECONNREFUSED", "ECONNREFUSED"])
        }

        @Test(arguments: UplinkSetup.allCases)
        func countersCountBothDirectionsOfTheUplink(_ uplink: UplinkSetup) throws {
            let outside = try Outside()
            let commands = "\(Web.client(Outside.address.v4, "GET", bytes: 100)) >&2; \(Shell.linkcond) status --json"
            let output = try outside.check("LTE -- sh -c \(Shell.quoted(commands))", over: uplink)
            let status = try StatusReport(printed: output)
            #expect(status.sandbox?.uplink == (uplink == .pastaForUser ? "pasta" : "slirp4netns"))
            // SYN, its answer, request, answer, and an end or an acknowledgement each way.
            #expect(try #require(status.lane(.uplink, of: "uplink0")).matchedPackets >= 3)
            #expect(try #require(status.lane(.downlink, of: "uplink0")).matchedPackets >= 3)
        }
    }
}
