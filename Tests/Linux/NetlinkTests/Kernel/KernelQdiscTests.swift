// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Netlink

@Suite(.enabled(if: NetworkNamespace.isAvailable, NetworkNamespace.need)) struct KernelQdiscTests {
    private static let bucket = TokenBucket(bytesPerSecond: 3_750_000_000, burst: 1522, limit: 1522)

    @Test(arguments: [4000, 3_750_000_000, 5_000_000_000] as [UInt64])
    func keepsABucket(_ rate: UInt64) async throws {
        let bucket = TokenBucket(bytesPerSecond: rate, burst: 1522, limit: 1522)
        let (link, qdiscs) = try await NetworkNamespace.run { connection in
            try connection.perform(LinkRequest.addIFB("lane", queueLength: 1000))
            let link = try connection.link(named: "lane")
            let qdisc = Qdisc(link: link.index, parent: .root, handle: Handle(1), kind: .tokenBucket(bucket))
            try connection.perform(qdisc.add(on: "lane"))
            return (link, try connection.qdiscs())
        }
        let qdisc = try #require(qdiscs.first { $0.link == link.index })
        #expect(qdisc.parent == .root)
        #expect(qdisc.handle == Handle(1))
        #expect(qdisc.statistics?.packets == 0)
        #expect(!qdisc.usesSharedBlock)
        guard case .tokenBucket(let kept) = qdisc.kind else {
            Issue.record("\(qdisc.kind)")
            return
        }
        #expect(bucket.matches(kept), "\(kept)")
    }

    @Test func keepsABucketWithinABucket() async throws {
        let qdiscs = try await NetworkNamespace.run { connection in
            try connection.perform(LinkRequest.addIFB("lane", queueLength: 1000))
            let link = try connection.link(named: "lane").index
            for (parent, handle) in [(Handle.root, Handle(1)), (Handle(1, 1), Handle(0x10))] {
                let kind = QdiscKind.tokenBucket(Self.bucket)
                try connection.perform(Qdisc(link: link, parent: parent, handle: handle, kind: kind).add(on: "lane"))
            }
            return try connection.qdiscs().filter { $0.link == link }
        }
        #expect(qdiscs.contains { $0.parent == .root && $0.handle == Handle(1) })
        #expect(qdiscs.contains { $0.parent == Handle(1, 1) && $0.handle == Handle(0x10) })
    }

    @Test(
        .enabled("needs sch_prio and act_police") {
            let hasBands = try await NetworkNamespace.has(.priorityBands)
            return try await NetworkNamespace.has(.police) && hasBands
        },
        arguments: [4000, 5_000_000_000] as [UInt64]
    )
    func keepsAPolicer(_ rate: UInt64) async throws {
        let policer = Policer(bytesPerSecond: rate, packetOverhead: 14, usesATMCells: rate == 4000, burst: 94_625_000)
        let (qdiscs, filters) = try await NetworkNamespace.run { connection in
            try connection.perform(LinkRequest.addIFB("lane", queueLength: 1000))
            let link = try connection.link(named: "lane").index
            let bands = QdiscKind.priorityBands(PriorityBands())
            let qdisc = Qdisc(link: link, parent: .root, handle: Handle(0x20), kind: bands)
            try connection.perform(qdisc.add(on: "lane"))
            try connection.perform(policer.add(to: Handle(0x20), of: link, on: "lane"))
            let filters = try connection.filters(on: link, hook: Handle(0x20))
            return (try connection.qdiscs().filter { $0.link == link }, filters)
        }
        #expect(qdiscs.contains { $0.kind == .priorityBands(PriorityBands()) })
        #expect(filters.count == 1)
        #expect(filters.first?.policer == policer)
    }

    @Test func makesAndDeletesTheHook() async throws {
        let (with, without) = try await NetworkNamespace.run { connection in
            try connection.perform(Qdisc.clsact(on: 1).add(on: "lo"))
            let with = try connection.qdiscs()
            try connection.perform(Qdisc.clsact(on: 1).delete(from: "lo"))
            return (with, try connection.qdiscs())
        }
        let hook = try #require(with.first { $0.kind == .clsact })
        #expect(hook.link == 1)
        #expect(hook.parent == .clsact)
        #expect(hook.handle == Handle(0xFFFF))
        #expect(!without.contains { $0.kind == .clsact })
    }

    @Test func throwsTheKernelsMessageForASecondHook() async {
        let error = await #expect(throws: NetlinkError.self) {
            try await NetworkNamespace.run { connection in
                try connection.perform(Qdisc.clsact(on: 1).add(on: "lo"))
                try connection.perform(Qdisc.clsact(on: 1).add(on: "lo"))
            }
        }
        #expect(error?.code == EEXIST)
        #expect(error?.operation == "add clsact to lo")
        #expect(error?.kernelText == "Exclusivity flag on, cannot modify")
    }

    @Test(.enabled("needs sch_netem") { try await NetworkNamespace.has(.netem) }, arguments: NetemLimits.all.indices)
    func keepsAnEmulator(_ index: Int) async throws {
        var (name, netem) = NetemLimits.all[index]
        let written = netem
        let kept = try await NetworkNamespace.run { connection in
            let qdisc = Qdisc(link: 1, parent: .root, handle: Handle(0x10), kind: .netem(written))
            try connection.perform(qdisc.add(on: "lo"))
            return try connection.qdiscs().first { $0.link == 1 }
        }
        // Linux before 6.6 has no seed, and later ones choose one where none was given.
        guard case .netem(let read) = kept?.kind else {
            Issue.record("\(name): \(String(describing: kept))")
            return
        }
        if read.seed == nil || netem.seed == nil { netem.seed = read.seed }
        #expect(read == netem, "\(name)")
    }
}
