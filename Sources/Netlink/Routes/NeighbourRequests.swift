// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// Requests that add and delete neighbours.
package enum NeighbourRequest {
    /// Adds a neighbour that needs not be asked for its link-layer address:
    /// `ip neigh add ADDRESS lladdr ADDRESS dev INDEX nud permanent`.
    package static func add(_ address: IPAddress, at hardware: [UInt8], on index: Int32) -> Request {
        change("add", Int(RTM_NEWNEIGH), NLM_F_CREATE | NLM_F_REPLACE, address, index) {
            $0.put(Int(NDA_LLADDR), bytes: hardware)
        }
    }

    /// Deletes a neighbour: `ip neigh del ADDRESS dev INDEX`.
    package static func delete(_ address: IPAddress, on index: Int32) -> Request {
        change("delete", Int(RTM_DELNEIGH), 0, address, index) { _ in }
    }

    private static func change(
        _ verb: String,
        _ type: Int,
        _ flags: Int32,
        _ address: IPAddress,
        _ index: Int32,
        _ rest: @escaping (Message) -> Void
    ) -> Request {
        Request("\(verb) the neighbour \(address)", type: type, flags: NLM_F_ACK | flags) { message in
            var header = ndmsg()
            header.ndm_family = address.family.number
            header.ndm_ifindex = index
            header.ndm_state = UInt16(NUD_PERMANENT)
            message.append(header)
            message.put(Int(NDA_DST), bytes: address.bytes)
            rest(message)
        }
    }
}
