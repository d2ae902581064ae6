// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// A filter that redirects the packets that its program selects to another device:
/// `tc filter add dev LINK egress pref N protocol all bpf bytecode ... action mirred egress redirect dev TARGET`.
public struct RedirectFilter: Hashable, Sendable {
    /// The index of the device whose packets are classified.
    public var link: Int32
    /// `.ingress` or `.egress`.
    public var hook: Handle
    /// The filter's preference; the filters of a hook run in ascending order.
    public var preference: UInt16
    /// Up to sixteen bytes that identify the filter's owner (`TCA_ACT_COOKIE` of its action; the kernel does not keep
    /// the name of a classic program).
    public var cookie: [UInt8]
    /// The program; it returns -1 for packets to redirect, and 0 for others.
    public var program: [BPFInstruction]
    /// An extended program that takes the place of `program`; nil for none.
    public var loaded: LoadedProgram?
    /// The index of the device to which packets are redirected.
    public var target: Int32
    /// Whether packets are redirected to the ingress of that device instead of its egress.
    public var arrivesAtTarget: Bool

    /// Makes a filter.
    public init(
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

    private var action: Mirred {
        arrivesAtTarget
            ? .redirect(into: target, cookie: cookie) : .redirect(to: target, cookie: cookie)
    }

    /// One handle for all filters, since each preference has one filter.
    private static let handle: UInt32 = 1

    /// Creates the filter; fails with EEXIST if there is one.
    public func add(on device: String) -> Request {
        request("add filter \(preference) to \(hook) of \(device)", NLM_F_CREATE | NLM_F_EXCL)
    }

    /// Replaces the filter atomically.
    public func replace(on device: String) -> Request {
        request("replace filter \(preference) on \(hook) of \(device)", NLM_F_CREATE | NLM_F_REPLACE)
    }

    /// Deletes the filter, and its preference if it was the last filter there.
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
                if let loaded {
                    message.put(TCA_BPF_FD, UInt32(bitPattern: loaded.descriptor))
                    message.put(TCA_BPF_NAME, text: loaded.name)
                } else {
                    message.put(TCA_BPF_OPS_LEN, UInt16(program.count))
                    message.put(TCA_BPF_OPS, bytes: program.bytes)
                }
                // Do not offload the filter to hardware, which does not know the target device.
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

/// An extended program that bpf(2) has loaded.
public struct LoadedProgram: Hashable, Sendable {
    /// Its descriptor in this process.
    public var descriptor: Int32
    /// The name of the filter that uses it, at most 255 bytes.
    public var name: String

    /// Names a program.
    public init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }
}

/// A filter as the kernel lists it, of any owner.
public struct Filter: Hashable, Sendable {
    /// The index of the device.
    public let link: Int32
    /// `.ingress` or `.egress`.
    public let hook: Handle
    /// The filter's preference.
    public let preference: UInt16
    /// The kind of classifier: "bpf", "flower".
    public let kind: String
    /// The name of an extended bpf program.
    public let name: String?
    /// The kernel's number of an extended bpf program.
    public let programID: UInt32?
    /// The cookie of its redirecting action.
    public let cookie: [UInt8]
    /// The program of a classic bpf filter.
    public let program: [BPFInstruction]
    /// The index of the device to which it redirects; of one that copies, to which it sends the copies.
    public let target: Int32?
    /// Its policing action.
    public let policer: Policer?
    /// The class of a u32 filter.
    public let flow: Handle?
    /// The number of packets it has redirected.
    public let matchedPackets: UInt64

    init?(_ reply: Reply, hook: Handle) {
        guard reply.type == RTM_NEWTFILTER, let header = reply.body.load(tcmsg.self) else { return nil }
        let attributes = AttributeReader(reply.body.dropFirst(MemoryLayout<tcmsg>.size))
        // The kernel also lists each preference, without a handle.
        guard header.tcm_handle != 0, let kind = attributes.text(TCA_KIND) else { return nil }
        let options = attributes.nested(TCA_OPTIONS)
        // The kernel also lists the hash tables of u32.
        guard kind != PassFilter.kind || options?[TCA_U32_DIVISOR] == nil else { return nil }
        let action = kind == "bpf" ? options?.nested(TCA_BPF_ACT)?.nested(1) : nil
        link = header.tcm_ifindex
        self.hook = hook
        preference = UInt16(header.tcm_info >> 16)
        self.kind = kind
        name = kind == "bpf" ? options?.text(TCA_BPF_NAME) : nil
        programID = kind == "bpf" ? options?.value(TCA_BPF_ID) : nil
        program = kind == "bpf" ? [BPFInstruction](bytes: options?[TCA_BPF_OPS] ?? []) : []
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
