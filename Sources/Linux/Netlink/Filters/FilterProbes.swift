// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// Requests that always fail, and whose error shows which features the kernel has.
extension Request {
    /// The index of loopback, which every namespace has.
    static let loopback: Int32 = 1
    /// Values that are unlikely to be in use: an action's index, and a filter's preference.
    private static let unused: (action: UInt32, preference: UInt16) = (0x7FC0_7FC0, 65_534)

    /// Returns a request to make an action without parameters, which fails with EINVAL if the kernel has the action, or
    /// else with ENOENT.
    static func probe(action: String) -> Request { about(action, type: Int(RTM_NEWACTION), flags: NLM_F_CREATE) }

    /// Returns a request for an action instance that does not exist. It fails with ENOENT if the kernel has loaded the
    /// action, or else with EINVAL. It loads no module.
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

    /// Returns a request to add to loopback's hook a filter without options or, with `action`, a bpf filter with an
    /// empty program. It fails with EINVAL if the kernel has the filter and the action, or else with ENOENT.
    static func probe(filter kind: String, action: String? = nil) -> Request {
        let words = action.map { "the action \($0)" } ?? "the filter \(kind)"
        return Request("look for \(words)", type: Int(RTM_NEWTFILTER), flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL) {
            message in
            // Without a handle and options, u32 would accept the request (u32_change).
            message.append(tcmsg(link: loopback, parent: .ingress, handle: 1, preference: unused.preference))
            message.put(TCA_KIND, text: kind)
            guard let action else { return }
            message.nest(TCA_OPTIONS) {
                // The program is present, so the kernel parses the actions, and only then finds that its length is 0.
                message.put(TCA_BPF_OPS_LEN, UInt16(0))
                message.put(TCA_BPF_OPS, bytes: [BPFInstruction].matchAll.bytes)
                message.nest(TCA_BPF_ACT) {
                    message.nest(1) { message.put(TCA_ACT_KIND, text: action) }
                }
            }
        }
    }
}
