// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import TestKit
import Testing

@testable import LinkConditioning

/// Which processes and networks are alive, as this machine's kernel says.
@Suite(.enabled(if: Kernel.isRoot && Kernel.hasNamespaces, "needs root and namespaces"))
struct LivingProcessTests {
    /// A process of a container, which has another ID out here.
    @Test func findsAProcessOfAPIDNamespaceBelow() throws {
        let container = try RunningCommand(["unshare", "-pf", "--kill-child", "sh", "-c", "echo begun; sleep 60; true"])
        #expect(try container.line() == "begun")
        let children = try String(
            contentsOfFile: "/proc/\(container.number)/task/\(container.number)/children",
            encoding: .utf8
        )
        let child = try #require(Int32(children.split(separator: " ")[0]))
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child)/ns/pid")
        let namespace = try #require(UInt64(link.filter(\.isNumber)))
        var process = try #require(ProcessIdentity(child))
        #expect(process.isAlive)
        process.namespace = namespace
        #expect(process.isAlive != ProcessIdentity.seesAll, "another process has its ID")
        process.processID = 1
        #expect(process.isAlive)
        process.startTime += 1
        #expect(process.isAlive != ProcessIdentity.seesAll, "it started at another time")
        process.startTime -= 1
        kill(child, SIGKILL)
        _ = try container.end()
        #expect(process.isAlive != ProcessIdentity.seesAll)
    }

    /// What cannot be read of a process is no proof of its end: its rule would be removed.
    @Test func takesAProcessThatItCannotExamineForAlive() throws {
        let living = ProcessIdentity.current
        let process = try Fork.child {
            var ended = living
            ended.processID = .max
            var group = living
            group.processID = -1
            // Another file cannot be opened: EMFILE.
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            _exit((living.isAlive ? 1 : 0) + (ended.isAlive ? 2 : 0) + (group.isAlive ? 4 : 0))
        }
        #expect(ChildStatus.wait(for: process) == .exited(1))
    }

    @Test func tellsANetworkFromThoseThatHadItsInode() throws {
        var numbers: Set<NetworkIdentity.Number> = []
        for _ in 0..<20 {
            let number = try PrivateNetwork.run { NetworkIdentity.Number.currentCookie }
            numbers.insert(try #require(number))
        }
        #expect(numbers.count == 20)
    }

    @Test func findsTheNetworksThatLive() throws {
        let network = try PrivateNetwork()
        let number = try #require(try network.run { NetworkIdentity.Number.currentCookie })
        let holder = try network.run { try RunningCommand(["sleep", "60"]) }
        let living = LivingNetworks.find(isThorough: true) { NetworkIdentity.Number.currentCookie }
        #expect(!living.lacks(.number(number), inode: nil))
        let found = try #require(living.known[number])
        #expect(try PrivateNetwork.run(in: found.path) { NetworkIdentity.Number.currentCookie } == number)
        withExtendedLifetime(holder) {}
    }
}
