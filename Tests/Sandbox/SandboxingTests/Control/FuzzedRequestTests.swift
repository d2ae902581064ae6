// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LinkConditioning
import LinkProfiles
import Netlink
import ProfileCatalog
import SandboxClient
import TestKit
import Testing

@testable import Sandboxing

/// Clients of the control socket that send anything. Nothing reaches the kernel: the sandbox has no devices.
@Suite struct FuzzedRequestTests {
    private static let sound = [
        "GET /v1/status HTTP/1.1\r\nHost: linkcond\r\n\r\n",
        "PUT /v1/conditions HTTP/1.1\r\nHost: linkcond\r\nContent-Length: 8\r\n\r\nSlow Net",
        "PUT /v1/conditions HTTP/1.1\r\nHost: linkcond\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nSlow\r\n4\r\n Net\r\n0\r\n\r\n",
        "PUT /v1/conditions HTTP/1.1\r\nHost: linkcond\r\nContent-Length: 45\r\n\r\n"
            + "{\"name\":\"Mine\",\"downlink\":{\"delay\":\"5 ms\"}}  ",
        "PUT /v1/scenario HTTP/1.1\r\nHost: linkcond\r\nContent-Length: 105\r\n\r\n"
            + #"{"name":"x","profile":"LTE","steps":[{"label":"a","after":{"mark":"b"},"profile":"3G"}],"repeat":2}      "#,
        "DELETE /v1/scenario HTTP/1.1\r\nHost: linkcond\r\n\r\n",
        "POST /v1/observation HTTP/1.1\r\nHost: linkcond\r\nContent-Length: 0\r\n\r\n",
        "POST /v1/off HTTP/1.1\r\nHost: linkcond\r\nContent-Length: 0\r\n\r\n",
        "POST /v1/on HTTP/1.1\r\nHost: linkcond\r\nContent-Length: 0\r\n\r\n",
        "GET /v1/run HTTP/1.1\r\nHost: linkcond\r\n\r\n",
        "POST /v1/status?x=%00 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    ].map { Array($0.utf8) }

    private func sandbox() throws -> ControlledSandbox {
        let connection = RouteConnection(try RouteSocket())
        let conditions = SandboxConditions(
            connection,
            [ConditionedInterfaces(nil, [], [])],
            selection: Selection(),
            pump: nil
        )
        var sandbox = ControlledSandbox(
            conditions: conditions,
            catalog: Catalog(directories: []),
            uplink: nil,
            supervisor: 4711
        )
        let events = RunEvents()
        (sandbox.events, sandbox.scenario) = (events, ScenarioPlayer(nil, conditions, events, uplinks: []))
        return sandbox
    }

    @Test func answersOrEndsEveryConnection() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "control-\(UUID())").path
        defer { unlink(path) }
        let listener = try ControlServer.listen(at: path, user: geteuid())
        let server = ControlServer.serve(listener, for: try sandbox(), users: [geteuid()])
        defer { server.stop() }
        var inputs = FuzzedInputs(Self.sound, seed: 1)
        var answers = 0
        for _ in 0..<FuzzedInputs.count {
            let request = inputs.next()
            let answer = try Self.exchange(request, at: path)
            if answer.starts(with: Array("HTTP/1.1 ".utf8)) {
                answers += 1
            } else if !answer.isEmpty {
                Issue.record("\(request) is answered with \(answer)")
            }
        }
        #expect(answers > FuzzedInputs.count / 10)
        let last = String(decoding: try Self.exchange(Self.sound[0], at: path), as: UTF8.self)
        #expect(last.hasPrefix("HTTP/1.1 200 OK"), "\(last)")
    }

    @Test func takesNoBodyForConditionsThatItIsNot() throws {
        let sandbox = try sandbox()
        let bodies = ["Slow Net", "\"Slow Net\"", "{\"name\":\"Mine\",\"downlink\":{\"delay\":\"5 ms\"}}"]
        var inputs = FuzzedInputs(bodies.map { Array($0.utf8) }, seed: 2)
        var taken = 0
        // The nearest of all names is looked for each time.
        for _ in 0..<FuzzedInputs.count / 10 {
            let before = try sandbox.conditions.current()?.profile
            let body = inputs.next()
            let answer = sandbox.answer("PUT", "/v1/conditions", body: body)
            let now = try sandbox.conditions.current()?.profile
            if answer.status == 200 { taken += 1 }
            var isNamed = false
            if case .string(let name)? = answer.body?["profile"]?.value { isNamed = name == now?.name }
            if !isNamed, answer.status == 200 || now != before {
                Issue.record("\(body) makes \(now?.name ?? "no conditions")")
            }
        }
        #expect(taken > FuzzedInputs.count / 1000)
    }

    /// Sends a request, and returns what the server answers until it closes the connection.
    private static func exchange(_ request: [UInt8], at path: String) throws -> [UInt8] {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(isConnected == 0)
        // It may have closed the connection already.
        _ = send(descriptor, request, request.count, CInt(MSG_NOSIGNAL))
        shutdown(descriptor, CInt(SHUT_WR))
        var limit = timeval(tv_sec: 180, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count != 0 else { return answer }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                try #require(errno == ECONNRESET, "\(request) is neither answered nor ended: errno \(errno)")
                return answer
            }
            answer += buffer[..<count]
        }
    }
}
