// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts

/// Whom an expectation is about.
struct PeerTests {
    private static func run() throws -> JudgedRun {
        var run = JudgedRun()
        for begin in [0, 1000, 2000] { try run.connect(at: begin, port: 8080) }
        return run
    }

    @Test func knowsANameOfTheHostsFile() throws {
        var run = try Self.run()
        run.record.hosts = HostNames(Array("# hosts\n192.0.2.7 Api.test api # the server\n::1 six\nnonsense\n".utf8))
        for name in ["api.test", "api", "API.test."] {
            #expect(try run.judge("at most 1 connection to \(name):8080").verdict == .fail, "\(name)")
            #expect(try run.judge("at most 3 connections to \(name):8080").verdict == .pass, "\(name)")
        }
        #expect(try run.verdict("at most 1 connection to six:8080") == .inconclusive)
    }

    /// What is printed of it would read as something else.
    @Test(arguments: ["", ".", "..", "a..", ".a", "a..b", ".:80", "a b"]) func hasNoEmptyPart(name: String) {
        #expect(Peer(parsing: name) == nil)
    }

    /// RFC 6761: whatever the hosts file has.
    @Test(arguments: ["127.0.0.1", "::1"], ["localhost", "api.localhost"])
    func knowsLocalhost(address: String, name: String) throws {
        var run = try Self.run()
        for index in run.traffic.connections.indices {
            run.traffic.connections[index].server.address = try #require(IPAddress(address))
        }
        #expect(try run.verdict("at most 1 connection to \(name):8080") == .fail)
    }

    @Test func takesMappedAddressesForTheSame() throws {
        var run = try Self.run()
        #expect(try run.verdict("at most 1 connection to [::ffff:192.0.2.7]:8080") == .fail)
        run.traffic.connections[0].server.address = try #require(IPAddress("::ffff:192.0.2.7"))
        #expect(try run.judge("at most 1 connection to 192.0.2.7:8080").finding == "3 connections to 192.0.2.7:8080")
    }

    @Test func knowsTheNamesThatThePacketsTell() throws {
        var run = try Self.run()
        run.traffic.connections[0].serverName = "sni.test"
        run.traffic.connections[0].isNamedByClient = true
        run.traffic.connections[1].resolvedNames = ["cdn.test", "Dns.test"]
        var request = ObservedRequest(method: "GET", target: "/", packet: run.packet(1))
        request.host = "host.test:8080"
        run.traffic.connections[2].requests = [request]
        for name in ["sni.test", "dns.test", "cdn.test", "host.test"] {
            #expect(try run.judge("at most 1 connection to \(name)").finding == "1 connection to \(name)")
        }
        // Several hosts may have one address: the client's own word counts.
        run.traffic.connections[0].resolvedNames = ["dns.test"]
        run.traffic.connections[2].resolvedNames = ["dns.test"]
        #expect(try run.verdict("at most 1 connection to dns.test") == .pass)
    }

    /// To ask for a name is not to speak to it.
    @Test func takesAQueryForNoConnection() throws {
        var run = try Self.run()
        run.traffic.connections[0].serverName = "api.test"
        run.traffic.nameQueries = [NameQuery(name: "api.test", type: 1, packet: run.packet(0))]
        #expect(try run.verdict("at most 3 connections to api.test:8081") == .inconclusive)
        #expect(try run.verdict("at most 1 DNS query to api.test") == .pass)
    }

    @Test(arguments: [
        "at most 1 connection to api.tset:8080", "first byte to api.tset:8080 within 5 s",
        "at most 0 requests to api.tset", "attempts to api.tset:8080 back off", "at most 9 kB to api.tset:8080",
    ])
    func saysNothingOfAPeerThatNothingSpokeTo(text: String) throws {
        var run = try Self.run()
        run.traffic.connections[0].serverName = "api.test"
        let judgement = try run.judge(text)
        #expect(judgement.verdict == .inconclusive)
        #expect(judgement.finding.contains("did you mean api.test"), "\(judgement.finding)")
    }

    @Test func namesThePeersThatWereSeen() throws {
        let run = try Self.run()
        #expect(
            try run.judge("at most 1 connection to nowhere.test").finding
                == "nothing was sent to nowhere.test; the client spoke to 192.0.2.7"
        )
        #expect(try JudgedRun().judge("at most 1 byte to a.test").finding == "nothing was sent to a.test")
    }

    /// A machine has names of its own for its addresses, which tell nothing of the client.
    @Test func namesNoPeersThatOnlyTheHostsFileKnows() throws {
        var run = try Self.run()
        run.record.hosts = HostNames(Array("192.0.2.7 shop.test vm my-laptop\n".utf8))
        let start = "nothing was sent to nowhere.test; the client spoke to "
        #expect(try run.judge("at most 1 connection to nowhere.test").finding == start + "192.0.2.7")
        run.traffic.connections[0].serverName = "sni.test"
        #expect(try run.judge("at most 1 connection to nowhere.test").finding == start + "sni.test, 192.0.2.7")
        // What the client found there may be misspelt.
        #expect(try run.judge("at most 1 connection to shop.tset").finding.contains("did you mean shop.test?"))
    }

    /// What must not be spoken to: its absence is seen where each server has a name, or where it is an address.
    @Test func passesTheAbsenceThatItCanSee() throws {
        var run = try Self.run()
        #expect(try run.verdict("at most 0 connections to 192.0.2.9:8080") == .pass)
        #expect(try run.verdict("at most 0 connections to tracker.test") == .inconclusive)
        for index in run.traffic.connections.indices { run.traffic.connections[index].serverName = "api.test" }
        #expect(try run.verdict("at most 0 connections to tracker.test") == .pass)
        #expect(try run.verdict("at most 0 connections to api.test:443") == .pass)
    }
}
