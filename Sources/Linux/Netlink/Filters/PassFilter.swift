// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// A filter that accepts packets which were redirected from another device, so that later filters do not see them:
/// `tc filter add dev LINK HOOK pref N protocol all u32 match u32 0 0 flowid FLOW indev SOURCE`.
///
/// Only u32 can match the device from which a packet was redirected (tcf_match_indev in net/sched/cls_u32.c). Without a
/// flowid, the next filter would see the packet too.
package struct PassFilter: Hashable, Sendable {
    /// The index of the device whose packets are classified.
    package var link: Int32
    /// `.ingress` or `.egress`.
    package var hook: Handle
    /// The filter's preference; the filters of a hook run in ascending order.
    package var preference: UInt16
    /// The name of the device from which packets were redirected.
    package var source: String
    /// The filter's class, which clsact ignores; it identifies the filter's owner.
    package var flow: Handle

    package init(link: Int32, hook: Handle, preference: UInt16, source: String, flow: Handle) {
        self.link = link
        self.hook = hook
        self.preference = preference
        self.source = source
        self.flow = flow
    }

    static let kind = "u32"

    package func add(on device: String) -> Request {
        let operation = "add filter \(preference) to \(hook) of \(device)"
        return Request(operation, type: Int(RTM_NEWTFILTER), flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL) { message in
            message.append(header)
            message.put(TCA_KIND, text: Self.kind)
            message.nest(TCA_OPTIONS) {
                message.put(TCA_U32_CLASSID, flow.rawValue)
                message.put(TCA_U32_INDEV, text: source)
                message.put(TCA_U32_SEL, bytes: Self.everything)
            }
        }
    }

    /// Deletes the filter, and with it the preference.
    package func delete(from device: String) -> Request {
        let operation = "delete filter \(preference) from \(hook) of \(device)"
        return Request(operation, type: Int(RTM_DELTFILTER), flags: NLM_F_ACK) { message in
            message.append(header)
            message.put(TCA_KIND, text: Self.kind)
        }
    }

    private var header: tcmsg { tcmsg(link: link, parent: hook, preference: preference) }

    /// `struct tc_u32_sel` with one key that matches every packet.
    private static let everything: [UInt8] = {
        var selector = [UInt8](repeating: 0, count: 16 + 16)
        selector[0] = UInt8(TC_U32_TERMINAL)
        selector[2] = 1
        return selector
    }()
}
