// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// A new interface as a link object of libnl-route (`struct rtnl_link`), which also encodes the request.
final class LinkObject {
    /// The object, owned by this instance.
    let pointer: OpaquePointer

    /// Makes an object for a new interface. A veth is a pair.
    init(kind: String, name: String) {
        guard let pointer = kind == "veth" ? rtnl_link_veth_alloc() : rtnl_link_alloc() else {
            fatalError("out of memory for a link object")
        }
        // libnl truncates a longer name without an error.
        precondition(name.utf8.count <= LinkRequest.maximumNameLength, "\(name) is not the name of an interface")
        self.pointer = pointer
        if kind != "veth" { rtnl_link_set_type(pointer, kind) }
        rtnl_link_set_name(pointer, name)
    }

    deinit { rtnl_link_put(pointer) }

    /// Returns the request that creates the interface; it fails with EEXIST if the name is taken.
    func add(_ operation: String) -> Request {
        var message: OpaquePointer?
        let flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL
        guard rtnl_link_build_add_request(pointer, flags, &message) >= 0, let message, let header = nlmsg_hdr(message)
        else { fatalError("out of memory for a link request") }
        defer { nlmsg_free(message) }
        let bytes = UnsafeRawBufferPointer(start: header, count: Int(header.pointee.nlmsg_len))
        return Request(operation, bytes: Array(bytes))
    }
}
