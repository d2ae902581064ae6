// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// A filter that sends a copy of every packet to another device, and leaves the packet to the filters after it:
/// `tc filter add dev LINK egress pref N protocol all bpf bytecode '1,6 0 0 4294967295' action mirred egress mirror dev
/// TARGET continue`.
public struct CopyFilter: Hashable, Sendable {
    /// The index of the device whose packets are copied.
    public var link: Int32
    /// `.ingress` or `.egress`.
    public var hook: Handle
    /// The filter's preference; the filters of a hook run in ascending order.
    public var preference: UInt16
    /// Up to sixteen bytes that identify the filter's owner.
    public var cookie: [UInt8]
    /// The index of the device to which the copies go.
    public var target: Int32

    /// Makes a filter.
    public init(link: Int32, hook: Handle, preference: UInt16, cookie: [UInt8], target: Int32) {
        self.link = link
        self.hook = hook
        self.preference = preference
        self.cookie = cookie
        self.target = target
    }

    /// Creates the filter; fails with EEXIST if there is one.
    public func add(on device: String) -> Request {
        let operation = "add filter \(preference) to \(hook) of \(device)"
        return Request(operation, type: Int(RTM_NEWTFILTER), flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL) { message in
            var header = tcmsg()
            header.tcm_ifindex = link
            header.tcm_parent = hook.rawValue
            header.tcm_handle = 1
            header.tcm_info = UInt32(preference) << 16 | UInt32(UInt16(ETH_P_ALL).bigEndian)
            message.append(header)
            message.put(TCA_KIND, text: "bpf")
            message.nest(TCA_OPTIONS) {
                // Selects every packet.
                let program = [BPFInstruction(code: 0x06, constant: .max)]
                message.put(TCA_BPF_OPS_LEN, UInt16(program.count))
                message.put(TCA_BPF_OPS, bytes: program.bytes)
                message.put(TCA_BPF_FLAGS_GEN, UInt32(TCA_CLS_FLAGS_SKIP_HW))
                message.nest(TCA_BPF_ACT) {
                    message.nest(1) { Mirred.copy(to: target, cookie: cookie, next: .filter).write(to: message) }
                }
            }
        }
    }
}
