// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

extension RouteConnection {
    /// Whether the kernel asks in vain for the link address of a host on the link: `ip neigh get`, states FAILED and
    /// INCOMPLETE. Asked of one entry, which kernels answer from 5.0 on.
    ///
    /// - Throws: ENOENT where the kernel has not tried lately.
    public func isUnresolved(_ address: IPAddress, on interface: Int32) throws(NetlinkError) -> Bool {
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
