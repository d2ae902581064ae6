// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import LinuxSystem
import SandboxClient
import TestKit
import Testing

@testable import LinkPane

/// A pane as its clients see it.
@Suite final class PaneServiceTests {
    private let service: PaneService
    private let running: PaneService.Running
    private let port: UInt16
    private let files: TemporaryDirectory

    init() throws {
        let sockets = try PaneSockets(port: nil)
        port = sockets.port
        files = try TemporaryDirectory()
        service = PaneService(sockets)
        running = try service.start(
            PaneParts(
                work: {
                    let description = PaneDescription(version: "1", place: .host, user: "me")
                    return PaneParts.Work(
                        resources: [DescriptionResource(description), Echo("/v1/echo")],
                        live: LiveText { Array(#"{"rules":[]}"#.utf8) }
                    )
                },
                slow: [{ [Echo("/v1/slow", delay: 2)] }, { [Echo("/v1/other")] }]
            )
        )
    }

    deinit { running.stop() }

    /// Answers what it was asked, or a file.
    private final class Echo: PaneResource {
        private let path: String
        private let delay: UInt32

        init(_ path: String, delay: UInt32 = 0) { (self.path, self.delay) = (path, delay) }

        func answer(_ request: PaneRequest) -> ControlAPI.Answer? {
            guard request.path == path else { return nil }
            sleep(delay)
            return ControlAPI.Answer(
                body: JSON(
                    ("method", .text(request.method)),
                    ("query", .text(request.query["a"])),
                    ("body", request.body)
                )
            )
        }

        func file(_ request: PaneRequest) -> PaneFile? {
            guard request.path == "\(path).tar" else { return nil }
            return PaneFile(name: "echo.tar", type: "application/x-tar", content: [0, 255])
        }
    }

    /// The output of curl(1), with the cookie.
    private func curl(_ path: String, _ options: String = "") throws -> String {
        let jar = "\(files.path)/cookies"
        let base = "http://127.0.0.1:\(port)"
        let command = "curl -s --noproxy '*' -m \(HangLimit.seconds) -b \(jar) -c \(jar) \(options)"
        let outcome = try Shell.run("\(command) \(Shell.quoted(base + path))")
        return outcome.output
    }

    private func enter() throws {
        let path = service.address.drop { $0 != "?" }
        let result = try curl("/\(path)", "-o /dev/null -w '%{http_code} %{redirect_url}'")
        #expect(result == "303 http://127.0.0.1:\(port)/")
    }

    @Test func servesThePageAndItsResources() throws {
        #expect(try curl("/", "-w '%{http_code}' -o /dev/null") == "403")
        try enter()
        #expect(try curl("/").hasPrefix("<!DOCTYPE html>"))
        #expect(try JSON(utf8: curl("/v1/pane").utf8).required("user") == "me")
        #expect(try JSON(utf8: curl("/v1/echo?a=%20b").utf8).required("query") == " b")
        let fields = "-H 'Origin: http://127.0.0.1:\(port)' -H 'Content-Type: application/json'"
        #expect(try JSON(utf8: curl("/v1/other", "-X POST \(fields) -d '[1]'").utf8)["body"]?.line == "[1]")
        #expect(try JSON(utf8: curl("/v1/none").utf8).required("kind") == "badRequest")
        #expect(try curl("/v1/echo.tar", "-i").contains("filename=\"echo.tar\""))
        #expect(try JSON(utf8: curl("/v1/live?after=0").utf8).required("number") == 1)
    }

    @Test func answersWhileASlowResourceWorks() throws {
        try enter()
        let jar = "\(files.path)/cookies"
        let base = "http://127.0.0.1:\(port)"
        let outcome = try Shell.run(
            """
            curl -s --noproxy '*' -b \(jar) -o /dev/null -w 'slow\\n' \(base)/v1/slow &
            sleep 0.3
            for path in live?after=0 echo other; do
                curl -s --noproxy '*' -b \(jar) -o /dev/null -w "$path\\n" "\(base)/v1/$path"
            done
            wait
            """
        )
        #expect(outcome.lines == ["live?after=0", "echo", "other", "slow"], "\(outcome)")
    }

    @Test func refusesAPortThatIsTaken() throws {
        #expect(throws: SystemError.self) { try PaneSockets(port: port) }
    }
}
