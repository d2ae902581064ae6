// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import ProfileFormats
internal import Reports

/// What repeats a run, in one file: its conditions as a scenario, its seed, its command line, and its packets.
package struct RunArchive {
    /// The name of the scenario's file in the archive, which `run --scenario FILE.tar` reads.
    package static let scenario = "scenario.json"
    /// The name of the archive that the browser suggests.
    static let name = "linkcond-run.tar"

    private static let start = ["linkcond", "run", "--scenario", name]

    /// A scenario, as JSON.
    var scenario: JSON
    /// The run so far, as `GET /v1/run` returns it.
    var run: JSON
    /// The packets, or the reason why they are left out.
    var capture: Result<[UInt8], CaptureProblem>
    var version: String

    struct CaptureProblem: Error {
        var reason: String
    }

    /// The line that repeats the run.
    var line: String {
        let words: [String] = run.required("repeat") ?? []
        let command: [String] = run.required("command") ?? []
        let seed = run["seed"].map { ["--seed", $0.line] } ?? []
        return (Self.start + words + seed + ["--"] + command).shellLine
    }

    /// The bytes of the archive.
    ///
    /// - Parameter time: the time of its files, in seconds since 1970.
    func bytes(time: Int) -> [UInt8] {
        var archive = TarArchive()
        archive.add("README.txt", Array(readme.utf8))
        archive.add(Self.scenario, Array((scenario.text + "\n").utf8))
        archive.add("command.txt", Array((line + "\n").utf8))
        archive.add("run.json", Array((run.text + "\n").utf8))
        if case .success(let packets) = capture { archive.add("capture.pcapng", packets) }
        return archive.bytes(time: time)
    }

    private var readme: String {
        let packets =
            switch capture {
            case .success: "capture.pcapng  the packets until this file was made; Wireshark reads them"
            case .failure(let problem): "(no capture.pcapng: \(problem.reason))"
            }
        return """
            What repeats a run of linkcond \(version).

            scenario.json   the conditions, at the times at which they were put
            command.txt     the command line, with the seed; type it where this archive is
            run.json        the run when this file was made: steps, marks, verdicts so far
            \(packets)

            linkcond run --scenario reads this archive as it is. Marks are not repeated: the command sets its own.

            """
    }
}
