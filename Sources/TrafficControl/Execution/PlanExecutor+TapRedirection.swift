// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import Netlink

/// The filters that return a pump's packets.
extension PlanExecutor {
    func filter(_ pass: ReturnPass, on link: Int32, _ tap: String) -> PassFilter {
        PassFilter(link: link, hook: .egress, preference: pass.preference, source: tap, flow: pass.flow)
    }

    func addReturn(index: Int32, _ tap: String, to target: Int32, arrives: Bool) throws(NetlinkError) {
        do {
            try connection.perform(Qdisc.clsact(on: index).add(on: tap))
        } catch  where error.code == EEXIST {
            // Another program has deleted only the filter.
        }
        let filter = RedirectFilter(
            link: index,
            hook: .ingress,
            preference: 1,
            cookie: [],
            program: [BPFInstruction(code: 0x06, constant: .max)],
            target: target,
            arrivesAtTarget: arrives
        )
        try connection.perform(filter.add(on: tap))
    }
}
