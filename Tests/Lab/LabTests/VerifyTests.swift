// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// `linkcond verify` with netem, and on links that tc has made.
    @Suite struct Verify {
        private struct Report: Decodable {
            struct Part: Decodable {
                struct Figure: Decodable {
                    let figure: String
                    let verdict: String
                }

                let lane: String
                let packets: String
                let figures: [Figure]
            }

            let engine: String?
            let verdict: String
            let parts: [Part]

            init(_ result: CommandResult) throws {
                do {
                    self = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
                } catch {
                    throw TestFailure("\(result)")
                }
            }

            var wrong: [String] {
                parts.flatMap { part in
                    part.figures.filter { $0.verdict == "fail" }
                        .map { "\(part.lane) \(part.packets) \($0.figure)" }
                }
            }
        }

        private static let link = #"""
            {"name": "Link", "uplink": {"delay": "20 ms", "rate": "2 Mbit/s", "queue": "100 ms"},
            "downlink": {"delay": "40 ms", "loss": "5 %"}, "dns": {"delay": "80 ms"}}
            """#

        private static let losses = #"{"name": "Losses", "uplink": {"loss": "5 %"}, "downlink": {"loss": "5 %"}}"#

        private static func file(_ name: String, _ text: String) throws -> (TemporaryDirectory, String) {
            let files = try TemporaryDirectory()
            try text.write(toFile: "\(files.path)/\(name).json", atomically: true, encoding: .utf8)
            return (files, "\(files.path)/\(name).json")
        }

        /// IPv6 and the lane for DNS are measured, too. This machine's noise may leave a figure open, and none is wrong.
        @Test func measuresARightLink() throws {
            let (files, link) = try Self.file("link", Self.link)
            let result = try Shell.run("\(Shell.linkcond) verify \(link) --engine netem --budget 10s --json")
            withExtendedLifetime(files) {}
            let report = try Report(result)
            #expect(result.status == 0 && report.engine == "netem" && report.wrong.isEmpty, "\(report.wrong)")
            let parts = Set(report.parts.map { "\($0.lane) \($0.packets)" })
            #expect(parts.isSuperset(of: ["dns DNS", "downlink UDP, IPv6", "uplink UDP, IPv6", "uplink UDP, filled"]))
        }

        /// What people make by hand: netem on loopback, which delays both ways by as much, a queue of 10 packets, and losses
        /// that are right but of whole super-packets, since nothing cuts them before netem. Each in a network of its own.
        @Test func failsLinksThatTcHasMade() throws {
            let links = [
                (Self.link, "delay 20ms", ["downlink UDP delay p50"]),
                (Self.link, "delay 20ms loss 5%", ["uplink UDP losses"]),
                (Self.link, "delay 20ms rate 2mbit limit 10", ["uplink UDP, filled longest delay"]),
                (
                    Self.losses, "loss 5%",
                    ["uplink UDP, super-packets mean burst", "downlink UDP, super-packets mean burst"]
                ),
            ]
            let results = try sideBySide(links) { asked, netem, _ in
                let (files, link) = try Self.file("link", asked)
                defer { withExtendedLifetime(files) {} }
                return try Shell.run(
                    """
                    unshare --net sh -c 'ip link set lo up && tc qdisc add dev lo root netem \(netem) && \
                      \(Shell.linkcond) verify \(link) --here --budget 8s --json'
                    """
                )
            }
            for ((_, netem, figures), result) in zip(links, results) {
                let wrong = try Report(result).wrong
                #expect(result.status == 1 && Set(wrong).isSuperset(of: figures), "\(netem): \(wrong)")
            }
        }
    }
}
