// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Probing

@Suite struct PortalVerdictTests {
    private static func answer(
        _ host: String,
        _ finding: Observation.Finding,
        isSecure: Bool = false,
        location: String? = nil
    ) -> PortalVerdict.Answer {
        var observation = Observation(finding)
        observation.location = location
        if case .answered = finding { observation.status = 204 }
        if case .failed(let reason) = finding, reason.scope == .portal { observation.status = 200 }
        let question = HTTPQuestion(
            isSecure: isSecure,
            host: host,
            port: isSecure ? 443 : 80,
            status: 204,
            detectsPortal: true
        )
        return PortalVerdict.Answer(question, observation)
    }

    private static let good = Observation.Finding.answered(.milliseconds(20))
    private static let replaced = Observation.Finding.failed(.portalContent)

    @Test func needsTwoServers() {
        #expect(PortalVerdict([]) == .unknown)
        #expect(PortalVerdict([Self.answer("a", Self.good)]) == .unknown)
        #expect(PortalVerdict([Self.answer("a", Self.replaced), Self.answer("A", Self.replaced)]) == .unknown)
        #expect(PortalVerdict([Self.answer("a", Self.good), Self.answer("b", .failed(.blackHole))]) == .unknown)
        #expect(PortalVerdict([Self.answer("a", Self.good), Self.answer("b", .nothing(.resources))]) == .unknown)
    }

    @Test func isOpenIfHalfOfTheServersAre() {
        #expect(PortalVerdict([Self.answer("a", Self.good), Self.answer("b", Self.good)]) == .open)
        #expect(PortalVerdict([Self.answer("a", Self.good), Self.answer("b", Self.replaced)]) == .open)
        let two = [Self.answer("a", Self.good), Self.answer("b", Self.replaced), Self.answer("c", Self.replaced)]
        #expect(PortalVerdict(two) == .captive(.portalContent, location: nil))
    }

    @Test func tellsWhereThePortalIs() {
        let redirect = Self.answer("b", .failed(.portalRedirect), location: "http://portal.test/")
        let answers = [Self.answer("a", Self.replaced), redirect, Self.answer("c", .failed(.portalHTTP511))]
        #expect(PortalVerdict(answers) == .captive(.portalRedirect, location: "http://portal.test/"))
        #expect(PortalVerdict(answers.reversed()) == PortalVerdict(answers))
    }

    @Test func seesAnInterceptionOnlyWherePlainRequestsAreAnswered() {
        let secure = ["a", "b"].map { Self.answer($0, .failed(.tlsNameMismatch), isSecure: true) }
        #expect(PortalVerdict(secure) == .unknown)
        let plain = ["a", "b"].map { Self.answer($0, Self.good) }
        #expect(PortalVerdict(secure + plain) == .captive(.portalInterception, location: nil))
        let expired = ["a", "b"].map { Self.answer($0, .failed(.tlsExpired), isSecure: true) }
        #expect(PortalVerdict(expired + plain) == .open)
        #expect(PortalVerdict([Self.answer("a", .failed(.tlsUntrusted), isSecure: true)] + plain) == .open)
    }
}
