// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

extension PlanExecutor {
    func perform(_ step: PlanStep, _ indexes: inout LinkIndexes) throws(StepFailure) {
        do throws(PumpFailure) {
            try askPump(for: step, indexes.programs)
        } catch {
            throw StepFailure(error)
        }
        switch step {
        case .kernel(let step):
            do {
                try perform(step, &indexes)
            } catch {
                throw StepFailure(error, of: step)
            }
        case .setLoopback(let device, let settings, let previous):
            do {
                try settings.write(device, orRestore: previous)
            } catch {
                throw StepFailure(error)
            }
        case .pump: break
        case .drain(let holder, let limit): _ = try drain(holder, until: pace.now() + limit, &indexes)
        }
    }

    /// Sends the pump the request that a step needs: to change its conditions, or for the watchdog of a new filter's
    /// program.
    private func askPump(for step: PlanStep, _ programs: LoadedPrograms) throws(PumpFailure) {
        switch step {
        case .pump(.use(let tap, let conditions)): try pumps.use(conditions, tap: tap)
        case .pump(.revert(let tap)): try pumps.revert(tap: tap)
        case .kernel(.addFilter(let filter)), .kernel(.replaceFilter(let filter, _)):
            guard let failOpen = filter.failOpen, failOpen.programID == nil else { return }
            programs.keep(watchdog: try pumps.watchdog(tap: filter.target), of: filter.target)
        default: break
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
        case .addRootQdisc(let device, var qdisc):
            qdisc.link = try indexes.index(of: device)
            try connection.perform(qdisc.add(on: device))
        case .changeRootQdisc(let device, var qdisc, _):
            qdisc.link = try indexes.index(of: device)
            try connection.perform(qdisc.change(on: device))
        case .deleteRootQdisc(let device):
            try connection.perform(Qdisc.laneRoot(of: try indexes.index(of: device)).delete(from: device))
        case .addPolicer(let name, let policer):
            let link = try indexes.index(of: name)
            try connection.perform(policer.add(to: LaneQdiscs.policerHandle, of: link, on: name))
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
            try addReturn(of: tap, to: device, arrives: arrives, &indexes)
        case .addPassFilter(let device, let tap, let pass):
            try connection.perform(pass.filter(on: try indexes.index(of: device), from: tap).add(on: device))
        case .deletePassFilter(let device, let pass):
            try connection.perform(pass.filter(on: try indexes.index(of: device)).delete(from: device))
        }
    }

    private func resolve(_ filter: LaneFilter, _ indexes: inout LinkIndexes) throws(NetlinkError) -> RedirectFilter {
        let target = try indexes.index(of: filter.target)
        let link = try indexes.index(of: filter.device)
        return filter.resolved(device: link, target: target, try loadedProgram(of: filter, target, indexes.programs))
    }

    /// The loaded program of a filter that fails open: newly loaded, or the one that the kernel already has; nil for
    /// others.
    private func loadedProgram(
        of filter: LaneFilter,
        _ target: Int32,
        _ programs: LoadedPrograms
    ) throws(NetlinkError) -> LoadedProgram? {
        guard let failOpen = filter.failOpen else { return nil }
        if let id = failOpen.programID {
            return LoadedProgram(descriptor: try programs.descriptor(of: id), name: failOpen.name)
        }
        let watchdog = try programs.watchdog(of: filter.target)
        guard let program = FailOpenProgram(filter.program, target: target, watchdog: watchdog) else {
            throw NetlinkError(operation: "translate the program of a filter to \(filter.target)", code: EINVAL)
        }
        return LoadedProgram(descriptor: try programs.load(program), name: failOpen.name)
    }

    /// Adds the filter that returns the packets which a pump writes to its TAP device.
    private func addReturn(
        of tap: String,
        to device: String,
        arrives: Bool,
        _ indexes: inout LinkIndexes
    ) throws(NetlinkError) {
        let filter = RedirectFilter(
            link: try indexes.index(of: tap),
            hook: .ingress,
            preference: 1,
            cookie: [],
            program: .matchAll,
            target: try indexes.index(of: device),
            arrivesAtTarget: arrives
        )
        do {
            try connection.perform(Qdisc.clsact(on: filter.link).add(on: tap))
        } catch  where error.code == EEXIST {
            // The TAP device still has clsact: another program has deleted only the filter.
        }
        try connection.perform(filter.add(on: tap))
    }

    /// Disables IPv6 address generation, unless the kernel has no IPv6 and therefore generates no addresses.
    private func disableAddresses(of name: String) throws(NetlinkError) {
        do {
            try connection.perform(LinkRequest.disableAddressGeneration(of: name))
        } catch  where error.code == EAFNOSUPPORT {}
    }

    /// Deletes the hook, unless another program has added a filter to it since the plan was made.
    private func deleteHook(of device: String, _ indexes: inout LinkIndexes) throws(NetlinkError) {
        let link = try indexes.index(of: device)
        guard try connection.filters(on: link, hook: .ingress).isEmpty,
            try connection.filters(on: link, hook: .egress).isEmpty
        else { return }
        try connection.perform(Qdisc.clsact(on: link).delete(from: device))
    }
}

extension Qdisc {
    /// The outermost qdisc of a lane at the root of a device, whatever its kind.
    fileprivate static func laneRoot(of link: Int32) -> Qdisc {
        Qdisc(link: link, parent: .root, handle: LaneQdiscs.rootHandle, kind: .other("root qdisc", options: []))
    }
}

/// State that the steps of one plan share: the indexes of devices by name, each requested once, and loaded programs.
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
