// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Netlink
@testable import Probing

@Suite struct HTTPProbeTests {
    private let prober: SocketProber

    init() throws {
        prober = try Servers.prober()
    }

    @Test(arguments: [IPAddress.loopback4, .loopback6])
    func getsAnAnswer(_ address: IPAddress) async throws {
        let observation = try await prober.askWeb("200", address)
        #expect(observation.isAnswer)
        #expect(observation.status == 200)
        #expect(Set(observation.phases.keys) == [.connect, .processing, .transfer])
    }

    @Test(arguments: [IPAddress.loopback4, .loopback6])
    func getsASecureAnswer(_ address: IPAddress) async throws {
        let observation = try await prober.askWeb("tls-good", address, isSecure: true, body: "is well")
        #expect(observation.isAnswer)
        #expect(observation.tlsVersion == "TLSv1.3")
        #expect(observation.certificateEnd == 4_070_908_800)
        #expect(Set(observation.phases.keys) == [.connect, .tls, .processing, .transfer])
    }

    @Test(arguments: [
        ("tls-expired", Reason.tlsExpired), ("tls-self", .tlsUntrusted), ("tls-other", .tlsNameMismatch),
        ("tls-client", .tlsAlert), ("tls-old", .tlsVersionOrALPN), ("plain", .tlsMalformed),
    ])
    func sendsNoRequestToAnUntrustedServer(_ kind: String, _ reason: Reason) async throws {
        let observation = try await prober.askWeb(kind, isSecure: true)
        #expect(observation.finding == .failed(reason), "\(kind): \(observation)")
        #expect(observation.status == nil)
    }

    @Test(
        arguments: [
            ("200", nil, nil), ("204", nil, nil), ("301", nil, nil), ("404", 404, nil), ("204", 204, nil),
            ("200", 200, "all is well"), ("until-close", 200, "all is well"), ("continue", 200, "well"),
            ("slow-body", nil, "all"), ("huge", 200, nil), ("huge", nil, "xxxx"),
        ] as [(String, Int?, String?)]
    )
    func isContentWithWhatWasExpected(_ kind: String, _ status: Int?, _ body: String?) async throws {
        let observation = try await prober.askWeb(kind, status: status, body: body)
        #expect(observation.isAnswer, "\(kind): \(observation)")
    }

    @Test(
        arguments: [
            ("301", 200, nil, Reason.redirect), ("401", nil, nil, .authRequired), ("407", nil, nil, .authRequired),
            ("404", nil, nil, .status), ("500", nil, nil, .status), ("511", nil, nil, .status),
            ("200", 204, nil, .status),
            ("200", nil, "elsewhere", .bodyMismatch), ("huge", nil, "well", .bodyMismatch),
            ("late-words", nil, "well", .bodyMismatch), ("garbage", nil, nil, .malformed),
            ("greeting", nil, nil, .malformed), ("half-head", nil, nil, .closedEarly),
            ("close", nil, nil, .closedEarly), ("short-body", nil, nil, .closedEarly), ("reset", nil, nil, .reset),
            ("reset-later", nil, nil, .reset), ("closed", nil, nil, .refused),
        ] as [(String, Int?, String?, Reason)]
    )
    func tellsWhatIsWrong(_ kind: String, _ status: Int?, _ body: String?, _ reason: Reason) async throws {
        let observation = try await prober.askWeb(kind, status: status, body: body)
        #expect(observation.finding == .failed(reason), "\(kind): \(observation)")
    }

    /// The server resets as soon as it has accepted: before the request, while it is sent, or after it.
    @Test func tellsAResetWheneverItComes() async throws {
        for _ in 0..<1000 {
            let observation = try await prober.askWeb("reset")
            try #require(observation.finding == .failed(.reset), "\(observation)")
        }
    }

    @Test(arguments: [
        ("black-hole", Reason.blackHole), ("slow-first", .firstByteTimeout), ("silent", .firstByteTimeout),
        ("slow-body", .bodyTimeout),
    ])
    func tellsWhatItWaitedFor(_ kind: String, _ reason: Reason) async throws {
        let observation = await prober.askInVain(try .webServer(kind)) { $0.finding == .failed(reason) }
        #expect(observation.finding == .failed(reason))
    }

    @Test func tellsThatASecureServerIsSilent() async throws {
        for (kind, reason) in [("silent", Reason.tlsTimeout), ("tls-silent", .firstByteTimeout)] {
            let probe = try Probe.webServer(kind, isSecure: true)
            let observation = await prober.askInVain(probe) { $0.finding == .failed(reason) }
            #expect(observation.finding == .failed(reason), "\(kind): \(observation)")
        }
    }

    @Test(
        arguments: [
            ("204", 204, nil, nil), ("200-empty", 204, nil, nil), ("200", 200, "all is well", nil),
            ("301", 204, nil, Reason.portalRedirect), ("200", 204, nil, .portalContent),
            ("200", 200, "Success", .portalContent), ("511", 204, nil, .portalHTTP511),
            ("404", 204, nil, .portalContent),
            ("500", 204, nil, .status),
        ] as [(String, Int?, String?, Reason?)]
    )
    func tellsAPortalFromTheServer(_ kind: String, _ status: Int?, _ body: String?, _ reason: Reason?) async throws {
        let observation = try await prober.askWeb(kind, status: status, body: body, detectsPortal: true)
        if let reason {
            #expect(observation.finding == .failed(reason), "\(kind): \(observation)")
        } else {
            #expect(observation.isAnswer, "\(kind): \(observation)")
        }
    }

    @Test func saysWhereARedirectLeads() async throws {
        #expect(try await prober.askWeb("301").location == "http://portal.test/login")
        let portal = try await prober.askWeb("301", status: 204, detectsPortal: true)
        #expect(portal.location == "http://portal.test/login")
    }

    @Test func asksAsABrowserWould() async throws {
        let port = try Servers.port("echo")
        for line in [
            "GET /a?b=c%20d HTTP/1.1\r\n", "Host: good.test:\(port)\r\n", "User-Agent: linkcond/1\r\n",
            "Connection: close\r\n",
        ] {
            #expect(try await prober.askWeb("echo", path: "/a?b=c d", body: line).isAnswer, "\(line)")
        }
        #expect(try await prober.askWeb("echo", host: "::1", body: "Host: [::1]:\(port)\r\n").isAnswer)
    }

    @Test func lowersNoGuardAgainstItsOwnQuestion() {
        let question = HTTPQuestion(host: "a\r\nb", port: 80, path: "x\r\nEvil: é#part")
        #expect(question.requestTarget == "/x%0D%0AEvil:%20%C3%A9")
        #expect(question.authority == "ab")
        #expect(HTTPQuestion(isSecure: true, host: "fe80::1%eth0", port: 443).authority == "[fe80::1]")
    }
}
