// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkProfiles
internal import LinuxSystem
package import Netlink

/// Reads the state of devices from the kernel, and distinguishes linkcond's objects from others.
package struct Inspector {
    private let connection: RouteConnection

    package init(_ connection: RouteConnection) {
        self.connection = connection
    }

    package func device(named name: String) throws(NetlinkError) -> DeviceState {
        // Requested by name first: the kernel's reply to an unknown name is the error to show.
        let link = try connection.link(named: name)
        return try device(link, links: connection.links(), qdiscs: connection.qdiscs())
    }

    /// All devices of this namespace with lanes or filters of linkcond, and the lanes whose device is gone.
    package func conditionedDevices() throws(NetlinkError) -> (devices: [DeviceState], abandoned: [LaneState]) {
        let links = try connection.links()
        let ours = links.filter { Self.laneName(of: $0) != nil }
        let qdiscs = try connection.qdiscs()
        var devices: [DeviceState] = []
        // If a device's lanes were deleted, its filters may remain, and drop the packets that they match.
        let hooked = qdiscs.filter { $0.parent == .clsact || Self.isLaneAtRoot($0) }.map(\.link)
        for index in Set(ours.compactMap { Self.laneName(of: $0)?.deviceIndex } + hooked).sorted() {
            guard let link = links.first(where: { $0.index == index }) else { continue }
            let state = try device(link, links: links, qdiscs: qdiscs)
            if state.isConditioned { devices.append(state) }
        }
        let present = Set(links.map(\.index))
        let lanes = ours.compactMap { Self.lane($0, qdiscs: qdiscs) }
        return (devices, lanes.filter { !present.contains($0.name.deviceIndex) })
    }

    private func device(_ link: Link, links: [Link], qdiscs: [Qdisc]) throws(NetlinkError) -> DeviceState {
        let hookQdisc = qdiscs.first { $0.link == link.index && $0.parent == .clsact }
        let hook: DeviceState.Hook =
            switch hookQdisc?.kind {
            case nil: .none
            case .clsact: .clsact
            default: .ingressOnly
            }
        var filters: [Filter] = []
        if hook != .none { filters += try connection.filters(on: link.index, hook: .ingress) }
        // The plain ingress qdisc lists its filters for both hooks.
        if hook == .clsact { filters += try connection.filters(on: link.index, hook: .egress) }

        let nameOfIndex = Dictionary(links.map { ($0.index, $0.name) }, uniquingKeysWith: { first, _ in first })
        var lanes = links.filter { Self.laneName(of: $0)?.deviceIndex == link.index }
            .compactMap { Self.lane($0, qdiscs: qdiscs) }
        let root = qdiscs.first { $0.link == link.index && $0.parent == .root }
        if let root, Self.isLaneAtRoot(root) { lanes.append(Self.laneAtRoot(of: link, qdiscs: qdiscs)) }
        for position in lanes.indices {
            guard lanes[position].qdiscs.contains(where: { $0.handle == LaneQdiscs.policerHandle }) else { continue }
            let filters = try connection.filters(on: lanes[position].link.index, hook: LaneQdiscs.policerHandle)
            lanes[position].policer = filters.compactMap(\.policer).first
        }
        var state = DeviceState(
            link: link,
            hook: hook,
            sharesHook: hookQdisc?.usesSharedBlock ?? false,
            foreign: Self.tcxPrograms(on: link),
            settings: link.isLoopback ? try Self.settings(of: link.name) : nil
        )
        // The kernel's default has no handle.
        if let root, root.handle != .none, !Self.isLaneAtRoot(root) {
            state.foreignRoot = "\(root.kind.name) \(root.handle)"
        }
        for filter in filters {
            if let pass = ReturnPass(filter) {
                state.passes.append(pass)
                continue
            }
            guard let ours = Self.laneFilter(filter, device: link.name, nameOfIndex: nameOfIndex) else {
                state.foreign.append(Self.foreign(filter))
                continue
            }
            if let position = lanes.firstIndex(where: { $0.link.name == ours.target }) {
                if let other = lanes[position].filter {
                    // A process was killed while it moved the filter; the kernel evaluates the lower preference first.
                    let isFirst = ours.preference < other.preference
                    lanes[position].surplus.append(isFirst ? other : ours)
                    guard isFirst else { continue }
                }
                lanes[position].filter = ours
                if lanes[position].isPumped {
                    let back = try connection.filters(on: lanes[position].link.index, hook: .ingress)
                    lanes[position].leadsBack = back.contains { $0.target == link.index }
                }
                lanes[position].matchedPackets = filter.matchedPackets
            } else {
                state.danglingFilters.append(ours)
            }
        }
        for (number, group) in Dictionary(grouping: lanes.filter { $0.filter != nil || $0.isAtRoot }, by: \.name.rule) {
            let sorted = group.sorted { $0.name.kind.order < $1.name.kind.order }
            let selection = sorted.first?.alias.selection ?? Selection()
            state.rules.append(RuleState(number: number, selection: selection, lanes: sorted))
        }
        state.rules.sort { $0.firstPreference < $1.firstPreference }
        state.orphans = lanes.filter { $0.filter == nil && !$0.isAtRoot }
        return state
    }

    /// The name of a lane: an ifb or a pump's device whose name and alias are linkcond's. A name alone is no proof.
    private static func laneName(of link: Link) -> LaneName? {
        guard LaneState.kinds.contains(link.kind), let name = LaneName(link.name) else { return nil }
        // An ifb is created down and without an alias; its maker may be killed before it sets one. A TAP device without
        // an alias belongs to a pump that is starting, and ends with that pump.
        guard let alias = link.alias else { return link.isUp ? nil : name }
        return LaneAlias(alias) == nil ? nil : name
    }

    private static func lane(_ link: Link, qdiscs: [Qdisc]) -> LaneState? {
        guard let name = laneName(of: link) else { return nil }
        return LaneState(
            name: name,
            link: link,
            alias: link.alias.flatMap { LaneAlias($0) } ?? LaneAlias(undescribed: name),
            qdiscs: qdiscs.filter { $0.link == link.index && $0.parent != .clsact }
        )
    }

    private static func isLaneAtRoot(_ qdisc: Qdisc) -> Bool {
        qdisc.parent == .root && qdisc.handle == LaneQdiscs.rootHandle
    }

    private static func settings(of loopback: String) throws(NetlinkError) -> LoopbackSettings? {
        do {
            return try LoopbackSettings.read(loopback)
        } catch {
            throw NetlinkError(operation: error.operation, code: error.code)
        }
    }

    /// The lane at the root of a device. A qdisc has no alias, so the rule's other facts are only in the journal.
    private static func laneAtRoot(of link: Link, qdiscs: [Qdisc]) -> LaneState {
        let name = LaneName.atRoot(of: link.index)
        var alias = LaneAlias(undescribed: name)
        (alias.device, alias.profile) = (link.name, "netem at the root")
        let own = qdiscs.filter { $0.link == link.index && $0.parent != .clsact }
        var lane = LaneState(name: name, link: link, alias: alias, qdiscs: own)
        lane.isAtRoot = true
        return lane
    }

    private static func laneFilter(_ filter: Filter, device: String, nameOfIndex: [Int32: String]) -> LaneFilter? {
        guard filter.kind == "bpf", let target = filter.target, let mark = FilterMark(filter.cookie)
        else { return nil }
        return LaneFilter(
            device: device,
            hook: filter.hook,
            preference: filter.preference,
            mark: mark,
            program: filter.program,
            failOpen: FailOpenMark(filter),
            target: nameOfIndex[target] ?? ""
        )
    }

    private static func foreign(_ filter: Filter) -> DeviceState.Foreign {
        let name = filter.name.map { " \"\($0)\"" } ?? ""
        return DeviceState.Foreign(
            hook: filter.hook,
            preference: filter.preference,
            description: "\(filter.kind) filter\(name) with pref \(filter.preference) on \(filter.hook)"
        )
    }

    private static func tcxPrograms(on link: Link) -> [DeviceState.Foreign] {
        [(Handle.ingress, CInt(0)), (.egress, 1)].compactMap { hook, isEgress in
            // Fails if the kernel has no tcx or the user has no permission; then the programs are unknown.
            let count = lc_count_tcx_programs(UInt32(link.index), isEgress)
            guard count > 0 else { return nil }
            let description = "\(counted(count, "tcx program")) on \(hook)"
            return DeviceState.Foreign(hook: hook, preference: nil, description: description)
        }
    }
}
