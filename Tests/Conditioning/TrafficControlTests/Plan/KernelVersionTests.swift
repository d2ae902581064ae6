// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import TrafficControl

@Suite struct KernelVersionTests {
    @Test(arguments: [
        ("6.1.0-18-amd64", 6, 1), ("6.18.44-fc-v657", 6, 18), ("5.15", 5, 15), ("4.19.104-microsoft-standard", 4, 19),
        ("7.0-rc1", 7, 0), ("6.6+", 6, 6),
    ])
    func readsTheBeginningOfARelease(release: String, major: Int, minor: Int) {
        #expect(KernelVersion(release: release) == KernelVersion(major, minor))
    }

    @Test(arguments: ["", "6", "Linux", "six.one"])
    func refusesWhatIsNoRelease(release: String) {
        #expect(KernelVersion(release: release) == nil)
    }

    @Test func comparesNumbersRatherThanText() {
        #expect(KernelVersion(6, 6) < KernelVersion(6, 12))
        #expect(KernelVersion(5, 19) < KernelVersion(6, 0))
        #expect(KernelVersion(6, 6) >= KernelVersion.netemSeed)
        #expect("\(KernelVersion(6, 12))" == "6.12")
    }

    @Test func readsThisMachine() {
        let facts = KernelFacts.current()
        #expect(facts.version >= KernelVersion(4, 0))
        #expect(facts.ephemeralPorts.lowerBound > 0)
    }
}
