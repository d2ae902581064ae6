// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// Requests that always fail, and by their error tell what the kernel has.
extension Request {
    /// The index of loopback, which every namespace has.
    static let loopback: Int32 = 1
    /// An unlikely number of an action, and an unlikely preference.
    private static let unused: (action: UInt32, preference: UInt16) = (0x7FC0_7FC0, 65_534)

    /// Returns a request to make an action without parameters: fails with EINVAL if the kernel has the action, with
    /// ENOENT if it has not.
    static func probe(action: String) -> Request { about(action, type: Int(RTM_NEWACTION), flags: NLM_F_CREATE) }

    /// Returns a request for an action that does not exist: fails with ENOENT if the kernel has loaded the kind, with
    /// EINVAL if it has not. It loads no module.
    static func lookup(action: String) -> Request { about(action, type: Int(RTM_GETACTION), index: unused.action) }

    private static func about(_ action: String, type: Int, flags: Int32 = 0, index: UInt32? = nil) -> Request {
        Request("look for the action \(action)", type: type, flags: NLM_F_ACK | flags) { message in
            message.append(tcamsg())
            message.nest(Int(TCA_ROOT_TAB)) {
                message.nest(1) {
                    message.put(TCA_ACT_KIND, text: action)
                    if let index { message.put(Int(TCA_ACT_INDEX), index) }
                }
            }
        }
    }

    /// Returns a request to add a filter without options, or a bpf filter with an empty program, to loopback's hook: fails
    /// with EINVAL if the kernel has the kind and the action, with ENOENT if it lacks one.
    static func probe(filter kind: String, action: String? = nil) -> Request {
        let words = action.map { "the action \($0)" } ?? "the filter \(kind)"
        return Request("look for \(words)", type: Int(RTM_NEWTFILTER), flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL) {
            message in
            // Without a handle and options, u32 would accept the request (u32_change).
            message.append(tcmsg(link: loopback, parent: .ingress, handle: 1, preference: unused.preference))
            message.put(TCA_KIND, text: kind)
            guard let action else { return }
            message.nest(TCA_OPTIONS) {
                // The kernel looks at the actions if there is a program, before it finds that this one is empty.
                message.put(TCA_BPF_OPS_LEN, UInt16(0))
                message.put(TCA_BPF_OPS, bytes: [BPFInstruction].matchAll.bytes)
                message.nest(TCA_BPF_ACT) {
                    message.nest(1) { message.put(TCA_ACT_KIND, text: action) }
                }
            }
        }
    }
}
