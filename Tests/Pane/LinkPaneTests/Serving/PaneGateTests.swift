// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import LinkPane
@testable import SocketServing

/// Whom a pane at port 4711 admits.
@Suite struct PaneGateTests {
    private static let host = "127.0.0.1:4711"
    private static let user: UInt32 = 1000

    private let code: PaneSecret
    private var gate: PaneGate
    /// The field with the cookie, once the code was used.
    private var cookie: (String, String)?

    init() {
        var random = SeededGenerator(seed: 1)
        code = PaneSecret(&random)
        gate = PaneGate(port: 4711, owner: 0, code: code, token: nil, &random)
    }

    private mutating func ask(
        _ method: String = "GET",
        _ target: String = "/v1/pane",
        host: String? = host,
        user: UInt32? = user,
        _ fields: (String, String)...
    ) throws -> PaneGate.Admission {
        let all = (host.map { [("host", $0)] } ?? []) + (cookie.map { [$0] } ?? []) + fields
        let request = HTTPRequest(
            method: method,
            target: target,
            minorVersion: 1,
            fields: all.map { HTTPRequest.Field(name: $0.0, value: $0.1) },
            body: []
        )
        return gate.admit(request, try #require(PaneTarget(target)), user: { user })
    }

    private mutating func enter() throws {
        guard case .entered(let text) = try ask("GET", "/?code=\(code.text)") else {
            throw TestFailure("the code is refused")
        }
        cookie = ("cookie", String(text.prefix { $0 != ";" }))
    }

    private static func status(_ admission: PaneGate.Admission) -> Int? {
        if case .refused(let refusal) = admission { refusal.status } else { nil }
    }

    @Test mutating func exchangesTheCodeForACookieOnce() throws {
        #expect(Self.status(try ask()) == 403)
        guard case .entered(let text) = try ask("GET", "/?code=\(code.text)") else {
            throw TestFailure("the code is refused")
        }
        #expect(text.hasPrefix("linkcond-4711=") && text.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        #expect(Self.status(try ask("GET", "/?code=\(code.text)")) == 403)
        cookie = ("cookie", "a=b; \(text.prefix { $0 != ";" }); c=d")
        #expect(try ask() == .admitted)
        // As after "back" in the browser.
        #expect(try ask("GET", "/?code=\(code.text)") == .hadEntered)
    }

    @Test mutating func doesNotSpendTheCodeOnAHeadRequest() throws {
        #expect(Self.status(try ask("HEAD", "/?code=\(code.text)")) == 403)
        try enter()
    }

    @Test mutating func refusesTheCookieFromAnotherUser() throws {
        try enter()
        #expect(Self.status(try ask(user: 1001)) == 403)
        #expect(Self.status(try ask(user: nil)) == 403)
        #expect(try ask() == .admitted)
    }

    @Test mutating func givesAUsersPaneToThatUserAndRootOnly() throws {
        var random = SeededGenerator(seed: 2)
        gate = PaneGate(port: 4711, owner: 1000, code: code, token: nil, &random)
        #expect(Self.status(try ask("GET", "/?code=\(code.text)", user: 1001)) == 403)
        try enter()
    }

    @Test(arguments: [
        "evil.test", "evil.test:4711", "127.0.0.1", "127.0.0.1:4712", "[::1]", "localhost.:4711", "", nil,
    ])
    mutating func refusesOtherNames(host: String?) throws {
        try enter()
        #expect(Self.status(try ask(host: host)) == 403)
    }

    @Test(arguments: ["127.0.0.1:4711", "[::1]:4711", "localhost:4711", "LocalHost:4711"])
    mutating func admitsItsOwnNames(host: String) throws {
        try enter()
        #expect(try ask(host: host) == .admitted)
    }

    @Test(arguments: [
        ("origin", "https://evil.test"), ("origin", "null"), ("origin", "https://127.0.0.1:4711"),
        ("origin", "http://127.0.0.1:4711/"), ("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site"),
    ])
    mutating func refusesOtherPages(field: (String, String)) throws {
        try enter()
        #expect(Self.status(try ask("GET", "/v1/pane", field)) == 403)
        // The code is not spent by another page's link either.
        #expect(Self.status(try ask("GET", "/?code=\(code.text)", field)) == 403)
    }

    @Test mutating func changesNeedAnOriginAndJSON() throws {
        try enter()
        let (origin, type) = (("origin", "http://\(Self.host)"), ("content-type", "application/json; charset=utf-8"))
        #expect(try ask("POST", "/v1/off", origin, type) == .admitted)
        #expect(try ask("DELETE", "/v1/rules", ("sec-fetch-site", "same-origin"), type) == .admitted)
        #expect(Self.status(try ask("POST", "/v1/off", type)) == 403)
        #expect(Self.status(try ask("POST", "/v1/off", ("sec-fetch-site", "none"), type)) == 403)
        #expect(Self.status(try ask("POST", "/v1/off", origin)) == 415)
        for other in ["text/plain", "application/x-www-form-urlencoded", "text/plain; application/json"] {
            #expect(Self.status(try ask("POST", "/v1/off", origin, ("content-type", other))) == 415)
        }
    }

    @Test(arguments: ["OPTIONS", "TRACE", "CONNECT", "PATCH"])
    mutating func refusesOtherMethods(method: String) throws {
        try enter()
        #expect(Self.status(try ask(method)) == 405)
    }

    @Test mutating func admitsAScriptByItsToken() throws {
        var random = SeededGenerator(seed: 3)
        let token = PaneSecret(&random)
        gate = PaneGate(port: 4711, owner: 0, code: code, token: token, &random)
        let field = ("authorization", "Bearer \(token.text)")
        #expect(try ask("GET", "/v1/pane", user: nil, field) == .admitted)
        #expect(try ask("POST", "/v1/off", user: nil, field, ("content-type", "application/json")) == .admitted)
        #expect(Self.status(try ask("GET", "/v1/pane", field, ("origin", "https://evil.test"))) == 403)
        for value in ["Bearer \(code.text)", "Bearer ", "Basic \(token.text)", "\(token.text)"] {
            #expect(Self.status(try ask("GET", "/v1/pane", ("authorization", value))) == 401)
        }
    }

    @Test mutating func leavesOutTheUsualPort() throws {
        var random = SeededGenerator(seed: 4)
        gate = PaneGate(port: 80, owner: 0, code: code, token: nil, &random)
        guard case .entered = try ask("GET", "/?code=\(code.text)", host: "127.0.0.1") else {
            throw TestFailure("the name without a port is refused")
        }
    }
}
