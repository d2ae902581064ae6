// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// The network of a container, named by the container.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct ContainerTests {
    @Test func conditionsAContainersNetwork() throws {
        try PrivateLink.check("containers.py", "conditionsAContainersNetwork()")
    }

    @Test func runsACommandInAContainersNetwork() throws {
        try PrivateLink.check("containers.py", "runsACommandInAContainersNetwork()")
    }

    @Test func monitorsFromAContainersNetwork() throws {
        try PrivateLink.check("containers.py", "monitorsFromAContainersNetwork()", limit: 180)
    }

    @Test func saysWhatIsWrong() throws {
        try PrivateLink.check("containers.py", "saysWhatIsWrong()")
    }

    @Test func takesNoOtherProcessForTheContainer() throws {
        try PrivateLink.check("containers.py", "takesNoOtherProcessForTheContainer()")
    }

    @Test func endsThoughAnEngineDoesNotAnswer() throws {
        try PrivateLink.check("containers.py", "endsThoughAnEngineDoesNotAnswer()")
    }

    /// Of runc: Debian 12's crun needs cgroups of one version.
    @Test func knowsARealContainer() throws {
        try PrivateLink.check("containers.py", "knowsARealContainer()")
    }
}
