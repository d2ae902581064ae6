// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import LocalNetwork
@testable import Probing
@testable import Reachability

@Suite struct ClassicReachabilityTests {
    private func status(
        _ state: PathVerdict.State,
        _ reason: Reason? = nil,
        _ path: Path.Status = .satisfied,
        over linkClass: LinkClass = .ethernet
    ) -> Status {
        var status = Status(.host("192.0.2.1"), at: .zero)
        (status.state, status.reason) = (state, reason)
        status.path = Path(path)
        status.path?.linkClass = linkClass
        return status
    }

    @Test func isReachableWhereARequestHasAChance() {
        #expect(status(.reachable).classic.isReachable)
        #expect(status(.degraded, .loss).classic.isReachable)
        #expect(status(.unknown).classic.isReachable)
        #expect(!status(.unknown, nil, .unsatisfied(.noRoute)).classic.isReachable)
        #expect(!Status(.host("192.0.2.1"), at: .zero).classic.isReachable)
        for state in [PathVerdict.State.unreachable, .captive, .limited, .waiting, .suspended] {
            #expect(!status(state).classic.isReachable)
        }
    }

    @Test(arguments: [
        (LinkClass.wwan, [true, false, false]), (.wifi, [false, true, false]), (.ethernet, [false, false, true]),
        (.tunnel, [false, false, false]),
    ])
    func namesTheKindOfLink(_ linkClass: LinkClass, _ expected: [Bool]) {
        let classic = status(.reachable, over: linkClass).classic
        #expect([classic.isReachableViaWWAN, classic.isReachableViaWiFi, classic.isReachableViaEthernet] == expected)
        let down = status(.unreachable, .blackHole, over: linkClass).classic
        #expect(![down.isReachableViaWWAN, down.isReachableViaWiFi, down.isReachableViaEthernet].contains(true))
    }

    @Test(arguments: [
        (Path.Initiative.onDemand, true, false), (.onTraffic, true, false), (.intervention, false, true),
    ])
    func tellsWhoHasToConnect(_ initiative: Path.Initiative, _ isOnDemand: Bool, _ needsIntervention: Bool) {
        let classic = status(.waiting, .dormant, .requiresConnection(initiative)).classic
        #expect(classic.isConnectionRequired)
        #expect(classic.isConnectionOnDemand == isOnDemand)
        #expect(classic.isInterventionRequired == needsIntervention)
        #expect(!classic.isReachable)
    }

    @Test func needsInterventionAtAPortal() {
        let classic = status(.captive, .portalRedirect).classic
        #expect(classic.isInterventionRequired)
        #expect(!classic.isConnectionRequired)
        #expect(!status(.reachable).classic.isInterventionRequired)
    }

    @Test func isLocalWithoutARouter() {
        var status = status(.reachable)
        #expect(!status.classic.isLocalOnly)
        status.path?.isOnLink = true
        status.path?.source = IPAddress(literal: "192.0.2.9")
        #expect(!status.classic.isLocalOnly)
        status.path?.source = IPAddress(literal: "169.254.0.9")
        #expect(status.classic.isLocalOnly)
        #expect(self.status(.limited, .linkLocalOnly).classic.isLocalOnly)
        status = self.status(.reachable, over: .loopback)
        status.path?.isOwnAddress = true
        #expect(status.classic.isLocalOnly)
    }
}
