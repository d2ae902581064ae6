// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// The network of a container, named by the container.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct ContainerTests {
    private func check(_ call: String, limit: Int = HangLimit.seconds) throws {
        let scripts = [
            "private-link", "docker-api", "container-engine", "containers", "container-labels", "container-runtime",
        ]
        try PrivateWorld.check(.tester, scripts.map { "\($0).py" }, call, limit: limit)
    }

    @Test func conditionsAContainersNetwork() throws {
        try check("conditionsAContainersNetwork()")
    }

    @Test func runsACommandInAContainersNetwork() throws {
        try check("runsACommandInAContainersNetwork()")
    }

    @Test func monitorsFromAContainersNetwork() throws {
        try check("monitorsFromAContainersNetwork()")
    }

    @Test func saysWhatIsWrong() throws {
        try check("saysWhatIsWrong()")
    }

    @Test func takesNoOtherProcessForTheContainer() throws {
        try check("takesNoOtherProcessForTheContainer()")
    }

    @Test func takesNoOtherContainersProcess() throws {
        try check("takesNoOtherContainersProcess()")
    }

    @Test func tellsWhatToTypeInThatNetwork() throws {
        try check("tellsWhatToTypeInThatNetwork()")
    }

    @Test func endsThoughAnEngineDoesNotAnswer() throws {
        try check("endsThoughAnEngineDoesNotAnswer()")
    }

    /// One that sends a byte now and then would be waited for without a limit for all of it.
    @Test func endsThoughAnEngineAnswersByteByByte() throws {
        try check("endsThoughAnEngineAnswersByteByByte()")
    }

    @Test func refusesAnEngineOfOtherProcessIDs() throws {
        try check("refusesAnEngineOfOtherProcessIDs()")
    }

    @Test func listsContainers() throws {
        try check("listsContainers()")
    }

    @Test func followsLabels() throws {
        try check("followsLabels()")
    }

    @Test(arguments: ["linkcond", "lc-container", "lc-guardian", "lc-pump"])
    func removesLabelledConditionsWhicheverProcessIsKilled(process: String) throws {
        try check("removesThemWhicheverProcessIsKilled('\(process)')")
    }

    @Test func saysWhichLabelsAreWrong() throws {
        try check("saysWhichLabelsAreWrong()")
    }

    @Test func waitsForAnEngineThatComesBack() throws {
        try check("waitsForAnEngineThatComesBack()")
    }

    /// Of runc: Debian 12's crun needs cgroups of one version.
    @Test func knowsARealContainer() throws {
        try check("knowsARealContainer()")
    }

    /// The arrays of names that a sample of the guide has after these keys: flow sequences of YAML, which Python reads
    /// too.
    private static func sample(_ name: String, _ keys: [String]) throws -> String {
        let page = Package.directory.appending(path: "Sources/Programs/linkcond/linkcond.docc/containers.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.firstRange(of: "<!-- rights: \(name) -->"))
        return try keys.map { key in
            let line = text[start.upperBound...].split(separator: "\n").first {
                $0.drop { $0 == " " }.hasPrefix("\(key): [")
            }
            return String(try #require(line).drop { $0 != "[" })
        }
        .joined(separator: ", ")
    }

    @Test func conditionsAPodFromASidecar() throws {
        let sample = try Self.sample("sidecar", ["args", "add"])
        try check("conditionsAPodFromASidecar(\(sample))")
    }

    @Test func conditionsNeighboursFromAService() throws {
        let sample = try Self.sample("watch", ["command", "cap_add"])
        try check("conditionsNeighboursFromAService(\(sample))")
    }
}
