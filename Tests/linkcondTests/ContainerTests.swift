// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// The network of a container, named by the container.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct ContainerTests {
    private func check(_ call: String, limit: Int = 60) throws {
        let scripts = ["private-link", "container-engine", "containers", "container-labels", "container-runtime"]
        try PrivateWorld.check(.tester, scripts.map { "\($0).py" }, call, limit: limit)
    }

    @Test func conditionsAContainersNetwork() throws {
        try check("conditionsAContainersNetwork()")
    }

    @Test func runsACommandInAContainersNetwork() throws {
        try check("runsACommandInAContainersNetwork()")
    }

    @Test func monitorsFromAContainersNetwork() throws {
        try check("monitorsFromAContainersNetwork()", limit: 180)
    }

    @Test func saysWhatIsWrong() throws {
        try check("saysWhatIsWrong()")
    }

    @Test func takesNoOtherProcessForTheContainer() throws {
        try check("takesNoOtherProcessForTheContainer()")
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
        try check("followsLabels()", limit: 120)
    }

    @Test(arguments: ["linkcond", "lc-container", "lc-guardian", "lc-pump"])
    func removesLabelledConditionsWhicheverProcessIsKilled(process: String) throws {
        try check("removesThemWhicheverProcessIsKilled('\(process)')", limit: 120)
    }

    @Test func saysWhichLabelsAreWrong() throws {
        try check("saysWhichLabelsAreWrong()", limit: 180)
    }

    @Test func waitsForAnEngineThatComesBack() throws {
        try check("waitsForAnEngineThatComesBack()", limit: 120)
    }

    /// Of runc: Debian 12's crun needs cgroups of one version.
    @Test func knowsARealContainer() throws {
        try check("knowsARealContainer()", limit: 120)
    }
}
