// SPDX-License-Identifier: Apache-2.0

import LinkRules
import Testing

@testable import Containers

/// What a container's labels ask for, which anybody may have written who builds an image.
@Suite struct ContainerLabelsTests {
    @Test func nameAProfileAndAnInterface() throws {
        let plain = try ContainerLabels(["linkcond.profile": "Slow Net", "com.docker.compose.service": "web"])
        #expect(plain?.profile == "Slow Net" && plain?.interface == nil)
        #expect(try ContainerLabels(["linkcond.profile": "3G", "linkcond.interface": "eth1"])?.interface == "eth1")
        #expect(plain?.facing == .host)
        #expect(try ContainerLabels(["linkcond.profile": "3G", "linkcond.facing": "peer"])?.facing == .peer)
    }

    @Test(arguments: [[:], ["maintainer": "me"], ["linkconditioner.profile": "3G"], ["linkcond": "3G"]])
    func ofOthersAskForNothing(labels: [String: String]) throws {
        #expect(try ContainerLabels(labels) == nil)
    }

    @Test(arguments: [
        (["linkcond.profil": "3G"], "no label linkcond.profil"),
        (["linkcond.interface": "eth0"], "needs linkcond.profile"),
        (["linkcond.facing": "peer"], "linkcond.facing needs linkcond.profile"),
        (["linkcond.profile": "3G", "linkcond.facing": "pear"], "neither host nor peer"),
        (["linkcond.profile": "3G", "linkcond.facing": ""], "neither host nor peer"),
        (["linkcond.profile": "3G", "linkcond.rate": "1"], "no label linkcond.rate"),
        (["linkcond.profile": "3G", "linkcond.interface": ""], "not the name of an interface"),
        (["linkcond.profile": "3G", "linkcond.interface": "../eth0"], "not the name of an interface"),
        (["linkcond.profile": "3G", "linkcond.interface": "a name of 16 byt"], "not the name of an interface"),
    ])
    func areRefusedIfWrong(labels: [String: String], words: String) throws {
        let error = #expect(throws: ContainerError.self) { try ContainerLabels(labels) }
        #expect(error?.kind == .usage && error?.message.contains(words) == true, "\(String(describing: error))")
    }

    @Test func areSpeltRight() throws {
        let error = #expect(throws: ContainerError.self) { try ContainerLabels(["linkcond.profil": "3G"]) }
        #expect(error?.remedy == "linkcond.profile")
    }
}
