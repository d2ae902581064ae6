// SPDX-License-Identifier: Apache-2.0

import Glibc

@testable import Netlink
@testable import Probing

extension IPAddress {
    static let loopback4 = loopback([127, 0, 0, 1])
    static let loopback6 = loopback([UInt8](repeating: 0, count: 15) + [1])

    private static func loopback(_ bytes: [UInt8]) -> IPAddress {
        guard let address = IPAddress(bytes: bytes) else { fatalError("four or sixteen bytes") }
        return address
    }
}

extension Probe {
    /// A TLS handshake with the server of this kind.
    static func tlsServer(
        _ kind: String,
        _ address: IPAddress = .loopback4,
        name: String = "good.test"
    ) throws -> Probe {
        .tls(address, port: try Servers.port(kind), name: name)
    }

    /// A request to the server of this kind.
    static func webServer(
        _ kind: String,
        _ address: IPAddress = .loopback4,
        isSecure: Bool = false,
        host: String = "good.test",
        path: String = "/",
        status: Int? = nil,
        body: String? = nil,
        detectsPortal: Bool = false
    ) throws -> Probe {
        let question = HTTPQuestion(
            isSecure: isSecure,
            host: host,
            port: try Servers.port(kind),
            path: path,
            status: status,
            body: body,
            detectsPortal: detectsPortal
        )
        return .http(question, address)
    }
}

extension Prober {
    /// What a TLS handshake with the server of this kind shows.
    func askTLS(
        _ kind: String,
        _ address: IPAddress = .loopback4,
        name: String = "good.test"
    ) async throws -> Observation {
        await ask(try .tlsServer(kind, address, name: name))
    }

    /// What a request to the server of this kind shows.
    func askWeb(
        _ kind: String,
        _ address: IPAddress = .loopback4,
        isSecure: Bool = false,
        host: String = "good.test",
        path: String = "/",
        status: Int? = nil,
        body: String? = nil,
        detectsPortal: Bool = false
    ) async throws -> Observation {
        await ask(
            try .webServer(
                kind,
                address,
                isSecure: isSecure,
                host: host,
                path: path,
                status: status,
                body: body,
                detectsPortal: detectsPortal
            )
        )
    }
}

extension Observation {
    /// Whether it is an answer.
    var isAnswer: Bool {
        if case .answered = finding { true } else { false }
    }
}
