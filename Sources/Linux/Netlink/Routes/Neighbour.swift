// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

extension RouteConnection {
    /// Returns whether the kernel has failed to resolve a neighbour's link-layer address, or is resolving it: `ip neigh
    /// get`, states FAILED and INCOMPLETE. Needs Linux 5.0 or later.
    ///
    /// - Throws: ENOENT if the kernel has no entry for the neighbour.
    package func isUnresolved(_ address: IPAddress, on interface: Int32) throws(NetlinkError) -> Bool {
        let request = Request("ask about neighbour \(address)", type: Int(RTM_GETNEIGH), flags: NLM_F_ACK) { message in
            var header = ndmsg()
            header.ndm_family = address.family.number
            header.ndm_ifindex = interface
            message.append(header)
            message.put(Int(NDA_DST), bytes: address.bytes)
        }
        let answer = try replies(to: request).lazy.compactMap { $0.body.load(ndmsg.self) }.first
        return answer.map { $0.ndm_state & UInt16(NUD_FAILED | NUD_INCOMPLETE) != 0 } ?? false
    }
}
