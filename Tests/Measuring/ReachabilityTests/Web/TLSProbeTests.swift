// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Netlink
@testable import Probing

@Suite struct TLSProbeTests {
    private let prober: SocketProber

    init() throws {
        prober = try Servers.prober()
    }

    @Test(arguments: [IPAddress.loopback4, .loopback6])
    func finishesAHandshake(_ address: IPAddress) async throws {
        let observation = try await prober.askTLS("tls-good", address)
        #expect(observation.isAnswer)
        #expect(observation.tlsVersion == "TLSv1.3")
        // 2099-01-01
        #expect(observation.certificateEnd == 4_070_908_800)
        #expect(Set(observation.phases.keys) == [.connect, .tls])
    }

    @Test func finishesAnOlderHandshake() async throws {
        let observation = try await prober.askTLS("tls-1.2")
        #expect(observation.isAnswer)
        #expect(observation.tlsVersion == "TLSv1.2")
    }

    @Test func finishesWithAServerThatSaysNothingAfterwards() async throws {
        #expect(try await prober.askTLS("tls-no-tickets").isAnswer)
        #expect(try await prober.askTLS("tls-silent").isAnswer)
    }

    @Test func trustsAnIntermediate() async throws {
        #expect(try await prober.askTLS("tls-chained").isAnswer)
    }

    @Test(arguments: ["127.0.0.1", "::1", "one.wild.test", "GOOD.test."])
    func findsNameAndAddressInTheCertificate(_ name: String) async throws {
        #expect(try await prober.askTLS("tls-good", name: name).isAnswer)
    }

    @Test(arguments: ["bad.test", "wild.test", "one.two.wild.test", "127.0.0.2", "::2", "good"])
    func missesNameAndAddress(_ name: String) async throws {
        let observation = try await prober.askTLS("tls-good", name: name)
        #expect(observation.finding == .failed(.tlsNameMismatch))
        #expect(observation.detail?.contains("good.test") == true)
    }

    @Test(arguments: [
        ("tls-expired", Reason.tlsExpired), ("tls-early", .tlsNotYetValid), ("tls-unknown", .tlsUntrusted),
        ("tls-strangerExpired", .tlsExpired), ("tls-self", .tlsUntrusted), ("tls-other", .tlsNameMismatch),
        ("tls-underOld", .tlsExpired), ("tls-old", .tlsVersionOrALPN), ("tls-1.0-hello", .tlsVersionOrALPN),
        ("tls-client", .tlsAlert), ("tls-client-1.2", .tlsAlert), ("alert", .tlsAlert), ("greeting", .tlsMalformed),
        ("plain", .tlsMalformed), ("reset", .reset), ("reset-later", .reset), ("close", .closedEarly),
        ("closed", .refused),
    ])
    func tellsWhatIsWrong(_ kind: String, _ reason: Reason) async throws {
        let observation = try await prober.askTLS(kind)
        #expect(observation.finding == .failed(reason), "\(kind): \(observation)")
    }

    @Test func namesTheAlert() async throws {
        #expect(try await prober.askTLS("alert").detail == "unrecognized_name")
        #expect(try await prober.askTLS("tls-client").detail == "certificate_required")
        #expect(try await prober.askTLS("tls-old").detail == "protocol_version")
    }

    @Test(arguments: ["", "a\0b", String(repeating: "a", count: 300)])
    func doesNotBlameTheTargetForAnImpossibleName(_ name: String) async throws {
        #expect(try await prober.askTLS("tls-good", name: name).finding == .nothing(.unsupported))
    }

    @Test func saysWhenACertificateThatIsNotAcceptedEnds() async throws {
        // 2021-01-01
        #expect(try await prober.askTLS("tls-expired").certificateEnd == 1_609_459_200)
    }

    @Test func tellsSilenceFromABlackHole() async throws {
        func isSilent(_ observation: Observation) -> Bool {
            observation.finding == .failed(.tlsTimeout) && observation.phases[.tls] ?? .zero > .milliseconds(100)
        }
        let silent = await prober.askInVain(try .tlsServer("silent"), until: isSilent)
        #expect(isSilent(silent), "\(silent)")
        let unanswered = await prober.ask(try .tlsServer("black-hole"), timeout: .milliseconds(300))
        #expect(unanswered.finding == .failed(.blackHole))
        #expect(Set(unanswered.phases.keys) == [.connect])
    }

    @Test func doesNotBlameTheTargetForMissingRoots() async throws {
        let prober = SocketProber(roots: TrustRoots(includesSystem: false, file: "/nowhere/roots.pem"))
        #expect(try await prober.askTLS("tls-good").finding == .nothing(.noTrustRoots))
        #expect(try await prober.askTLS("tls-expired").finding == .failed(.tlsExpired))
        #expect(try await prober.askTLS("closed").finding == .failed(.refused))
    }

    @Test func doesNotTrustTheTestsAuthorityOnItsOwn() async throws {
        let observation = try await SocketProber().askTLS("tls-good")
        // A machine without any roots cannot tell.
        let hasRoots = !TrustRoots.system.files.isEmpty
        #expect(observation.finding == (hasRoots ? .failed(.tlsUntrusted) : .nothing(.noTrustRoots)))
    }

    @Test func seesThatTheRootsHaveChanged() async throws {
        let authority = try Servers.all.get().authority
        let path = authority.path("changing")
        let certificate = try String.reading(authority.path("stranger"))
        try certificate.write(to: path)
        defer { unlink(path) }
        let prober = SocketProber(roots: TrustRoots(includesSystem: false, file: path))
        #expect(try await prober.askTLS("tls-good").finding == .failed(.tlsUntrusted))
        try (certificate + String.reading(authority.roots)).write(to: path)
        #expect(try await prober.askTLS("tls-good").isAnswer)
    }
}
