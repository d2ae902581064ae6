// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import ProfileFormats
import TestKit
import Testing

/// An archive of a run in which a person has switched the conditions.
@Suite(.enabled(if: Kernel.canPump && Kernel.hasSandboxes, "needs namespaces and /dev/net/tun"))
struct RunArchiveTests {
    private static let ask = #"curl -s --unix-socket "$LINKCOND_SOCKET""#

    /// The profiles of a run with the times at which they took effect, since its start.
    private static func course(_ text: String) throws -> [(profile: String, at: Double)] {
        let json = try JSON(utf8: Array(text.utf8))
        guard case .array(let steps)? = json["steps"]?.value, case .array(let changes)? = json["conditions"]?.value,
            let began = json["began"].flatMap({ Double($0.line) })
        else { throw TestFailure("no run: \(text)") }
        return (steps + changes).compactMap { entry in
            guard let profile: String = entry.required("profile"), let time = entry["at"].flatMap({ Double($0.line) })
            else { return nil }
            return (profile, time - began)
        }
    }

    @Test(.timeLimit(.minutes(5))) func repeatsWhatWasSwitchedByHand() throws {
        let files = try TemporaryDirectory()
        let played = try Program.start(
            try Installation(for: .tester).wrapping(
                [
                    "sh", "-c",
                    """
                    sleep 1; "$0" switch 3g 2>/dev/null; "$0" mark there; sleep 1.5; "$0" off 2>/dev/null
                    \(Self.ask) http://x/v1/scenario >scenario.json; \(Self.ask) http://x/v1/run
                    """, Program.path,
                ],
                options: ["lte", "--observe"]
            ),
            directory: files.path
        )
        try played.requireSuccess()
        var archive = TarArchive()
        archive.add("scenario.json", Array(try Data(contentsOf: URL(filePath: "\(files.path)/scenario.json"))))
        try Data(archive.bytes(time: 0)).write(to: URL(filePath: "\(files.path)/run.tar"))
        let again = try Program.start(
            try Installation(for: .tester).wrapping(
                ["sh", "-c", "sleep 4; \(Self.ask) http://x/v1/run"],
                options: ["--scenario", "\(files.path)/run.tar"]
            ),
            directory: files.path
        )
        try again.requireSuccess()
        let (first, second) = (try Self.course(played.output), try Self.course(again.output))
        #expect(first.map(\.profile) == ["3G", "no conditions"])
        #expect(second.map(\.profile) == first.map(\.profile))
        // A timer is never early; a busy machine may be late.
        for (one, two) in zip(first, second) {
            #expect(two.at - one.at > -0.05)
            if two.at - one.at > 1 { try endInconclusively("a step began \(two.at - one.at) s late") }
        }
    }

    @Test func refusesWhatIsNoArchiveOfARun() throws {
        let files = try TemporaryDirectory()
        var other = TarArchive()
        other.add("README.txt", [])
        for (content, reason) in [
            (Array("no archive".utf8), "is no archive of a run: cut off"),
            (other.bytes(time: 0), "it has no scenario.json"),
        ] {
            try Data(content).write(to: URL(filePath: "\(files.path)/x.tar"))
            let outcome = try Program.start([
                Program.path, "run", "--offline", "--scenario", "\(files.path)/x.tar", "--", "true",
            ])
            #expect(outcome.status == 125, "\(outcome.errors)")
            #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        }
    }
}
