// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import Probing
@testable import Reachability

@Suite struct CombinationTests {
    private static func part(
        _ family: IPAddress.Family?,
        _ state: PathVerdict.State,
        _ reason: Reason? = nil
    ) -> Combination.Part {
        Combination.Part(
            family: family,
            verdict: PathVerdict(state: state, reason: reason, since: .zero, generation: 1, isFlapping: false)
        )
    }

    private static let up4 = part(.ipv4, .reachable)
    private static let up6 = part(.ipv6, .reachable)
    private static let dead4 = part(.ipv4, .unreachable, .blackHole)
    private static let dead6 = part(.ipv6, .unreachable, .blackHole)

    /// In any order.
    private static func expect(
        _ parts: [Combination.Part],
        _ state: PathVerdict.State,
        _ reason: Reason?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for parts in [parts, parts.reversed()] {
            let judgement = Combination.judge(parts)
            #expect(judgement.state == state, sourceLocation: sourceLocation)
            #expect(judgement.reason == reason, sourceLocation: sourceLocation)
        }
    }

    @Test func knowsNothingOfNothing() {
        Self.expect([], .unknown, nil)
    }

    @Test func isUpIfAnyAddressOfTheFamilyIs() {
        Self.expect([Self.up4], .reachable, nil)
        Self.expect([Self.up4, Self.dead4, Self.dead4], .reachable, nil)
        Self.expect([Self.up4, Self.up6, Self.dead6], .reachable, nil)
        Self.expect([Self.part(nil, .reachable), Self.part(nil, .unreachable, .refused)], .reachable, nil)
    }

    @Test func isDegradedIfAFamilyIsBrokenOnTheWay() {
        Self.expect([Self.up4, Self.dead6], .degraded, .familyBroken)
        Self.expect([Self.dead4, Self.up6], .degraded, .familyBroken)
        Self.expect([Self.up4, Self.dead6, Self.part(.ipv6, .unreachable, .refused)], .degraded, .familyBroken)
    }

    @Test func doesNotMissAFamilyThatThisHostLacks() {
        for reason in [Reason.noRoute, .noAddress, .linkLocalOnly, .noCarrier] {
            Self.expect([Self.up4, Self.part(.ipv6, .unreachable, reason)], .reachable, nil)
        }
        Self.expect([Self.up6, Self.part(.ipv4, .waiting, .dormant)], .reachable, nil)
    }

    @Test func doesNotCallAFamilyBrokenThatIsNotJudgedYet() {
        Self.expect([Self.up4, Self.part(.ipv6, .unknown)], .reachable, nil)
        Self.expect([Self.up4, Self.dead6, Self.part(.ipv6, .unknown)], .reachable, nil)
        Self.expect([Self.up4, Self.part(.ipv6, .suspended, .offline)], .reachable, nil)
    }

    @Test func prefersAnAddressThatIsWell() {
        let slow = Self.part(.ipv6, .degraded, .latency)
        Self.expect([slow, Self.up4], .reachable, nil)
        Self.expect([slow, Self.dead6], .degraded, .latency)
        // Its own trouble is nearer to what the client sees than the other family's.
        Self.expect([slow, Self.dead4], .degraded, .latency)
    }

    @Test func givesNothingUpWhileAnAddressIsNotJudged() {
        Self.expect([Self.dead4, Self.part(.ipv6, .unknown)], .unknown, nil)
        Self.expect([Self.dead4, Self.part(.ipv6, .unknown, .stale)], .unknown, .stale)
        Self.expect([Self.dead4, Self.part(.ipv6, .suspended, .offline)], .suspended, .offline)
    }

    @Test func tellsTheReasonThatCameFurthest() {
        let reasons: [Reason] = [
            .noRoute, .nxdomain, .blackHole, .refused, .tlsExpired, .status, .portalContent,
        ]
        for (near, far) in zip(reasons, reasons.dropFirst()) {
            let state = PathVerdict.State(of: far)
            Self.expect([Self.part(.ipv4, .unreachable, near), Self.part(.ipv6, state, far)], state, far)
        }
    }
}
