// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import Netlink

/// Single steps.
extension Conditioner {
    func perform(_ operation: Operation, _ indexes: inout LinkIndexes) throws(StepFailure) {
        switch operation {
        case .condition(let tap, let profile): try onPump { () throws(PumpFailure) in try PumpClient(tap).use(profile) }
        case .revertConditions(let tap): try onPump { () throws(PumpFailure) in try PumpClient(tap).revert() }
        case .setLoopback(let device, let settings, let previous):
            do {
                try settings.write(device, orGoBackTo: previous)
            } catch {
                throw .kernel(NetlinkError(operation: error.operation, code: error.code))
            }
        default:
            do throws(NetlinkError) {
                try performInKernel(operation, &indexes)
            } catch {
                throw .kernel(error)
            }
        }
    }

    private func onPump(_ body: () throws(PumpFailure) -> Void) throws(StepFailure) {
        do {
            try body()
        } catch {
            throw .pump(error)
        }
    }

    private func performInKernel(_ operation: Operation, _ indexes: inout LinkIndexes) throws(NetlinkError) {
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
        case .drain, .drainPump, .condition, .revertConditions, .setLoopback: break
        }
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
struct LinkIndexes {
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
