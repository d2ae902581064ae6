// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// The action that redirects packets to another device; net/sched/act_mirred.c, tc-mirred(8).
struct Mirred: Hashable {
    /// The index of the device to which packets go.
    let target: Int32
    /// The kernel's number of the action, such as `TCA_EGRESS_REDIR`.
    let action: Int32
    /// Up to sixteen bytes that the kernel stores for the owner of the action.
    let cookie: [UInt8]
}

extension Mirred {
    func write(to message: Message) {
        message.put(TCA_ACT_KIND, text: "mirred")
        message.nest(TCA_ACT_OPTIONS) {
            var parameters = tc_mirred()
            parameters.action = TC_ACT_STOLEN
            parameters.eaction = action
            parameters.ifindex = UInt32(bitPattern: target)
            message.put(TCA_MIRRED_PARMS, parameters)
        }
        message.put(TCA_ACT_COOKIE, bytes: cookie)
    }

    init?(_ attributes: AttributeReader) {
        guard attributes.text(TCA_ACT_KIND) == "mirred",
            let parameters = attributes.nested(TCA_ACT_OPTIONS)?.value(TCA_MIRRED_PARMS, as: tc_mirred.self)
        else { return nil }
        target = Int32(bitPattern: parameters.ifindex)
        action = parameters.eaction
        cookie = attributes[TCA_ACT_COOKIE].map { Array($0) } ?? []
    }
}
