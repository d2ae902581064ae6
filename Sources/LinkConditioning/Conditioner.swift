// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
public import Netlink

/// Carries out plans in the network namespace of its connection.
public struct Conditioner {
    /// Passing time, so that tests need not wait.
    public struct Pace: Sendable {
        /// Time since some fixed moment.
        public var now: @Sendable () -> Duration
        /// Waits.
        public var sleep: @Sendable (Duration) -> Void

        /// The machine's own clock.
        public static let real = Pace(
            now: {
                var time = timespec()
                clock_gettime(CLOCK_MONOTONIC, &time)
                return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
            },
            sleep: { usleep(UInt32($0 / .microseconds(1))) }
        )
    }

    private let connection: RouteConnection
    private let home: RouteConnection
    private let pace: Pace

    /// Works over `connection`; `home` leads to the namespace in which the process began, where that is another.
    public init(_ connection: RouteConnection, home: RouteConnection? = nil, pace: Pace = .real) {
        self.connection = connection
        self.home = home ?? connection
        self.pace = pace
    }

    /// Refuses, before anything is changed, what the kernel has no part for.
    ///
    /// - Throws: every missing part at once; or that the process may not change this network.
    public func require(_ features: [KernelFeature]) throws(ConditioningError) {
        var missing: [String] = []
        for feature in features {
            do {
                if try !isPresent(feature) { missing.append(feature.rawValue) }
            } catch  where error.code == EPERM {
                throw ConditioningError(
                    .notPermitted,
                    "this process may not change the network here: it lacks CAP_NET_ADMIN",
                    remedy: "sudo linkcond ..., or a network of your own: unshare -rn"
                )
            } catch {
                throw ConditioningError(error)
            }
        }
        guard missing.isEmpty else {
            throw ConditioningError(
                .unsupported,
                "this kernel has no \(missing.joined(separator: ", no "))",
                remedy: "linkcond doctor"
            )
        }
    }

    private func isPresent(_ feature: KernelFeature) throws(NetlinkError) -> Bool {
        guard feature == .ifb else { return try connection.has(feature) }
        return try ModuleGuests(home).without { () throws(NetlinkError) in try connection.has(.ifb) }
    }

    /// Makes what a plan wants of `device` take effect, then reads back and compares.
    ///
    /// - Parameter seal: writes down that it was done; its failure is one of the whole.
    /// - Throws: the first failure, or the first difference, after undoing what had been done.
    public func build(
        _ plan: Plan,
        on device: String,
        seal: () throws(ConditioningError) -> Void = {}
    ) throws(ConditioningError) {
        var indexes = LinkIndexes(connection)
        var done: [Operation] = []
        do {
            for operation in plan.build {
                try perform(operation, &indexes)
                done.append(operation)
            }
        } catch {
            throw undoing(done, after: ConditioningError(error), &indexes)
        }
        if !plan.expected.isEmpty, let mismatch = compare(plan, on: device) {
            throw undoing(done, after: mismatch, &indexes)
        }
        do throws(ConditioningError) {
            try seal()
        } catch {
            throw undoing(done, after: error, &indexes)
        }
    }

    /// Takes away what a plan no longer wants. May wait for lanes to drain; whoever is interrupted meanwhile leaves
    /// lanes without traffic, which any later reset takes away.
    ///
    /// - Returns: what a lane still held when it was deleted, in words; empty where nothing was lost.
    /// - Throws: the first failure, after taking away the rest.
    public func retire(_ plan: Plan) throws(ConditioningError) -> [String] {
        var indexes = LinkIndexes(connection)
        return try takeAway(plan.retire, &indexes)
    }

    /// Builds, then retires.
    @discardableResult
    public func carryOut(_ plan: Plan, on device: String) throws(ConditioningError) -> [String] {
        try build(plan, on: device)
        return try retire(plan)
    }

    private func compare(_ plan: Plan, on device: String) -> ConditioningError? {
        do {
            let state = try Inspector(connection).device(named: device)
            let differences = Verification.differences(plan.expected, in: state)
            guard !differences.isEmpty else { return nil }
            let list = differences.joined(separator: "\n")
            return ConditioningError(
                .mismatch,
                "the kernel has something else on \(device) than was asked for:\n\(list)"
            )
        } catch {
            return ConditioningError(error)
        }
    }

    private func undoing(
        _ done: [Operation],
        after failure: ConditioningError,
        _ indexes: inout LinkIndexes
    ) -> ConditioningError {
        var failure = failure
        var leftovers: [String] = []
        for operation in done.reversed().compactMap(\.undo) {
            do {
                try perform(operation, &indexes)
            } catch  where !Self.isAbsence(error) {
                leftovers.append(error.description)
            } catch {}
        }
        if !leftovers.isEmpty {
            failure.isIncomplete = true
            failure.aftermath = "and undoing it failed: " + leftovers.joined(separator: "; ")
            failure.remedy = failure.remedy ?? "linkcond reset"
        } else if !done.isEmpty {
            failure.aftermath = "everything is as it was before"
        }
        return failure
    }

    private func takeAway(_ operations: [Operation], _ indexes: inout LinkIndexes) throws(ConditioningError) -> [String]
    {
        var failure: NetlinkError?
        var losses: [String] = []
        // Lanes drain side by side, so one limit's time is enough for all; it begins when the last filter is gone.
        var start: Duration?
        for operation in operations {
            do {
                if case .drain(let name, let limit) = operation {
                    let begin = start ?? pace.now()
                    start = begin
                    let held = try drain(name, until: begin + min(limit + Self.lateness, .seconds(10)), &indexes)
                    if held > 0 { losses.append("\(name) still held \(held) packets after \(limit.text)") }
                } else {
                    try perform(operation, &indexes)
                }
            } catch  where !Self.isAbsence(error) {
                failure = failure ?? error
            } catch {}
        }
        if let failure { throw ConditioningError(failure) }
        return losses
    }

    /// A busy machine hands packets on later than their time.
    private static let lateness = Duration.seconds(1)

    /// What is to be taken away may be gone already: with its device, or by somebody's hand.
    private static func isAbsence(_ error: NetlinkError) -> Bool {
        // The last is "Parent Qdisc doesn't exists": a filter whose hook is gone.
        error.code == ENOENT || error.code == ENODEV
            || error.code == EINVAL && error.operation.hasPrefix("delete filter")
    }

    /// Waits until the ifb holds nothing; gives what it holds at the deadline.
    private func drain(_ name: String, until deadline: Duration, _ indexes: inout LinkIndexes) throws(NetlinkError)
        -> Int
    {
        let link = try indexes.index(of: name)
        var nap = Duration.milliseconds(1)
        while true {
            let held =
                try connection.qdiscs().filter { $0.link == link }
                .compactMap { $0.statistics?.queuedPackets }.max() ?? 0
            // An ifb counts a packet in when its qdisc hands it over and out when it sends it on; what it has in between
            // would be lost with it, and the qdisc knows nothing of it any more.
            let traffic = held > 0 ? nil : try connection.traffic(of: name)
            let passing = traffic.map { $0.receivedPackets &- $0.sentPackets } ?? 0
            guard held > 0 || passing > 0, pace.now() < deadline else { return Int(held) }
            pace.sleep(nap)
            nap = min(nap * 2, .milliseconds(20))
        }
    }

    private func perform(_ operation: Operation, _ indexes: inout LinkIndexes) throws(NetlinkError) {
        switch operation {
        case .addIFB(let name): try connection.perform(LinkRequest.addIFB(name, queueLength: 1000))
        case .disableAddresses(let name): try disableAddresses(of: name)
        case .describe(let name, let alias, _): try connection.perform(LinkRequest.setAlias(alias, of: name))
        case .bringUp(let name): try connection.perform(LinkRequest.bringUp(name))
        case .addQdisc(let name, let qdisc):
            var qdisc = qdisc
            qdisc.link = try indexes.index(of: name)
            try connection.perform(qdisc.add(on: name))
        case .addHook(let device):
            try connection.perform(Qdisc.clsact(on: try indexes.index(of: device)).add(on: device))
        case .addFilter(let filter): try connection.perform(try resolve(filter, &indexes).add(on: filter.device))
        case .replaceFilter(let filter, _):
            try connection.perform(try resolve(filter, &indexes).replace(on: filter.device))
        case .deleteFilter(let filter):
            let link = try indexes.index(of: filter.device)
            try connection.perform(filter.resolved(device: link, target: 0).delete(from: filter.device))
        case .drain: break
        case .deleteIFB(let name): try connection.perform(LinkRequest.delete(name))
        case .deleteHook(let device): try deleteHook(of: device, &indexes)
        case .setMTU(let device, let mtu, _): try connection.perform(LinkRequest.setMTU(mtu, of: device))
        case .addReturn(let tap, let device, let arrives):
            try addReturn(index: indexes.index(of: tap), tap, to: indexes.index(of: device), arrives: arrives)
        case .addPass(let device, let tap, let preference):
            let filter = try pass(indexes.index(of: device), preference, tap)
            try connection.perform(filter.add(on: device))
        case .deletePass(let device, let preference):
            try connection.perform(try pass(indexes.index(of: device), preference, "").delete(from: device))
        }
    }

    private func pass(_ link: Int32, _ preference: UInt16, _ tap: String) -> PassFilter {
        PassFilter(link: link, hook: .egress, preference: preference, source: tap)
    }

    private func addReturn(index: Int32, _ tap: String, to target: Int32, arrives: Bool) throws(NetlinkError) {
        try connection.perform(Qdisc.clsact(on: index).add(on: tap))
        let filter = RedirectFilter(
            link: index,
            hook: .ingress,
            preference: 1,
            cookie: [],
            program: [BPFInstruction(code: 0x06, constant: .max)],
            target: target,
            arrivesAtTarget: arrives
        )
        try connection.perform(filter.add(on: tap))
    }

    private func resolve(_ filter: LaneFilter, _ indexes: inout LinkIndexes) throws(NetlinkError) -> RedirectFilter {
        filter.resolved(device: try indexes.index(of: filter.device), target: try indexes.index(of: filter.target))
    }

    /// Without IPv6 in the kernel there is nothing to keep away.
    private func disableAddresses(of name: String) throws(NetlinkError) {
        do {
            try connection.perform(LinkRequest.disableAddressGeneration(of: name))
        } catch  where error.code == EAFNOSUPPORT {}
    }

    /// Somebody may have put a filter there since the plan was made; then the hook is theirs.
    private func deleteHook(of device: String, _ indexes: inout LinkIndexes) throws(NetlinkError) {
        let link = try indexes.index(of: device)
        guard try connection.filters(on: link, hook: .ingress).isEmpty,
            try connection.filters(on: link, hook: .egress).isEmpty
        else { return }
        try connection.perform(Qdisc.clsact(on: link).delete(from: device))
    }
}

/// The kernel's numbers of devices, asked for once each.
private struct LinkIndexes {
    private let connection: RouteConnection
    private var known: [String: Int32] = [:]

    init(_ connection: RouteConnection) {
        self.connection = connection
    }

    mutating func index(of name: String) throws(NetlinkError) -> Int32 {
        if let index = known[name] { return index }
        let index = try connection.link(named: name).index
        known[name] = index
        return index
    }
}
