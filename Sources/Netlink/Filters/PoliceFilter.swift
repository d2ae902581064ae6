// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// A filter of a classful qdisc that drops the packets which a policer refuses, and leaves the others unclassified:
/// `tc filter add dev LINK parent 20: pref 1 protocol all bpf bytecode '1,6 0 0 4294967295' action police ...`.
public struct PoliceFilter: Hashable, Sendable {
    /// The index of the device.
    public var link: Int32
    /// The qdisc.
    public var parent: Handle
    /// The policer.
    public var policer: Policer

    /// Makes a filter.
    public init(link: Int32, parent: Handle, policer: Policer) {
        self.link = link
        self.parent = parent
        self.policer = policer
    }

    /// The preference, and the handle: the qdisc has no other filter.
    public static let preference: UInt16 = 1
    private static let handle: UInt32 = 1

    /// Selects every packet.
    public static let program = [BPFInstruction(code: 0x06, constant: .max)]

    /// Creates the filter; fails with EEXIST if there is one.
    public func add(on device: String) -> Request {
        let operation = "add the policer to \(parent) of \(device)"
        return Request(operation, type: Int(RTM_NEWTFILTER), flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL) { message in
            var header = tcmsg()
            header.tcm_ifindex = link
            header.tcm_parent = parent.rawValue
            header.tcm_handle = Self.handle
            header.tcm_info = UInt32(Self.preference) << 16 | UInt32(UInt16(ETH_P_ALL).bigEndian)
            message.append(header)
            message.put(TCA_KIND, text: "bpf")
            message.nest(TCA_OPTIONS) {
                message.put(TCA_BPF_OPS_LEN, UInt16(Self.program.count))
                message.put(TCA_BPF_OPS, bytes: Self.program.bytes)
                message.put(TCA_BPF_FLAGS_GEN, UInt32(TCA_CLS_FLAGS_SKIP_HW))
                message.nest(TCA_BPF_ACT) {
                    message.nest(1) { policer.write(to: message) }
                }
            }
        }
    }
}
