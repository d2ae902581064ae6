// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// A filter that redirects the packets that its program selects to another device:
/// `tc filter add dev LINK egress pref N protocol all bpf bytecode ... action mirred egress redirect dev TARGET`.
package struct RedirectFilter: Hashable, Sendable {
    /// The index of the device whose packets are classified.
    package var link: Int32
    /// `.ingress` or `.egress`.
    package var hook: Handle
    /// The filter's preference; the filters of a hook run in ascending order.
    package var preference: UInt16
    /// Up to sixteen bytes that identify the filter's owner (`TCA_ACT_COOKIE` of its action; the kernel does not keep
    /// the name of a classic program).
    package var cookie: [UInt8]
    /// The program; it returns -1 for packets to redirect, and 0 for others.
    package var program: [BPFInstruction]
    /// An extended program to use instead of `program`; nil for none.
    package var loaded: LoadedProgram?
    /// The index of the device to which packets are redirected.
    package var target: Int32
    /// Whether packets are redirected to the ingress of the device `target` instead of its egress.
    package var arrivesAtTarget: Bool

    package init(
        link: Int32,
        hook: Handle,
        preference: UInt16,
        cookie: [UInt8],
        program: [BPFInstruction],
        loaded: LoadedProgram? = nil,
        target: Int32,
        arrivesAtTarget: Bool = false
    ) {
        self.link = link
        self.hook = hook
        self.preference = preference
        self.cookie = cookie
        self.program = program
        self.loaded = loaded
        self.target = target
        self.arrivesAtTarget = arrivesAtTarget
    }

    /// The handle of every filter; one suffices, since each preference has one filter.
    private static let handle: UInt32 = 1

    /// Creates the filter; fails with EEXIST if there is one.
    package func add(on device: String) -> Request {
        request("add filter \(preference) to \(hook) of \(device)", NLM_F_CREATE | NLM_F_EXCL)
    }

    /// Replaces the filter atomically.
    package func replace(on device: String) -> Request {
        request("replace filter \(preference) on \(hook) of \(device)", NLM_F_CREATE | NLM_F_REPLACE)
    }

    /// Deletes the filter, and its preference if no other filter uses it.
    package func delete(from device: String) -> Request {
        let operation = "delete filter \(preference) from \(hook) of \(device)"
        return Request(operation, type: Int(RTM_DELTFILTER), flags: NLM_F_ACK) { message in
            message.append(header)
            message.put(TCA_KIND, text: "bpf")
        }
    }

    private func request(_ operation: String, _ flags: Int32) -> Request {
        Request(operation, type: Int(RTM_NEWTFILTER), flags: NLM_F_ACK | flags) { message in
            message.append(header)
            let action = arrivesAtTarget ? TCA_INGRESS_REDIR : TCA_EGRESS_REDIR
            message.putClassifier(program, loaded, Mirred(target: target, action: action, cookie: cookie).write)
        }
    }

    private var header: tcmsg { tcmsg(link: link, parent: hook, handle: Self.handle, preference: preference) }
}

/// A filter as the kernel lists it, of any owner.
package struct Filter: Hashable, Sendable {
    /// The index of the device.
    package let link: Int32
    /// `.ingress` or `.egress`.
    package let hook: Handle
    package let preference: UInt16
    /// The kind of classifier: "bpf", "flower".
    package let kind: String
    /// The name of an extended bpf program.
    package let name: String?
    /// The kernel's number of an extended bpf program.
    package let programID: UInt32?
    /// The cookie of the filter's redirecting action.
    package let cookie: [UInt8]
    /// The program of a classic bpf filter.
    package let program: [BPFInstruction]
    /// The index of the device to which the filter redirects packets or copies them.
    package let target: Int32?
    package let policer: Policer?
    /// The class of a u32 filter.
    package let flow: Handle?
    /// The number of packets that the filter has redirected.
    package let matchedPackets: UInt64

    init?(_ reply: Reply, hook: Handle) {
        // The kernel also lists each preference, without a handle.
        guard reply.type == RTM_NEWTFILTER, let (header, attributes) = reply.body.parse(tcmsg.self),
            header.tcm_handle != 0, let kind = attributes.text(TCA_KIND)
        else { return nil }
        let options = attributes.nested(TCA_OPTIONS)
        // The kernel also lists the hash tables of u32.
        guard kind != PassFilter.kind || options?[TCA_U32_DIVISOR] == nil else { return nil }
        let program = kind == "bpf" ? options : nil
        let action = program?.nested(TCA_BPF_ACT)?.nested(1)
        link = header.tcm_ifindex
        self.hook = hook
        preference = UInt16(header.tcm_info >> 16)
        self.kind = kind
        name = program?.text(TCA_BPF_NAME)
        programID = program?.value(TCA_BPF_ID)
        self.program = [BPFInstruction](bytes: program?[TCA_BPF_OPS] ?? [])
        let mirred = action.flatMap { Mirred($0) }
        target = mirred?.target
        cookie = mirred?.cookie ?? []
        policer = action.flatMap { Policer($0) }
        flow = kind == PassFilter.kind ? options?.value(TCA_U32_CLASSID).map { Handle(rawValue: $0) } : nil
        matchedPackets = action.flatMap { $0.nested(TCA_ACT_STATS) }.flatMap(Self.packets) ?? 0
    }

    private static func packets(_ statistics: AttributeReader) -> UInt64? {
        let basic: UInt32? = statistics[Int(TCA_STATS_BASIC)]?.load(at: 8)
        return statistics.value(Int(TCA_STATS_PKT64)) ?? basic.map(UInt64.init)
    }
}

extension RouteConnection {
    /// Returns the filters of one hook: `tc -s filter show dev LINK egress`. Empty if the device has no such hook.
    package func filters(on link: Int32, hook: Handle) throws(NetlinkError) -> [Filter] {
        let request = Request("list the filters of device \(link)", type: Int(RTM_GETTFILTER), flags: NLM_F_DUMP) {
            $0.append(tcmsg(link: link, parent: hook))
        }
        return try replies(to: request).compactMap { Filter($0, hook: hook) }
    }
}
