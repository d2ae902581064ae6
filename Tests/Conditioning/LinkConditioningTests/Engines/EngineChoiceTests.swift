// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import Netlink
import Testing

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import TrafficControl

/// Which engine carries conditions, by what the kernel has.
@Suite struct EngineChoiceTests {
    /// The kernels that cannot count the bytes in a queue.
    private static let withoutQueues: [[KernelFeature]] = [[.priorityBands], [.police], [.priorityBands, .police]]

    private static func executor(lacking features: [KernelFeature]) -> PlanExecutor {
        PlanExecutor(RouteConnection(LimitedKernel(lacking: features)))
    }

    private static func choice(
        _ profile: Profile,
        engine: Engine? = nil,
        lacking features: [KernelFeature]
    ) throws -> EngineChoice {
        var request = RuleRequest.made(profile)
        request.engine = engine
        return try EngineChoice(request, [SimulatedDevice.ethernet.planner()], executor(lacking: features))
    }

    @Test func isNetemWhereTheKernelHasAllOfIt() throws {
        let choice = try Self.choice(.slowNet, lacking: [])
        #expect(choice.engine == .netem && choice.note == nil)
        #expect(choice.plan.requirements.contains(.police) && choice.plan.notes.isEmpty)
    }

    @Test(arguments: withoutQueues) func isUserspaceForARateWithoutWhatCountsBytes(_ missing: [KernelFeature]) throws {
        let choice = try Self.choice(.slowNet, lacking: missing)
        #expect(choice.engine == .userspace)
        let list = missing.map { "no \($0.rawValue)" }.joined(separator: ", ")
        #expect(choice.note == "using the userspace engine: this kernel has \(list)")
        #expect(choice.plan.expected.allSatisfy { $0.lane == nil })
    }

    @Test(arguments: withoutQueues) func isNetemWithoutARate(_ missing: [KernelFeature]) throws {
        let choice = try Self.choice(.delay(100), lacking: missing)
        #expect(choice.engine == .netem && choice.note == nil && choice.plan.notes.isEmpty)
    }

    @Test(arguments: withoutQueues) func countsPacketsWithNetemByName(_ missing: [KernelFeature]) throws {
        let choice = try Self.choice(.slowNet, engine: .netem, lacking: missing)
        #expect(choice.engine == .netem)
        #expect(choice.plan.expected.compactMap { $0.lane?.netem.limit } == [17, 17, 17])
        #expect(choice.plan.notes.count == 1 && choice.plan.notes[0].contains("needs sch_prio and act_police"))
        try choice.require(Self.executor(lacking: missing))
    }

    private static func shared(_ set: (inout Impairments) -> Void) -> Profile {
        var figures = Impairments.rate(1_000_000)
        set(&figures)
        return Profile("Shared", downlink: figures)
    }

    @Test func isUserspaceForAManagedQueueOrCompetingTraffic() throws {
        let queue = try Self.choice(Self.shared { $0.queueManagement = QueueManagement(.fqCodel) }, lacking: [])
        #expect(queue.engine == .userspace && queue.note?.contains("a fq_codel queue (downlink)") == true)
        let traffic = try Self.choice(Self.shared { $0.competing = [CompetingFlows(.bulk)] }, lacking: [])
        #expect(traffic.engine == .userspace && traffic.note?.contains("competing traffic (downlink)") == true)
    }

    @Test func refusesAManagedQueueWithNetemByName() {
        let error = #expect(throws: ConditioningError.self) {
            _ = try Self.choice(
                Self.shared { $0.queueManagement = QueueManagement(.codel) },
                engine: .netem,
                lacking: []
            )
        }
        #expect(error?.code == .unsupported && error?.message.contains("a codel queue (downlink)") == true)
    }

    /// The plan of a dry run is that of a kernel which has netem; carrying it out is refused.
    @Test func plansForAWholeNetemWhereTheKernelHasNone() throws {
        let missing: [KernelFeature] = [.netem, .priorityBands, .police]
        let choice = try Self.choice(.slowNet, engine: .netem, lacking: missing)
        #expect(choice.plan.requirements.contains(.police) && choice.plan.notes.isEmpty)
        let error = #expect(throws: ConditioningError.self) { try choice.require(Self.executor(lacking: missing)) }
        #expect(error?.code == .unsupported)
    }

    /// Neither engine can redirect packets there.
    @Test(arguments: [Engine.netem, nil]) func isTheRootQdiscWithoutWhatRedirectsPackets(_ engine: Engine?) throws {
        let missing: [KernelFeature] = [.ifb, .mirred]
        let choice = try Self.choice(Profile("up", uplink: .delay(100)), engine: engine, lacking: missing)
        #expect(choice.engine == .netem && choice.plan.root != nil && choice.plan.notes.count == 1)
        try choice.require(Self.executor(lacking: missing))
        let error = #expect(throws: ConditioningError.self) {
            try Self.choice(.slowNet, engine: engine, lacking: missing)
        }
        #expect(error?.code == .unsupported && error?.message.contains("not the dns and the downlink") == true)
    }

    /// A pump needs no ifb.
    @Test func isUserspaceWithoutIFB() throws {
        let choice = try Self.choice(.slowNet, lacking: [.ifb])
        #expect(choice.engine == (EngineChoice.canPumpLoopback ? .userspace : .netem))
    }

    @Test(arguments: withoutQueues) func ofLaterConditionsIsUserspaceIfTheyMayHaveARate(_ missing: [KernelFeature]) {
        let choice = EngineChoice(for: nil, Self.executor(lacking: missing), needsLog: false)
        #expect(choice.engine == (EngineChoice.canPumpLoopback ? .userspace : .netem))
        #expect(EngineChoice(for: nil, Self.executor(lacking: []), needsLog: false).engine == .netem)
    }
}

/// A kernel that answers whether it has a feature.
private final class LimitedKernel: NetlinkTransport {
    private let missing: [KernelFeature]

    init(lacking features: [KernelFeature]) { missing = features }

    func exchange(_ request: Request) throws(NetlinkError) -> [[UInt8]] {
        guard request.operation.hasPrefix("look for") else { return [] }
        let isMissing = missing.contains { request.operation.hasSuffix(" \($0.rawValue)") }
        throw NetlinkError(operation: request.operation, code: isMissing ? ENOENT : EINVAL)
    }
}
