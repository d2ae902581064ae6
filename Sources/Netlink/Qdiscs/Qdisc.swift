// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// A queueing discipline on a device.
public struct Qdisc: Hashable, Sendable {
    /// The index of the device.
    public var link: Int32
    /// The parent: the root of the device, a class of another qdisc, or the clsact hook.
    public var parent: Handle
    /// The handle; `.none` for a default qdisc of the kernel.
    public var handle: Handle
    /// The kind and its options.
    public var kind: QdiscKind
    /// The counters; nil for a qdisc that was not read from the kernel.
    public var statistics: QdiscStatistics?
    /// Whether its filters are shared with other devices through a block (tc(8), "SHARED BLOCKS").
    public var usesSharedBlock: Bool

    /// Makes a qdisc to be created.
    public init(link: Int32, parent: Handle, handle: Handle, kind: QdiscKind) {
        self.link = link
        self.parent = parent
        self.handle = handle
        self.kind = kind
        statistics = nil
        usesSharedBlock = false
    }

    /// Returns the clsact qdisc of a device: `tc qdisc add dev LINK clsact`.
    public static func clsact(on link: Int32) -> Qdisc {
        Qdisc(link: link, parent: .clsact, handle: Handle(0xFFFF), kind: .clsact)
    }

    /// Creates the qdisc; fails with EEXIST if there is another: `tc qdisc add dev LINK parent ...`.
    public func add(on name: String) -> Request {
        request("add \(kind.name) to \(name)", type: RTM_NEWQDISC, flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL)
    }

    /// Deletes the qdisc: `tc qdisc del dev LINK parent ...`.
    public func delete(from name: String) -> Request {
        Request("delete \(kind.name) from \(name)", type: Int(RTM_DELQDISC), flags: NLM_F_ACK) { message in
            message.append(header)
        }
    }

    private var header: tcmsg {
        var header = tcmsg()
        header.tcm_ifindex = link
        header.tcm_parent = parent.rawValue
        header.tcm_handle = handle.rawValue
        return header
    }

    private func request(_ operation: String, type: Int, flags: Int32) -> Request {
        Request(operation, type: type, flags: flags) { message in
            message.append(header)
            message.put(TCA_KIND, text: kind.name)
            switch kind {
            case .netem(let netem): message.nest(TCA_OPTIONS) { netem.write(to: message) }
            case .tokenBucket(let bucket): message.nest(TCA_OPTIONS) { bucket.write(to: message) }
            case .priorityBands(let bands): message.put(TCA_OPTIONS, bytes: bands.options)
            case .clsact: break
            case .other(_, let options): message.put(TCA_OPTIONS, bytes: options)
            }
        }
    }
}

extension Qdisc {
    /// Returns a request that always fails: with EINVAL if the kernel has the kind, with ENOENT if it has not.
    ///
    /// The options that netem, tbf and prio need are missing, so that their init functions fail before anything is attached.
    public static func probe(kind: String) -> Request {
        Request("look for the qdisc \(kind)", type: Int(RTM_NEWQDISC), flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE)
        {
            var header = tcmsg()
            header.tcm_ifindex = Request.loopback
            header.tcm_parent = Handle.root.rawValue
            // With a handle, the kernel creates a qdisc instead of changing the present one (tc_modify_qdisc).
            header.tcm_handle = Handle(0x7FC0).rawValue
            $0.append(header)
            $0.put(TCA_KIND, text: kind)
        }
    }

    init?(_ reply: Reply) {
        guard reply.type == RTM_NEWQDISC, let header = reply.body.load(tcmsg.self) else { return nil }
        let attributes = AttributeReader(reply.body.dropFirst(MemoryLayout<tcmsg>.size))
        let options = attributes[TCA_OPTIONS] ?? []
        let name = attributes.text(TCA_KIND) ?? ""
        link = header.tcm_ifindex
        parent = Handle(rawValue: header.tcm_parent)
        handle = Handle(rawValue: header.tcm_handle)
        statistics = QdiscStatistics(attributes)
        usesSharedBlock = attributes[TCA_INGRESS_BLOCK] != nil || attributes[TCA_EGRESS_BLOCK] != nil
        kind =
            switch name {
            case "netem": Netem(options).map(QdiscKind.netem) ?? .other(name, options: Array(options))
            case "tbf": TokenBucket(options).map(QdiscKind.tokenBucket) ?? .other(name, options: Array(options))
            case "prio": PriorityBands(options).map(QdiscKind.priorityBands) ?? .other(name, options: Array(options))
            case "clsact": .clsact
            default: .other(name, options: Array(options))
            }
    }
}

extension RouteConnection {
    /// Returns every qdisc of the namespace: `tc -s qdisc show`.
    public func qdiscs() throws(NetlinkError) -> [Qdisc] {
        let request = Request("list the qdiscs", type: Int(RTM_GETQDISC), flags: NLM_F_DUMP) { $0.append(tcmsg()) }
        return try replies(to: request).compactMap { Qdisc($0) }
    }
}
