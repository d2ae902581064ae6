// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import Netlink

/// Single steps.
extension PlanExecutor {
    func perform(_ step: Step, _ indexes: inout LinkIndexes) throws(StepFailure) {
        switch step {
        case .kernel(let step):
            do throws(PumpFailure) {
                try findWatchdog(for: step, indexes.programs)
            } catch {
                throw .pump(error)
            }
            do {
                try perform(step, &indexes)
            } catch {
                throw StepFailure(error, of: step)
            }
        case .setLoopback(let device, let settings, let previous):
            do {
                try settings.write(device, orRestore: previous)
            } catch {
                throw .setting(error)
            }
        case .pump(let step):
            do {
                try perform(step)
            } catch {
                throw .pump(error)
            }
        case .drain(let carrier, let limit):
            _ = try drain(carrier, until: pace.now() + limit, &indexes)
        }
    }

    private func perform(_ step: PumpStep) throws(PumpFailure) {
        switch step {
        case .use(let tap, let profile): try pumps.use(profile, tap: tap)
        case .revert(let tap): try pumps.revert(tap: tap)
        }
    }

    private func perform(_ step: KernelStep, _ indexes: inout LinkIndexes) throws(NetlinkError) {
        switch step {
        case .addIFB(let name): try connection.perform(LinkRequest.addIFB(name, queueLength: 1000))
        case .disableAddresses(let name): try disableAddresses(of: name)
        case .describe(let name, let alias, _): try connection.perform(LinkRequest.setAlias(alias, of: name))
        case .bringUp(let name): try connection.perform(LinkRequest.bringUp(name))
        case .addQdisc(let name, let qdisc):
            var qdisc = qdisc
            qdisc.link = try indexes.index(of: name)
            try connection.perform(qdisc.add(on: name))
        case .addPolicer(let name, let policer):
            let link = try indexes.index(of: name)
            let filter = PoliceFilter(link: link, parent: LaneQdiscs.policerHandle, policer: policer)
            try connection.perform(filter.add(on: name))
        case .addHook(let device):
            try connection.perform(Qdisc.clsact(on: try indexes.index(of: device)).add(on: device))
        case .addFilter(let filter): try connection.perform(try resolve(filter, &indexes).add(on: filter.device))
        case .replaceFilter(let filter, let previous):
            previous.failOpen?.programID.map(indexes.programs.keep)
            try connection.perform(try resolve(filter, &indexes).replace(on: filter.device))
        case .deleteFilter(let filter):
            let link = try indexes.index(of: filter.device)
            try connection.perform(filter.resolved(device: link, target: 0).delete(from: filter.device))
        case .deleteDevice(let name): try connection.perform(LinkRequest.delete(name))
        case .deleteHook(let device): try deleteHook(of: device, &indexes)
        case .setMTU(let device, let mtu, _): try connection.perform(LinkRequest.setMTU(mtu, of: device))
        case .addReturn(let tap, let device, let arrives):
            try addReturn(index: indexes.index(of: tap), tap, to: indexes.index(of: device), arrives: arrives)
        case .addPass(let device, let tap, let pass):
            let filter = try filter(pass, on: indexes.index(of: device), tap)
            try connection.perform(filter.add(on: device))
        case .deletePass(let device, let pass):
            try connection.perform(try filter(pass, on: indexes.index(of: device), "").delete(from: device))
        }
    }

    /// Asks the pump for the watchdog that a new filter's program needs.
    private func findWatchdog(for step: KernelStep, _ programs: LoadedPrograms) throws(PumpFailure) {
        switch step {
        case .addFilter(let filter), .replaceFilter(let filter, _):
            guard let failOpen = filter.failOpen, failOpen.programID == nil else { return }
            programs.keep(watchdog: try pumps.watchdog(tap: filter.target), of: filter.target)
        default: return
        }
    }

    private func resolve(_ filter: LaneFilter, _ indexes: inout LinkIndexes) throws(NetlinkError) -> RedirectFilter {
        let target = try indexes.index(of: filter.target)
        return filter.resolved(
            device: try indexes.index(of: filter.device),
            target: target,
            try descriptor(of: filter, target, indexes.programs)
        )
    }

    /// The loaded program of a filter that fails open: a new one, or that of a filter which was replaced.
    private func descriptor(
        of filter: LaneFilter,
        _ target: Int32,
        _ programs: LoadedPrograms
    ) throws(NetlinkError) -> Int32? {
        guard let failOpen = filter.failOpen else { return nil }
        if let id = failOpen.programID { return try programs.descriptor(of: id) }
        let watchdog = try programs.watchdog(of: filter.target)
        guard let program = FailOpenProgram(filter.program, target: target, watchdog: watchdog) else {
            throw NetlinkError(operation: "translate the program of a filter to \(filter.target)", code: EINVAL)
        }
        return try programs.load(program)
    }

    /// A kernel without IPv6 assigns no addresses.
    private func disableAddresses(of name: String) throws(NetlinkError) {
        do {
            try connection.perform(LinkRequest.disableAddressGeneration(of: name))
        } catch  where error.code == EAFNOSUPPORT {}
    }

    /// Keeps the hook if another program has added a filter there since the plan was made.
    private func deleteHook(of device: String, _ indexes: inout LinkIndexes) throws(NetlinkError) {
        let link = try indexes.index(of: device)
        guard try connection.filters(on: link, hook: .ingress).isEmpty,
            try connection.filters(on: link, hook: .egress).isEmpty
        else { return }
        try connection.perform(Qdisc.clsact(on: link).delete(from: device))
    }
}

/// What the steps of one plan share: the indexes of devices by name, each requested once, and loaded programs.
struct LinkIndexes {
    let programs = LoadedPrograms()
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
