// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import TestKit
import Testing

extension LabTests {
    /// A sandbox's way to the outside, between a host and a stand-in for the internet.
    @Suite struct Uplinks {
        private static let addresses = [Outside.address.v4, Outside.address.v6]

        @Test(arguments: Road.faithful, addresses)
        func connectionTakesTheProfilesRoundTrips(_ road: Road, _ address: String) throws {
            let outside = try Outside()
            let figures = "--uplink 'delay=70 ms' --downlink 'delay=30 ms'"
            let visiting = Web.visiting(address, "GET", bytes: 100, count: 3)
            let visits: [Web.Visit] = try outside.check("\(figures) -- \(visiting)", over: road).decoded()
            // The handshake is one round trip, request and answer another. A program in between adds milliseconds
            // of its own and takes none away.
            let connect = try #require(visits.map(\.connect).median)
            #expect((99...115).contains(connect))
            let firstByte = try #require(visits.map(\.firstByte).median)
            #expect((99...115).contains(firstByte))
        }

        @Test(arguments: zip(Road.faithful, addresses))
        func downloadHasTheProfilesRate(_ road: Road, _ address: String) throws {
            let outside = try Outside()
            let visiting = Web.visiting(address, "GET", bytes: 250_000)
            let output = try outside.check("--downlink 'rate=2 Mbit/s' -- \(visiting)", over: road)
            let visit = try #require(try output.decoded(as: [Web.Visit].self).first)
            // Segments of 1440 bytes are libslirp's for a MTU of 1500.
            let share = 1440.0 / (1440 + (address.contains(":") ? 74 : 54))
            #expect(abs(visit.bytes * 8 / visit.rest / (2000 * share) - 1) <= 0.05)
        }

        @Test(arguments: zip(Road.faithful, addresses))
        func uploadHasTheProfilesRate(_ road: Road, _ address: String) throws {
            let outside = try Outside()
            let visiting = Web.visiting(address, "PUT", bytes: 250_000)
            let output = try outside.check("--uplink 'rate=2 Mbit/s' -- \(visiting)", over: road)
            let visit = try #require(try output.decoded(as: [Web.Visit].self).first)
            let share = 1440.0 / (1440 + (address.contains(":") ? 74 : 54))
            #expect(abs(250_000 * 8 / visit.firstByte / (2000 * share) - 1) <= 0.05)
        }

        @Test(arguments: addresses)
        func pastaCarriesAUsersTrafficAndSaysWhatItCannotDo(_ address: String) throws {
            let outside = try Outside()
            let figures = "--uplink 'delay=70 ms' --downlink 'delay=30 ms'"
            let visiting = Web.visiting(address, "GET", bytes: 100, count: 3)
            let result = try outside.run("\(figures) -- \(visiting)", over: .pastaForUser)
            let connect = try result.output.decoded(as: [Web.Visit].self).map(\.connect).median
            #expect((99...115).contains(try #require(connect)))
            // Later versions refuse, and there is nothing to say.
            let isOld = try !Shell.run("pasta --help 2>&1").output.contains("--map-host-loopback")
            #expect(result.errors.contains("pasta drops refused connections silently") == isOld)
            #expect(result.errors.contains("apt install slirp4netns") == isOld)
        }

        /// Some of these programs outlive what they were made for.
        @Test(arguments: Road.allCases)
        func programEndsWithItsSandboxWhicheverProcessIsKilled(_ road: Road) throws {
            let outside = try Outside()
            let living = "ps -eo comm | grep -cE '^(passt|pasta|slirp4netns|lc-)'"
            #expect(try Shell.run(living).output == "0\n")
            let command = "kill -9 $(ps -o ppid= -p $PPID) $PPID; sleep 60"
            _ = try outside.run("-- sh -c \(Shell.quoted(command))", over: road)
            var rest = ""
            for _ in 0..<20 {
                rest = try Shell.run(living).output
                if rest == "0\n" { break }
                try Shell.check("sleep 0.1")
            }
            #expect(rest == "0\n")
        }

        @Test(arguments: Road.faithful)
        func refusedPortsAreRefused(_ road: Road) throws {
            let outside = try Outside()
            let doors = Self.addresses.map { "\($0)/81" }
            let answers: [Knocking.Answer] = try outside.check("-- \(Knocking.line(doors))", over: road).decoded()
            #expect(answers.map(\.tcp) == ["ECONNREFUSED", "ECONNREFUSED"])
        }

        @Test(arguments: Road.allCases)
        func countersTellBothDirectionsOfTheUplink(_ road: Road) throws {
            let outside = try Outside()
            let commands = "\(Web.visiting(Outside.address.v4, "GET", bytes: 100)) >&2; \(Shell.linkcond) status --json"
            let output = try outside.check("LTE -- sh -c \(Shell.quoted(commands))", over: road)
            let status = try StatusReport(printed: output)
            #expect(status.sandbox?.uplink == (road == .pastaForUser ? "pasta" : "slirp4netns"))
            // SYN, its answer, request, answer, and an end or an acknowledgement each way.
            #expect(try #require(status.lane(.uplink, of: "uplink0")).matchedPackets >= 3)
            #expect(try #require(status.lane(.downlink, of: "uplink0")).matchedPackets >= 3)
        }
    }
}
