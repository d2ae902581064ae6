// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink

@testable import TrafficControl

/// A device and its ifbs that accept a plan's steps as the kernel does, and reject an order that would lose packets: a
/// filter to a device that is not ready, or deleting an ifb while a filter still redirects to it.
struct SimulatedDevice {
    /// Why a step is rejected.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    struct IFB: Equatable {
        let index: Int32
        var alias: String?
        var qdiscs: [Qdisc] = []
        var policer: Policer?
        var isUp = false
        var isTap = false
        /// For a pump's TAP device: whether packets written to it are redirected to the device.
        var hasReturn = true
    }

    let index: Int32
    let name: String
    let hardware: Link.Hardware
    let portKind: String?
    var mtu: UInt32
    var settings: LoopbackSettings?
    var hook = DeviceState.Hook.none
    var sharesHook = false
    var foreign: [DeviceState.Foreign] = []
    var ifbs: [String: IFB] = [:]
    var filters: [LaneFilter] = []
    /// The filters that pass a TAP device's packets, with the device's name.
    var passes: [ReturnPass: String] = [:]
    /// The profiles that pumps were asked to use, in order.
    var conditions: [String: [Profile]] = [:]
    /// Its root qdisc and those below it; none for the kernel's default.
    var root: [Qdisc] = []
    /// Whether new packets pass the root qdisc at once.
    private var isRootFree: Bool {
        root.allSatisfy { if case .netem(let netem) = $0.kind { netem == Netem(limit: 1_000_000) } else { true } }
    }
    private var nextIndex: Int32 = 100

    init(
        _ index: Int32,
        _ name: String,
        _ hardware: Link.Hardware = .ethernet,
        mtu: UInt32 = 1500,
        portKind: String? = nil
    ) {
        self.index = index
        self.name = name
        self.hardware = hardware
        self.portKind = portKind
        self.mtu = mtu
        settings = hardware == .loopback ? LoopbackSettings("0,0,0") : nil
    }

    static let ethernet = SimulatedDevice(2, "eth0")
    static let loopback = SimulatedDevice(1, "lo", .loopback, mtu: 65536)
    static let tunnel = SimulatedDevice(5, "tun0", .none)

    /// Carries out a plan.
    mutating func carryOut(_ plan: Plan) throws {
        makeTaps(plan)
        for operation in plan.build + plan.teardown { try perform(operation) }
    }

    /// Makes the TAP devices of a plan, as its pump does.
    mutating func makeTaps(_ plan: Plan) {
        for tap in plan.taps {
            ifbs[tap.name] = IFB(index: nextIndex, isUp: true, isTap: true, hasReturn: false)
            conditions[tap.name] = []
            nextIndex += 1
        }
    }

    mutating func perform(_ operation: PlanStep) throws {
        func require(_ condition: Bool, _ reason: String) throws {
            guard condition else { throw Refusal(description: "\(operation.command): \(reason)") }
        }
        switch operation {
        case .kernel(.addIFB(let name)):
            try require(ifbs[name] == nil && name.utf8.count <= 15, "no such name can be had")
            ifbs[name] = IFB(index: nextIndex)
            nextIndex += 1
        case .kernel(.disableAddresses(let name)): try require(ifbs[name]?.isUp == false, "IPv6 has an address by now")
        case .kernel(.describe(let name, let alias, let previous)):
            try require(ifbs[name] != nil && ifbs[name]?.alias == previous, "another alias is there")
            try require(alias.utf8.count < 256, "too long an alias")
            ifbs[name]?.alias = alias
        case .kernel(.addQdisc(let name, let qdisc)):
            let present = ifbs[name]?.qdiscs ?? []
            try require(ifbs[name]?.isUp == false, "too late or too early")
            try require(
                present.last.map { qdisc.parent == Handle(rawValue: $0.handle.rawValue | 1) }
                    ?? (qdisc.parent == .root),
                "no such parent"
            )
            try require(!present.contains { $0.handle == qdisc.handle }, "handle taken")
            ifbs[name]?.qdiscs.append(qdisc)
        case .kernel(.addRootQdisc(let device, let qdisc)):
            let parent = root.last.map { Handle(rawValue: $0.handle.rawValue | 1) } ?? .root
            try require(device == name && qdisc.parent == parent, "another is there, or no such parent")
            root.append(qdisc)
        case .kernel(.changeRootQdisc(let device, let qdisc, let previous)):
            let place = root.firstIndex { $0.handle == qdisc.handle && $0.parent == qdisc.parent }
            try require(device == name && place.map { root[$0] } == previous, "no such qdisc")
            if let place { root[place] = qdisc }
        case .kernel(.deleteRootQdisc(let device)):
            try require(device == name && root.first?.handle == Handle(0x4C43), "not ours")
            root = []
        case .drain(.root(let device), _): try require(device == name && isRootFree, "still being filled")
        case .kernel(.addPolicer(let name, let policer)):
            let kinds = ifbs[name]?.qdiscs.map(\.kind.name) ?? []
            try require(
                kinds.contains("prio") && ifbs[name]?.policer == nil,
                "no qdisc with filters, or a filter is there"
            )
            ifbs[name]?.policer = policer
        case .kernel(.bringUp(let name)):
            try require(ifbs[name]?.alias != nil && ifbs[name]?.qdiscs.isEmpty == false, "not complete")
            ifbs[name]?.isUp = true
        case .kernel(.addHook(let device)):
            try require(device == name && hook == .none, "there is a hook")
            hook = .clsact
        case .kernel(.addFilter(let filter)):
            try require(
                !filters.contains { $0.hook == filter.hook && $0.preference == filter.preference },
                "place taken"
            )
            try requireReady(filter)
            filters.append(filter)
        case .kernel(.replaceFilter(let filter, let previous)):
            let place = filters.firstIndex(of: previous)
            try require(place != nil && filter.hook == previous.hook, "nothing to replace")
            try require(filter.preference == previous.preference, "replaces nothing at another place")
            try requireReady(filter)
            if let place { filters[place] = filter }
        case .kernel(.deleteFilter(let filter)):
            let place = filters.firstIndex(of: filter)
            try require(place != nil, "no such filter")
            if let place { filters.remove(at: place) }
        case .drain(.ifb(let name), _): try require(ifbs[name]?.isTap == false && !isUsed(name), "still being filled")
        case .drain(.pump(let name), _): try require(ifbs[name]?.isTap == true && !isUsed(name), "still being filled")
        case .pump(.use(let name, let used)):
            try require(ifbs[name]?.isTap == true, "no pump")
            conditions[name]?.append(used.profile)
        case .pump(.revert(let name)): try require(conditions[name]?.popLast() != nil, "nothing to go back to")
        case .kernel(.deleteDevice(let name)):
            try require(ifbs[name] != nil && !isUsed(name), "a filter redirects there")
            ifbs[name] = nil
        case .kernel(.deleteHook(let device)):
            let isFree = filters.isEmpty && passes.isEmpty
            try require(device == name && hook == .clsact && isFree, "no hook, or filters are there")
            hook = .none
        case .kernel(.setMTU(let device, let value, let previous)):
            try require(device == name && mtu == previous, "another MTU is there")
            mtu = value
        case .setLoopback(let device, let value, let previous):
            try require(device == name && settings == previous, "other settings are there")
            settings = value
        case .kernel(.addReturn(let tap, let device, let arrives)):
            try require(ifbs[tap]?.hasReturn == false && device == name, "no TAP device, or it leads back already")
            let passes = passes.values.contains(tap)
            try require(arrives || passes || !isUsed(tap), "packets would come back before they are let pass")
            ifbs[tap]?.hasReturn = true
        case .kernel(.addPassFilter(let device, let tap, let pass)):
            let isFree =
                !passes.keys.contains { $0.preference == pass.preference }
                && !filters.contains { $0.hook == .egress && $0.preference == pass.preference }
            try require(device == name && hook == .clsact && isFree, "no hook, or place taken")
            passes[pass] = tap
        case .kernel(.deletePassFilter(_, let pass)):
            let tap = passes.removeValue(forKey: pass) ?? ""
            let isNeeded = isUsed(tap) && !passes.values.contains(tap)
            try require(!tap.isEmpty && !isNeeded, "no such filter, or packets would come back and go again")
        }
    }

    private func isUsed(_ ifb: String) -> Bool { filters.contains { $0.target == ifb } }

    private func requireReady(_ filter: LaneFilter) throws {
        let hasHook = hook == .clsact || hook == .ingressOnly && filter.hook == .ingress
        let leadsBack = ifbs[filter.target]?.hasReturn == true
        guard filter.device == name, hasHook, leadsBack, ifbs[filter.target]?.isUp == true else {
            throw Refusal(description: "\(filter.hook) filter to \(filter.target): it or the hook is not ready")
        }
    }
}
