// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkConditioning

/// Faults that would end the user's own login.
struct FaultLockoutTests {
    private let login = LoginConnection("192.0.2.7 40000 198.51.100.1 22", processID: 1)

    private func profile(_ match: String, _ action: String) throws -> Profile {
        try Profile(utf8: "{\"name\": \"T\", \"faults\": [{\"match\": \(match), \"do\": \(action)}]}".utf8)
    }

    @Test(arguments: [
        ("{}", #""lose""#, true), (#"{"protocol": "tcp", "after": "20 kB"}"#, #""reset""#, true),
        (#"{"port": 22}"#, #""stall""#, true), (#"{"port": 443}"#, #""reset""#, false),
        (#"{"to": "192.0.2.0/24"}"#, #""lose""#, true), (#"{"to": "10.0.0.0/8"}"#, #""lose""#, false),
        (#"{"protocol": "udp"}"#, #""lose""#, false), (#"{"version": 6}"#, #""lose""#, false),
        (#"{"exclude": {"port": 22}}"#, #""lose""#, false), (#"{"packet": "syn"}"#, #""lose""#, false),
        (#"{"packet": "first 1"}"#, #""lose""#, false), (#"{"packet": "nth 9"}"#, #""reset""#, true),
        (#"{"packet": "every 2"}"#, #""lose""#, true), (#"{"packet": "every 10"}"#, #""lose""#, false),
        (#"{"probability": "39 %"}"#, #""lose""#, false), (#"{"probability": "40 %"}"#, #""lose""#, true),
        (#"{"probability": "1 %"}"#, #""reset""#, true), (#"{"dns": "*"}"#, #""lose""#, false),
        ("{}", #"{"answer": "REFUSED"}"#, false), ("{}", #"{"portal": "http://a.test/"}"#, false),
        (#"{"larger": "1400 bytes"}"#, #""lose""#, true),
    ])
    func areRefusedIfTheyAreAboutIt(match: String, action: String, isRefused: Bool) throws {
        let guardian = LockoutGuard(connection: login, carriers: ["eth0"])
        let request = RuleRequest(profile: try profile(match, action), selection: Selection())
        func check(_ device: String) -> Bool { (try? guardian.check(request, on: device)) == nil }
        #expect(check("eth0") == isRefused)
        #expect(!check("eth1"))
    }

    @Test func areNamedInTheRefusal() throws {
        let guardian = LockoutGuard(connection: login, carriers: ["eth0"])
        let request = RuleRequest(profile: try profile(#"{"port": 22}"#, #""reset""#), selection: Selection())
        #expect {
            try guardian.check(request, on: "eth0")
        } throws: { "\($0)".contains("fault 1 is about it: reset: port 22") }
    }
}
