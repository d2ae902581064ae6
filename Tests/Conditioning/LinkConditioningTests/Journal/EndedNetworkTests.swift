// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import Testing

@testable import LinkConditioning
@testable import TrafficControl

/// Which entries are about a network that does not exist any more.
@Suite struct EndedNetworkTests {
    private static func living(_ cookies: [UInt64], inodes: Set<UInt64>, unknown: Set<UInt64> = []) -> LivingNetworks {
        var living = LivingNetworks()
        for cookie in cookies { living.known[.cookie(cookie)] = .ofProcess(1) }
        (living.inodes, living.unknown) = (inodes, unknown)
        return living
    }

    @Test func endsWithItsNumberAndNotWithItsInode() {
        let living = Self.living([1, 12], inodes: [100, 101])
        #expect(!living.lacks(.number(.cookie(12)), inode: 101))
        // The inode is another network's by now.
        #expect(living.lacks(.number(.cookie(11)), inode: 101))
        #expect(living.lacks(.number(.mark(12)), inode: 101))
        #expect(living.lacks(.number(.cookie(11)), inode: nil))
    }

    @Test func mayBeANetworkWhoseNumberCannotBeRead() {
        let living = Self.living([1], inodes: [100], unknown: [105])
        #expect(!living.lacks(.number(.cookie(11)), inode: 105))
        #expect(!living.lacks(.number(.cookie(11)), inode: nil))
        #expect(living.lacks(.number(.cookie(11)), inode: 104))
    }

    /// Where /proc cannot be read, every network seems to have ended, with its entries.
    @Test func noNetworkHasEndedForAProcessThatSeesNone() {
        var living = Self.living([], inodes: [])
        living.isBlind = true
        #expect(!living.lacks(.number(.cookie(11)), inode: 104) && !living.lacks(.inode(104), inode: nil))
        #expect(!LivingNetworks.find { NetworkIdentity.Number.currentIfReadable }.isBlind)
    }

    @Test func formatTwoHasOnlyTheInode() {
        let living = Self.living([1], inodes: [100], unknown: [105])
        #expect(!living.lacks(.inode(100), inode: nil))
        #expect(!living.lacks(.inode(105), inode: nil))
        #expect(living.lacks(.inode(104), inode: nil))
    }

    @Test(arguments: [nil, "", "uplink of another program", "a  b ", "linkcond-network=xyz"])
    func marksANetworkBesideAnyAlias(alias: String?) {
        #expect(NetworkMark.number(in: alias) == nil)
        let marked = NetworkMark.alias(alias, with: .max)
        #expect(NetworkMark.number(in: marked) == .max)
        #expect(NetworkMark.number(in: NetworkMark.alias(marked, with: 0)) == 0)
        #expect(NetworkMark.alias(marked, with: nil) == alias ?? "")
    }
}
