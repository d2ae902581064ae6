// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// A filter that sends the packets its program picks through another device:
/// `tc filter add dev LINK egress pref N protocol all bpf bytecode ... action mirred egress redirect dev TARGET`.
public struct RedirectFilter: Hashable, Sendable {
    /// The index of the device whose packets are looked at.
    public var link: Int32
    /// `.ingress` or `.egress`.
    public var hook: Handle
    /// Its place among the hook's filters; lower ones are asked first.
    public var preference: UInt16
    /// Up to sixteen bytes by which its maker knows it again (`TCA_ACT_COOKIE` of its action; a classic program's
    /// own name is not kept by the kernel).
    public var cookie: [UInt8]
    /// Answers -1 for the packets meant, 0 for others.
    public var program: [BPFInstruction]
    /// The index of the device to which they go.
    public var target: Int32
    /// Whether they arrive at that device instead of leaving by it.
    public var arrivesAtTarget: Bool

    /// Makes a filter.
    public init(
        link: Int32,
        hook: Handle,
        preference: UInt16,
        cookie: [UInt8],
        program: [BPFInstruction],
        target: Int32,
        arrivesAtTarget: Bool = false
    ) {
        self.link = link
        self.hook = hook
        self.preference = preference
        self.cookie = cookie
        self.program = program
        self.target = target
        self.arrivesAtTarget = arrivesAtTarget
    }

    private var action: Mirred {
        arrivesAtTarget
            ? .redirect(into: target, cookie: cookie) : .redirect(to: target, cookie: cookie)
    }

    /// There is one filter in each preference of ours, so one handle serves all.
    private static let handle: UInt32 = 1

    /// Creates the filter; refused with EEXIST where there is one.
    public func add(on device: String) -> Request {
        request("add filter \(preference) to \(hook) of \(device)", NLM_F_CREATE | NLM_F_EXCL)
    }

    /// Puts the filter in the place of the one there, in one step between two packets.
    public func replace(on device: String) -> Request {
        request("replace filter \(preference) on \(hook) of \(device)", NLM_F_CREATE | NLM_F_REPLACE)
    }

    /// Deletes the filter, and its preference where it was the only one there.
    public func delete(from device: String) -> Request {
        let operation = "delete filter \(preference) from \(hook) of \(device)"
        return Request(operation, type: Int(RTM_DELTFILTER), flags: NLM_F_ACK) { message in
            message.append(header)
            message.put(TCA_KIND, text: "bpf")
        }
    }

    private func request(_ operation: String, _ flags: Int32) -> Request {
        Request(operation, type: Int(RTM_NEWTFILTER), flags: NLM_F_ACK | flags) { message in
            message.append(header)
            message.put(TCA_KIND, text: "bpf")
            message.nest(TCA_OPTIONS) {
                message.put(TCA_BPF_OPS_LEN, UInt16(program.count))
                message.put(TCA_BPF_OPS, bytes: program.bytes)
                // Hardware must not take a filter whose target it does not know (TCA_CLS_FLAGS_SKIP_HW).
                message.put(TCA_BPF_FLAGS_GEN, UInt32(TCA_CLS_FLAGS_SKIP_HW))
                message.nest(TCA_BPF_ACT) {
                    message.nest(1) { action.write(to: message) }
                }
            }
        }
    }

    private var header: tcmsg {
        var header = tcmsg()
        header.tcm_ifindex = link
        header.tcm_parent = hook.rawValue
        header.tcm_handle = Self.handle
        header.tcm_info = UInt32(preference) << 16 | UInt32(UInt16(ETH_P_ALL).bigEndian)
        return header
    }
}

/// A filter as the kernel lists it, ours or somebody's.
public struct Filter: Hashable, Sendable {
    /// The index of the device.
    public let link: Int32
    /// `.ingress` or `.egress`.
    public let hook: Handle
    /// Its place among the hook's filters.
    public let preference: UInt16
    /// The kernel's name of its kind: "bpf", "flower".
    public let kind: String
    /// The name of an extended bpf program.
    public let name: String?
    /// The bytes that its maker left with its redirecting action.
    public let cookie: [UInt8]
    /// The program of a classic bpf filter.
    public let program: [BPFInstruction]
    /// The index of the device to which it redirects.
    public let target: Int32?
    /// The class that a u32 filter names.
    public let flow: Handle?
    /// How many packets it has redirected.
    public let matchedPackets: UInt64

    init?(_ reply: Reply, hook: Handle) {
        guard reply.type == RTM_NEWTFILTER, let header = reply.body.load(tcmsg.self) else { return nil }
        let attributes = AttributeReader(reply.body.dropFirst(MemoryLayout<tcmsg>.size))
        // Each filter is listed once for its preference, without a handle, and once for itself.
        guard header.tcm_handle != 0, let kind = attributes.text(TCA_KIND) else { return nil }
        let options = attributes.nested(TCA_OPTIONS)
        // u32 lists its hash tables, too.
        guard kind != PassFilter.kind || options?[TCA_U32_DIVISOR] == nil else { return nil }
        let action = kind == "bpf" ? options?.nested(TCA_BPF_ACT)?.nested(1) : nil
        link = header.tcm_ifindex
        self.hook = hook
        preference = UInt16(header.tcm_info >> 16)
        self.kind = kind
        name = kind == "bpf" ? options?.text(TCA_BPF_NAME) : nil
        program = kind == "bpf" ? [BPFInstruction](bytes: options?[TCA_BPF_OPS] ?? []) : []
        let mirred = action.flatMap { Mirred($0) }
        target = mirred?.target
        cookie = mirred?.cookie ?? []
        flow = kind == PassFilter.kind ? options?.value(TCA_U32_CLASSID).map { Handle(rawValue: $0) } : nil
        matchedPackets = action.flatMap { $0.nested(TCA_ACT_STATS) }.flatMap(Self.packets) ?? 0
    }

    private static func packets(_ statistics: AttributeReader) -> UInt64? {
        let basic: UInt32? = statistics[Int(TCA_STATS_BASIC)]?.load(at: 8)
        return statistics.value(Int(TCA_STATS_PKT64)) ?? basic.map(UInt64.init)
    }
}

extension RouteConnection {
    /// The filters of one hook: `tc -s filter show dev LINK egress`. None where the device has no such hook.
    public func filters(on link: Int32, hook: Handle) throws(NetlinkError) -> [Filter] {
        let request = Request("list the filters of device \(link)", type: Int(RTM_GETTFILTER), flags: NLM_F_DUMP) {
            var header = tcmsg()
            header.tcm_ifindex = link
            header.tcm_parent = hook.rawValue
            $0.append(header)
        }
        return try replies(to: request).compactMap { Filter($0, hook: hook) }
    }
}
