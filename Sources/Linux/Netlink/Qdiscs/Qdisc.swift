// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// A queueing discipline on a device.
package struct Qdisc: Hashable, Sendable {
    /// The index of the device.
    package var link: Int32
    /// The parent: the root of the device, a class of another qdisc, or the clsact hook.
    package var parent: Handle
    /// The handle; `.none` for a default qdisc of the kernel.
    package var handle: Handle
    package var kind: QdiscKind
    /// The counters; nil for a qdisc that was not read from the kernel.
    package var statistics: QdiscStatistics? = nil
    /// Whether the qdisc's filters are shared with other devices through a block (tc(8), "SHARED BLOCKS").
    package var usesSharedBlock = false

    package init(link: Int32, parent: Handle, handle: Handle, kind: QdiscKind) {
        self.link = link
        self.parent = parent
        self.handle = handle
        self.kind = kind
    }

    /// Returns the clsact qdisc of a device: `tc qdisc add dev LINK clsact`.
    package static func clsact(on link: Int32) -> Qdisc {
        Qdisc(link: link, parent: .clsact, handle: Handle(0xFFFF), kind: .clsact)
    }

    /// Creates the qdisc; fails with EEXIST if there is another: `tc qdisc add dev LINK parent ...`.
    package func add(on name: String) -> Request {
        request("add \(kind.name) to \(name)", flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL)
    }

    /// Changes the options of the existing qdisc, which keeps its packets: `tc qdisc change dev LINK ...`.
    package func change(on name: String) -> Request { request("change \(kind.name) on \(name)", flags: NLM_F_ACK) }

    private func request(_ operation: String, flags: CInt) -> Request {
        Request(operation, type: Int(RTM_NEWQDISC), flags: flags) { message in
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

    /// Deletes the qdisc: `tc qdisc del dev LINK parent ...`.
    package func delete(from name: String) -> Request {
        Request("delete \(kind.name) from \(name)", type: Int(RTM_DELQDISC), flags: NLM_F_ACK) { $0.append(header) }
    }

    private var header: tcmsg { tcmsg(link: link, parent: parent, handle: handle.rawValue) }
}

extension Qdisc {
    /// Returns a request that always fails: with EINVAL if the kernel has the kind, or else with ENOENT.
    ///
    /// The options that netem, tbf and prio require are missing, so that their init functions fail before a qdisc is
    /// attached.
    package static func probe(kind: String) -> Request {
        Request("look for the qdisc \(kind)", type: Int(RTM_NEWQDISC), flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE)
        {
            // Because of the handle, the kernel creates a qdisc instead of changing the present one (tc_modify_qdisc).
            $0.append(tcmsg(link: Request.loopback, parent: .root, handle: Handle(0x7FC0).rawValue))
            $0.put(TCA_KIND, text: kind)
        }
    }

    init?(_ reply: Reply) {
        guard reply.type == RTM_NEWQDISC, let (header, attributes) = reply.body.parse(tcmsg.self) else { return nil }
        link = header.tcm_ifindex
        parent = Handle(rawValue: header.tcm_parent)
        handle = Handle(rawValue: header.tcm_handle)
        statistics = QdiscStatistics(attributes)
        usesSharedBlock = attributes[TCA_INGRESS_BLOCK] != nil || attributes[TCA_EGRESS_BLOCK] != nil
        kind = QdiscKind(attributes.text(TCA_KIND) ?? "", attributes[TCA_OPTIONS] ?? [])
    }
}

/// The kind of a queueing discipline with its options, as far as this module encodes and decodes them.
package enum QdiscKind: Hashable, Sendable {
    /// tc-netem(8).
    case netem(Netem)
    /// tc-tbf(8).
    case tokenBucket(TokenBucket)
    /// tc-prio(8).
    case priorityBands(PriorityBands)
    /// Hooks for filters of received and sent packets, without a queue.
    case clsact
    /// Any other kind: its name, and its encoded options.
    case other(String, options: [UInt8])

    /// The kernel's name of the kind.
    package var name: String {
        switch self {
        case .netem: "netem"
        case .tokenBucket: "tbf"
        case .priorityBands: "prio"
        case .clsact: "clsact"
        case .other(let name, _): name
        }
    }

    init(_ name: String, _ options: ArraySlice<UInt8>) {
        let decoded: QdiscKind? =
            switch name {
            case "netem": Netem(options).map(QdiscKind.netem)
            case "tbf": TokenBucket(options).map(QdiscKind.tokenBucket)
            case "prio": PriorityBands(options).map(QdiscKind.priorityBands)
            case "clsact": .clsact
            default: nil
            }
        self = decoded ?? .other(name, options: Array(options))
    }
}

extension RouteConnection {
    /// Returns every qdisc of the namespace: `tc -s qdisc show`.
    package func qdiscs() throws(NetlinkError) -> [Qdisc] {
        let request = Request("list the qdiscs", type: Int(RTM_GETQDISC), flags: NLM_F_DUMP) { $0.append(tcmsg()) }
        return try replies(to: request).compactMap { Qdisc($0) }
    }
}
