// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import LinkVerification
import Statistics
import TestKit
import Testing

/// A link being measured, in a sandbox of its own.
final class Trial {
    private let link: Link
    private let engine: Engine
    /// The engine's, where it can be told one: netem cannot before Linux 6.6.
    private let seed: UInt64?
    private let directory: URL
    private let command: RunningCommand

    /// What the machine itself takes is measured by these, both ways.
    private static let control = ProbeTraffic(packets: 100, interval: .milliseconds(10), payload: 200)

    /// Starts to measure.
    init(_ link: Link, _ engine: Engine, seed: UInt64) throws {
        self.link = link
        self.engine = engine
        self.seed = engine == .userspace ? seed : nil
        directory = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        var profile = link.profile
        profile.seed = self.seed
        let path = directory.path
        try Data(profile.json.text.utf8).write(to: directory.appending(path: "link.json"))
        try Data(#"{"name": "Nothing", "uplink": {}, "downlink": {}}"#.utf8)
            .write(to: directory.appending(path: "nothing.json"))
        let inside = """
            \(Package.linkProbe) light \(path)/control \(Self.control.argument) \(Self.control.argument) && \
            \(Package.linkcond) switch \(path)/link.json && \
            \(Package.linkProbe) \(link.kind) \(path)/link \(link.uplink.argument) \(link.downlink.argument)
            """
        // Root may have the processors before other programs: 1 Gbit/s takes both.
        let first = Kernel.isRoot ? "nice -n -20 " : ""
        command = try RunningCommand(
            shell: "\(first)timeout --kill-after=2 \(HangLimit.seconds) \(Package.linkcond) run --offline "
                + "--engine \(engine.rawValue) \(path)/nothing.json -- sh -c '\(inside)'"
        )
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Waits for what was measured.
    func finish() async throws -> Measurement {
        try await command.succeed()
        let (control, measured) = (try record("control"), try record("link"))
        return Measurement(
            link: link,
            seed: seed,
            flows: measured.flows,
            ownDelays: control.flows.mapValues { $0.delays.median },
            lateness: measured.unusualLateness,
            backlog: measured.lateness.isEmpty ? 0 : measured.lateness.median,
            wakes: engine.wakes
        )
    }

    /// What link-probe wrote down.
    private func record(_ name: String) throws -> PhaseRecord {
        let data = try Data(contentsOf: directory.appending(path: name))
        var numbers = data.withUnsafeBytes { Array($0.bindMemory(to: Int64.self)) }[...]
        return try #require(PhaseRecord(&numbers))
    }
}

extension ProbeTraffic {
    /// The words of link-probe for it.
    fileprivate var argument: String { "\(packets),\(interval.nanoseconds),\(payload),\(group)" }
}
