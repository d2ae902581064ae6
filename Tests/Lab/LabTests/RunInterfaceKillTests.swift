// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// `linkcond run -i` when one of its own processes is killed, at any moment between the first and the last.
    @Suite struct RunInterfaceKills {
        enum RunProcess: String, CaseIterable {
            case launcher, supervisor
        }

        private func start(_ hosts: Hosts) throws -> (run: RunningCommand, supervisor: RunSupervisor) {
            let run = "\(Shell.linkcond) run 'Slow Net' -i \(hosts.interface) -- sleep 0.05"
            let process = try RunningCommand(shell: "ip netns exec \(hosts.near) \(run)")
            return (process, try #require(RunSupervisor(of: process)))
        }

        /// Kills a run some time after it has begun, and waits until all of it has ended.
        private func kill(_ process: RunProcess, of hosts: Hosts, after moment: Double) throws {
            let (run, supervisor) = try start(hosts)
            usleep(UInt32(moment * 1e6))
            switch process {
            case .launcher: run.send(SIGKILL)
            case .supervisor: supervisor.kill()
            }
            run.wait()
            #expect(supervisor.hasEnded(), "\(moment) s")
        }

        @Test(arguments: RunProcess.allCases)
        func everythingIsRestored(_ process: RunProcess) throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let begin = now()
            #expect(try start(hosts).run.wait() == 0)
            let span = now() - begin
            for _ in 0..<5 {
                let moment = Double.random(in: 0...span)
                try kill(process, of: hosts, after: moment)
                #expect(try hosts.dump() == before, "\(moment) s of \(span)")
            }
        }

        /// Another process made the lanes, and the supervisor is killed while it removes them.
        @Test func switchedConditionsEndToo() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let command = Shell.quoted("\(Shell.linkcond) switch LTE; echo switched; cat")
            let line = "\(Shell.linkcond) run 'Slow Net' -i \(hosts.interface) -- sh -c \(command)"
            for _ in 0..<3 {
                let run = try RunningCommand(shell: "ip netns exec \(hosts.near) \(line)")
                let supervisor = try #require(RunSupervisor(of: run))
                #expect(run.nextLine() == "switched")
                let moment = Double.random(in: 0...0.06)
                run.endInput()
                usleep(UInt32(moment * 1e6))
                supervisor.kill()
                run.wait()
                #expect(try hosts.dump() == before, "\(moment) s")
            }
        }

        /// The run is refused because of other conditions, and its supervisor is killed before it finds that out.
        @Test func otherConditionsStay() throws {
            let hosts = try Hosts()
            try hosts.apply("LTE")
            let before = try hosts.dump()
            for _ in 0..<3 {
                let moment = Double.random(in: 0...0.02)
                try kill(.supervisor, of: hosts, after: moment)
                #expect(try hosts.dump() == before, "\(moment) s")
            }
        }
    }
}
