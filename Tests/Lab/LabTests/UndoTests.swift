// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkConditioning
import Netlink
import ProfileCatalog
import TestKit
import Testing
import TrafficControl

extension LabTests {
    /// A change that fails at any step.
    @Suite struct Undo {
        @Test func restoresAfterAFailureAtEveryStep() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            var step = 0
            while true {
                step += 1
                let failing = step
                let transport = try InterferingTransport(in: hosts.near) { change throws(NetlinkError) in
                    guard change == failing else { return }
                    throw NetlinkError(operation: "take step \(change)", code: ENOBUFS)
                }
                guard let error = attempt(hosts, transport) else { break }
                #expect(
                    error.code == ConditioningError.Code.refused && error.aftermath?.contains("failed") != true,
                    "step \(step)"
                )
                #expect(try hosts.dump() == before, "step \(step)")
            }
            #expect(step > 26)
        }

        @Test func leavesNothingWhenTheInterfaceVanishesMidway() throws {
            for step in [2, 7, 13, 19, 25, 26, 27, 28] {
                let hosts = try Hosts()
                let transport = try InterferingTransport(in: hosts.near) { change in
                    if change == step { _ = try? Shell.check("ip -n \(hosts.near) link del \(hosts.interface)") }
                }
                let error = attempt(hosts, transport)
                #expect(error?.code == .notFound, "step \(step): \(error?.description ?? "no error")")
                #expect(error?.message.contains(hosts.interface) == true)
                #expect(!(try Shell.check("ip -n \(hosts.near) link show")).contains("lc2r"))
            }
        }

        @Test func refusesWhatTheKernelDidNotTakeAsAsked() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            // Another process changes a lane after it is made and before it is read back.
            let transport = try InterferingTransport(in: hosts.near) { change in
                guard change == 26 else { return }
                let line = "tc -n \(hosts.near) qdisc change dev lc2r1u parent 20:1 handle 10: netem limit 18 delay 7ms"
                _ = try? Shell.check(line)
            }
            let error = attempt(hosts, transport)
            #expect(error?.code == .mismatch && error?.message.contains("lc2r1u") == true)
            #expect(try hosts.dump() == before)
        }

        private func attempt(_ hosts: Hosts, _ transport: InterferingTransport) -> ConditioningError? {
            do {
                let connection = RouteConnection(transport)
                let device = try Inspector(connection).device(named: hosts.interface)
                let profile = try Catalog(directories: []).profile("Slow Net").profile
                let origin = RuleRequest.Origin(time: 0, userID: 0, processID: getpid())
                let plan = try Planner(device, .current()).apply(RuleRequest(profile: profile, origin: origin))
                transport.isArmed = true
                try PlanExecutor(connection).carryOut(plan, on: hosts.interface)
                return nil
            } catch let error as ConditioningError {
                return error
            } catch {
                Issue.record(error)
                return nil
            }
        }
    }
}

/// A connection to a namespace's kernel that calls a closure before each change.
private final class InterferingTransport: NetlinkTransport {
    private let socket: RouteSocket
    private let interfere: (Int) throws(NetlinkError) -> Void
    private var changes = 0
    var isArmed = false

    init(in namespace: String, _ interfere: @escaping (Int) throws(NetlinkError) -> Void) throws {
        socket = try PrivateNetwork.run(in: "/run/netns/\(namespace)") { try RouteSocket() }
        self.interfere = interfere
    }

    func exchange(_ request: Request) throws(NetlinkError) -> [[UInt8]] {
        // The type of a request for information is 2 modulo 4 (rtnetlink(7)).
        let type = request.bytes.count > 5 ? Int(request.bytes[4]) | Int(request.bytes[5]) << 8 : 0
        if isArmed, type % 4 != 2 {
            changes += 1
            try interfere(changes)
        }
        return try socket.exchange(request)
    }
}
