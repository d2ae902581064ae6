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
        let words = "echo begun; sleep 600; true"
        let container = try RunningCommand(["unshare", "-pf", "--kill-child", "sh", "-c", words])
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
    @Test func takesAProcessThatItCannotExamineForAlive() async {
        // In a process whose limits are its own.
        await #expect(processExitsWith: .success) {
            let living = try #require(ProcessIdentity(getppid()))
            var (ended, group) = (living, living)
            (ended.processID, group.processID) = (.max, -1)
            // Another file cannot be opened: EMFILE.
            var (before, none) = (rlimit(), rlimit())
            let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            getrlimit(descriptors, &before)
            none.rlim_max = before.rlim_max
            setrlimit(descriptors, &none)
            let areAlive = [living, ended, group].map(\.isAlive)
            setrlimit(descriptors, &before)
            #expect(areAlive == [true, false, false])
        }
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
        let holder = try network.run { try RunningCommand(["sleep", "600"]) }
        let living = LivingNetworks.find(isThorough: true) { NetworkIdentity.Number.currentCookie }
        #expect(!living.lacks(.number(number), inode: nil))
        let found = try #require(living.known[number])
        #expect(try PrivateNetwork.run(in: found.path) { NetworkIdentity.Number.currentCookie } == number)
        withExtendedLifetime(holder) {}
    }
}
