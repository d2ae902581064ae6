// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// `linkcond run -i` when one of its own processes is killed, at any moment between the first and the last.
    @Suite struct RunInterfaceKills {
        enum Victim: String, CaseIterable {
            case front, keeper
        }

        private func start(_ hosts: Hosts) throws -> (run: RunningCommand, keeper: RunKeeper) {
            let run = "\(Shell.linkcond) run 'Slow Net' -i \(hosts.interface) -- sleep 0.05"
            let process = try RunningCommand(shell: "ip netns exec \(hosts.near) \(run)")
            return (process, try #require(RunKeeper(of: process)))
        }

        /// Kills a run some time after it has begun, and waits until all of it has ended.
        private func kill(_ victim: Victim, of hosts: Hosts, after moment: Double) throws {
            let (run, keeper) = try start(hosts)
            usleep(UInt32(moment * 1e6))
            switch victim {
            case .front: run.send(SIGKILL)
            case .keeper: keeper.kill()
            }
            run.wait()
            #expect(keeper.hasEnded(), "\(moment) s")
        }

        @Test(arguments: Victim.allCases)
        func everythingIsRestored(_ victim: Victim) throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let begin = now()
            #expect(try start(hosts).run.wait() == 0)
            let span = now() - begin
            for _ in 0..<5 {
                let moment = Double.random(in: 0...span)
                try kill(victim, of: hosts, after: moment)
                #expect(try hosts.dump() == before, "\(moment) s of \(span)")
            }
        }

        /// The lanes are another process's work then, and the keeper is killed while it takes them away.
        @Test func switchedConditionsEndToo() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let command = Shell.quoted("\(Shell.linkcond) switch LTE; echo switched; cat")
            let line = "\(Shell.linkcond) run 'Slow Net' -i \(hosts.interface) -- sh -c \(command)"
            for _ in 0..<3 {
                let run = try RunningCommand(shell: "ip netns exec \(hosts.near) \(line)")
                let keeper = try #require(RunKeeper(of: run))
                #expect(run.nextLine() == "switched")
                let moment = Double.random(in: 0...0.06)
                run.endInput()
                usleep(UInt32(moment * 1e6))
                keeper.kill()
                run.wait()
                #expect(try hosts.dump() == before, "\(moment) s")
            }
        }

        /// The run is refused for the sake of other conditions, and its keeper killed on its way to find that out.
        @Test func otherConditionsStay() throws {
            let hosts = try Hosts()
            try hosts.apply("LTE")
            let before = try hosts.dump()
            for _ in 0..<3 {
                let moment = Double.random(in: 0...0.02)
                try kill(.keeper, of: hosts, after: moment)
                #expect(try hosts.dump() == before, "\(moment) s")
            }
        }
    }
}
