// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import LocalNetwork
@testable import Probing
@testable import Reachability

@Suite struct WatchTests {
    private let target = Target.tcp(.init("example.test", 80))
    private let one = IPAddress(literal: "192.0.2.1")

    /// A watch of one address, that answers.
    private func answering(_ target: Target? = nil, _ path: Path? = nil) -> WatchCourse {
        var course = WatchCourse(target ?? self.target)
        course.paths[one] = path
        course.begin()
        course.pass()
        course.resolve(["192.0.2.1"])
        course.observe(.answered(.milliseconds(1)))
        return course
    }

    @Test func looksUpTheNameBeforeItProbes() {
        var course = WatchCourse(target)
        course.begin()
        #expect(course.status.state == .unknown)
        #expect(course.watch.due == .zero)
        course.pass()
        #expect(course.effects.names.map(\.host) == ["example.test"])
        #expect(course.effects.probes.isEmpty)
        #expect(course.watch.due == nil)
        course.resolve(["192.0.2.1", "2001:db8::1"])
        #expect(
            course.effects.probes.map(\.probe) == [
                .tcp(one, port: 80), .tcp(IPAddress(literal: "2001:db8::1"), port: 80),
            ]
        )
        course.observe(.answered(.milliseconds(1)))
        #expect(course.status.state == .reachable)
        #expect(course.kinds.contains(.stateChanged(from: .unknown)))
        #expect(!course.kinds.contains { if case .outageEnded = $0 { true } else { false } })
    }

    @Test func asksFasterWhileItHangsInTheBalance() {
        var course = answering()
        #expect(course.watch.due == .milliseconds(500))
        course.pass(.milliseconds(500))
        course.observe(.answered(.milliseconds(1)))
        #expect(course.watch.due == .milliseconds(2500))
        course.pass(.seconds(2))
        course.observe(.failed(.refused))
        #expect(course.status.state == .reachable)
        #expect(course.watch.due == .seconds(3))
    }

    @Test func tellsAnOutageFromItsFirstLostProbe() {
        var course = answering()
        for _ in 0..<3 {
            course.pass(.seconds(2))
            course.observe(.failed(.blackHole))
        }
        #expect(course.status.since == .seconds(2))
        #expect(course.kinds == [.stateChanged(from: .reachable), .outageStarted])
        course.pass(.seconds(5))
        course.observe(.answered(.milliseconds(1)))
        #expect(course.kinds.isEmpty)
        course.pass(.seconds(1))
        course.observe(.answered(.milliseconds(1)))
        #expect(course.kinds == [.stateChanged(from: .unreachable), .outageEnded(.seconds(9))])
    }

    /// Probes that wait longer than the next ones' turn are no lack of evidence.
    @Test func knowsEnoughWhileProbesOverlap() {
        var course = answering(.tls(.init("example.test", 443)))
        var sent: [Duration] = [.zero]
        for _ in 0..<60 {
            course.pass(.milliseconds(250))
            if !course.effects.probes.isEmpty { sent.append(course.now) }
            while let first = sent.first, course.now - first >= .seconds(5) {
                sent.removeFirst()
                if first > .zero { course.observe(.failed(.tlsTimeout), sentAt: first) }
            }
            #expect(course.status.reason != .stale)
        }
        #expect(course.status.state == .unreachable)
    }

    @Test func endsTheOutageOfATargetOfWhichNothingWasKnownMeanwhile() {
        var course = answering()
        for _ in 0..<3 { course.observe(.failed(.refused)) }
        #expect(course.kinds.contains(.outageStarted))
        course.now += .seconds(100)
        course.startOver(forgetting: true)
        #expect(course.status.state == .unknown)
        course.observe(.answered(.milliseconds(1)))
        #expect(course.kinds == [.stateChanged(from: .unknown), .outageEnded(.seconds(100))])
    }

    @Test func believesTheKernelAtOnceAndProbesAtOnceWhenThereIsAWay() {
        var course = answering(nil, .over("eth0"))
        course.paths[one] = .over("eth0", .unsatisfied(.noCarrier))
        course.now = .seconds(1)
        course.changeLocally()
        #expect(course.status.reason == .noCarrier)
        #expect(course.kinds.contains(.outageStarted))
        course.pass(.seconds(60))
        #expect(course.effects.probes.isEmpty)
        course.paths[one] = .over("eth0")
        course.changeLocally()
        #expect(course.watch.due == course.now)
        course.pass()
        #expect(course.effects.probes.count == 1)
        #expect(course.status.state == .unreachable)
        course.observe(.answered(.milliseconds(1)))
        #expect(course.status.state == .reachable)
        #expect(course.kinds.contains(.outageEnded(.seconds(60))))
    }

    @Test func tellsWhyANameIsNotFoundAndAsksAgain() {
        var course = WatchCourse(target)
        course.begin()
        course.pass()
        var resolution = Resolution()
        resolution.reasons = [.ipv4: .nxdomain, .ipv6: .nxdomain]
        course.resolve(resolution)
        #expect(course.status.state == .unreachable)
        #expect(course.status.reason == .nxdomain)
        course.pass(.seconds(2))
        #expect(course.effects.names.count == 1)
    }

    @Test func goesOnWithTheAddressesThatItHasWhenTheNameFails() {
        var course = answering()
        course.pass(.seconds(60))
        #expect(course.effects.names.count == 1)
        course.resolve(Resolution())
        course.observe(.answered(.milliseconds(1)))
        #expect(course.status.state == .reachable)
        #expect(course.watch.tracks.map(\.address) == [one])
    }

    @Test func takesAnotherOrderOfAddressesForNoNews() {
        var course = WatchCourse(target)
        course.begin()
        course.pass()
        course.resolve(["192.0.2.1", "192.0.2.2"])
        let numbers = course.watch.tracks.map(\.number)
        course.resolve(["192.0.2.2", "192.0.2.1", "192.0.2.2"])
        #expect(course.watch.tracks.map(\.number) == numbers)
        #expect(!course.kinds.contains(.addressesChanged))
        // A probe of an address that stays counts, and one of an address that is gone does not.
        course.resolve(["192.0.2.2", "192.0.2.3"])
        #expect(course.kinds == [.addressesChanged])
        course.observe(.answered(.milliseconds(1)), track: 0)
        #expect(course.status.state == .unknown)
        course.observe(.answered(.milliseconds(1)), track: 1)
        #expect(course.status.state == .reachable)
    }

    @Test func isReachableIfOneAddressIsAndDegradedIfAFamilyIsBroken() {
        var course = WatchCourse(target)
        course.begin()
        course.pass()
        course.resolve(["192.0.2.1", "2001:db8::1"])
        for _ in 0..<3 { course.observe(.failed(.blackHole), track: 1) }
        #expect(course.status.state == .unknown)
        course.observe(.answered(.milliseconds(1)), track: 0)
        #expect(course.status.state == .degraded)
        #expect(course.status.reason == .familyBroken)
        #expect(course.status.addresses.map(\.state) == [.reachable, .unreachable])
    }

    @Test func holdsNothingAgainstATargetThatWasOnlyHeardLate() {
        var course = answering()
        for _ in 0..<5 { course.observe(.failed(.blackHole), sentAt: course.now - .seconds(3)) }
        #expect(course.status.state == .reachable)
    }

    @Test func startsOverForgettingOrNot() {
        var course = answering()
        course.now = .seconds(1)
        course.startOver(forgetting: false)
        #expect(course.status.state == .reachable)
        #expect(course.effects.probes.count == 1)
        let epoch = course.watch.epoch
        course.startOver(forgetting: true)
        #expect(course.status.state == .unknown)
        #expect(course.watch.epoch == epoch + 1)
    }

    @Test func suspendsWhatDoesNotAnswer() {
        var course = answering()
        course.suspend(true)
        #expect(course.status.state == .reachable)
        for _ in 0..<3 { course.observe(.failed(.blackHole)) }
        #expect(course.status.state == .suspended)
        #expect(course.status.reason == .offline)
        #expect(!course.kinds.contains(.outageStarted))
        course.suspend(false)
        #expect(course.status.state == .unreachable)
        #expect(course.kinds.contains(.outageStarted))
    }

    @Test func saysWhetherConditionsExplainWhatIsSeen() {
        var course = answering(nil, .over("eth0"))
        course.context.conditions["eth0"] = PathConditions(profile: "Black Hole", loss: 1)
        course.changeLocally()
        #expect(course.kinds.contains(.conditionsChanged(from: nil)))
        for _ in 0..<3 { course.observe(.failed(.blackHole)) }
        #expect(course.status.isExplained == true)
        for _ in 0..<3 { course.observe(.failed(.refused)) }
        #expect(course.status.isExplained == false)
    }

    @Test func holdsConditionsAgainstWhatWasMeasuredUnderThemAndSaysItOnce() {
        var course = answering(nil, .over("eth0"))
        func misses(_ course: WatchCourse) -> Int {
            course.kinds.count { if case .expectationMissed = $0 { true } else { false } }
        }
        for _ in 0..<30 {
            course.pass(.milliseconds(500))
            course.observe(.answered(.milliseconds(1)))
        }
        course.context.conditions["eth0"] = PathConditions(profile: "Slow", roundTrip: .milliseconds(200))
        course.changeLocally()
        for _ in 0..<30 {
            course.pass(.milliseconds(500))
            course.observe(.answered(.milliseconds(210)))
            #expect(misses(course) == 0)
        }
        course.context.conditions["eth0"] = PathConditions(profile: "Slower", roundTrip: .milliseconds(300))
        course.changeLocally()
        var count = 0
        for _ in 0..<40 {
            course.pass(.milliseconds(500))
            course.observe(.answered(.milliseconds(210)))
            count += misses(course)
        }
        #expect(count == 1)
    }

    @Test func asksAHostInAnotherWayWhereICMPIsNotToBeHad() {
        var course = WatchCourse(.host("192.0.2.1"))
        course.begin()
        course.pass()
        course.resolve(["192.0.2.1"])
        #expect(course.effects.probes.map(\.probe) == [.icmp(one)])
        course.observe(.nothing(.permission))
        course.pass()
        #expect(course.effects.probes.map(\.probe) == [.tcp(one, port: 443)])
        course.observe(.nothing(.permission))
        #expect(course.watch.due.map { $0 > course.now } == true)
        course.observe(.failed(.refused))
        #expect(course.status.state == .reachable)
    }

    @Test func asksASilentHostInEveryWayUntilItAnswers() {
        var course = WatchCourse(.host("192.0.2.1"))
        course.begin()
        course.pass()
        course.resolve(["192.0.2.1"])
        var asked: [Probe] = []
        for _ in 0..<5 {
            asked += course.watch.tracks.map(\.probe)
            course.observe(.failed(.blackHole))
        }
        #expect(asked == [.icmp(one), .tcp(one, port: 443), .tcp(one, port: 80), .tcp(one, port: 22), .icmp(one)])
        for _ in 0..<2 { course.observe(.answered(.milliseconds(1)), probe: .tcp(one, port: 443)) }
        for _ in 0..<9 { course.observe(.failed(.blackHole), probe: .tcp(one, port: 443)) }
        #expect(course.status.state == .unreachable)
    }

    @Test func doesNotTakeSilenceForTheEndOfARoutersWord() {
        var course = answering()
        course.observe(.failed(.adminProhibited), offender: "192.0.2.9")
        for _ in 0..<6 { course.observe(.failed(.blackHole)) }
        #expect(course.status.reason == .adminProhibited)
        #expect(course.status.observation?.offender == IPAddress(literal: "192.0.2.9"))
        for _ in 0..<6 { course.observe(.failed(.blackHole)) }
        #expect(course.status.reason == .blackHole)
    }

    @Test func asksTheKernelWhatSilenceMeans() {
        var course = answering(nil, .over("eth0"))
        course.lacksNeighbour = true
        for _ in 0..<3 { course.observe(.failed(.blackHole)) }
        #expect(course.status.reason == .neighbourUnresolved)
    }

    @Test func explainsSilenceBehindAnUplink() {
        var course = answering(nil, .over("tap0"))
        course.context.uplinks = ["tap0"]
        course.context.conditions["tap0"] = PathConditions(profile: "Black Hole", loss: 1)
        course.changeLocally()
        #expect(course.status.via == "uplink")
        for _ in 0..<3 { course.observe(.failed(.blackHole)) }
        #expect(course.status.reason == .blackHole)
        #expect(course.status.isExplained == true)
    }

    /// The kernel may tell of a carrier that went a second later, when probes have been lost already and more are under
    /// way; none is sent afterwards that could correct what those say.
    @Test(arguments: [
        Observation.Finding.failed(.blackHole), .failed(.neighbourUnresolved), .answered(.milliseconds(1)),
    ])
    func keepsTheKernelsWordWhateverWasUnderWay(finding: Observation.Finding) {
        var course = answering(nil, .over("eth0"))
        course.now = .seconds(1)
        course.observe(.failed(.blackHole))
        course.paths[one] = .over("eth0", .unsatisfied(.noCarrier))
        course.changeLocally()
        #expect(course.status.reason == .noCarrier)
        for _ in 0..<5 {
            course.now += .milliseconds(100)
            course.observe(finding, sentAt: .milliseconds(900))
        }
        #expect(course.status.state == .unreachable && course.status.reason == .noCarrier)
    }

    @Test func judgesALinkByItsState() {
        var course = WatchCourse(.link("eth0"))
        course.begin()
        #expect(course.status.state == .unknown)
        for (state, expected, reason) in [
            (OperationalState.routable, PathVerdict.State.reachable, Reason?.none),
            (.noCarrier, .unreachable, .noCarrier),
            (.off, .unreachable, .adminDown), (.missing, .unreachable, .interfaceMissing),
            (.dormant, .waiting, .dormant), (.degraded, .limited, .linkLocalOnly), (.carrier, .limited, .noAddress),
        ] {
            course.links["eth0"] = state
            course.changeLocally()
            #expect(course.status.state == expected)
            #expect(course.status.reason == reason)
        }
    }
}
