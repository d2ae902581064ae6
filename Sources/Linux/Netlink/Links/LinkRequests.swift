// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// Requests that create, change and delete interfaces.
package enum LinkRequest {
    /// The longest name of an interface, in bytes (IFNAMSIZ without the terminating zero).
    package static let maximumNameLength = 15
    /// The longest alias, in bytes (IFALIASZ without the terminating zero).
    package static let maximumAliasLength = 255

    /// Creates an intermediate functional block device, whose qdiscs apply to the packets redirected to it: `ip link
    /// add NAME txqueuelen LENGTH type ifb`.
    package static func addIFB(_ name: String, queueLength: UInt32) -> Request {
        // libnl truncates a longer name without an error.
        precondition(name.utf8.count <= maximumNameLength, "\(name) is not the name of an interface")
        guard let link = rtnl_link_alloc() else { fatalError("out of memory for a link object") }
        defer { rtnl_link_put(link) }
        rtnl_link_set_type(link, "ifb")
        rtnl_link_set_name(link, name)
        rtnl_link_set_txqlen(link, queueLength)
        var message: OpaquePointer?
        let flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL
        guard rtnl_link_build_add_request(link, flags, &message) >= 0, let message else {
            fatalError("out of memory for a link request")
        }
        return Request("add ifb \(name)", bytes: Message(owning: message).bytes)
    }

    /// Creates a pair of virtual Ethernet devices between which no super-packets pass: `ip link add NAME mtu MTU
    /// gso_max_segs 1 type veth peer name PEER mtu MTU`.
    package static func addVeth(_ name: String, peer: String, mtu: UInt32) -> Request {
        // VETH_INFO_PEER of linux/veth.h.
        let peerAttribute = 1
        let operation = "add the veth pair \(name), \(peer)"
        return Request(operation, type: Int(RTM_NEWLINK), flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL) { message in
            message.append(ifinfomsg())
            message.put(Int(IFLA_IFNAME), text: name)
            message.put(Int(IFLA_MTU), mtu)
            message.put(Int(IFLA_GSO_MAX_SEGS), UInt32(1))
            message.nest(Int(IFLA_LINKINFO)) {
                message.put(Int(IFLA_INFO_KIND), text: "veth")
                message.nest(Int(IFLA_INFO_DATA)) {
                    message.nest(peerAttribute) {
                        message.append(ifinfomsg())
                        message.put(Int(IFLA_IFNAME), text: peer)
                        message.put(Int(IFLA_MTU), mtu)
                    }
                }
            }
        }
    }

    /// Sets the alias of an interface: `ip link set NAME alias ALIAS`.
    package static func setAlias(_ alias: String, of name: String) -> Request {
        // Without a terminating zero, which the kernel would store as a part of the alias (NLA_BINARY in ifla_policy).
        change("set the alias of \(name)", name) { $0.put(Int(IFLA_IFALIAS), bytes: Array(alias.utf8)) }
    }

    /// Disables automatic IPv6 addresses of an interface: `ip link set NAME addrgenmode none`.
    package static func disableAddressGeneration(of name: String) -> Request {
        change("disable automatic IPv6 addresses of \(name)", name) { message in
            message.nest(Int(IFLA_AF_SPEC)) {
                message.nest(Int(AF_INET6)) {
                    message.put(Int(IFLA_INET6_ADDR_GEN_MODE), UInt8(IN6_ADDR_GEN_MODE_NONE.rawValue))
                }
            }
        }
    }

    /// Brings an interface up: `ip link set NAME up`.
    package static func bringUp(_ name: String) -> Request {
        change("bring \(name) up", name, flags: UInt32(IFF_UP.rawValue))
    }

    /// Turns the carrier of an interface on or off: `ip link set NAME carrier on`.
    package static func setCarrier(_ hasCarrier: Bool, of name: String) -> Request {
        let operation = hasCarrier ? "give \(name) a carrier" : "remove the carrier of \(name)"
        return change(operation, name) { $0.put(Int(IFLA_CARRIER), UInt8(hasCarrier ? 1 : 0)) }
    }

    /// Brings an interface up without address resolution and multicast, so that it sends no packets by itself: `ip link
    /// set NAME up arp off multicast off`.
    package static func bringUpSilently(_ name: String) -> Request {
        let flags = UInt32(IFF_UP.rawValue | IFF_NOARP.rawValue)
        let changed = flags | UInt32(IFF_MULTICAST.rawValue)
        return change("bring \(name) up", name, flags: flags, changed: changed)
    }

    /// Sets the MTU in bytes: `ip link set NAME mtu MTU`.
    package static func setMTU(_ mtu: UInt32, of name: String) -> Request {
        change("set the MTU of \(name) to \(mtu)", name) { $0.put(Int(IFLA_MTU), mtu) }
    }

    /// Sets the queue's length in packets, the MTU in bytes and, unless it is nil, the link-layer address of an interface
    /// that is down: `ip link set NAME txqueuelen LENGTH mtu MTU address ADDRESS`.
    package static func configure(
        _ name: String,
        queueLength: UInt32,
        mtu: UInt32,
        address: [UInt8]? = nil
    ) -> Request {
        change("set queue, MTU and address of \(name)", name) { message in
            message.put(Int(IFLA_TXQLEN), queueLength)
            message.put(Int(IFLA_MTU), mtu)
            if let address { message.put(Int(IFLA_ADDRESS), bytes: address) }
        }
    }

    /// Deletes an interface: `ip link del NAME`.
    package static func delete(_ name: String) -> Request {
        Request("delete \(name)", type: Int(RTM_DELLINK), interface: name)
    }

    /// Returns a request that always fails, since it asks for an interface without queues: with EINVAL if the kernel
    /// has the kind (rtnl_create_link), or else with EOPNOTSUPP.
    static func probe(kind: String) -> Request {
        Request("look for the link type \(kind)", type: Int(RTM_NEWLINK), flags: NLM_F_ACK | NLM_F_CREATE) { message in
            message.append(ifinfomsg())
            message.put(Int(IFLA_NUM_TX_QUEUES), UInt32(0))
            message.nest(Int(IFLA_LINKINFO)) { message.put(Int(IFLA_INFO_KIND), text: kind) }
        }
    }

    private static func change(
        _ operation: String,
        _ name: String,
        flags: UInt32 = 0,
        changed: UInt32? = nil,
        _ write: (Message) -> Void = { _ in }
    ) -> Request {
        var header = ifinfomsg()
        header.ifi_flags = flags
        header.ifi_change = changed ?? flags
        return Request(operation, type: Int(RTM_NEWLINK), interface: name, header, write)
    }
}

extension Request {
    /// Makes a request about the interface called `name`.
    init(
        _ operation: String,
        type: Int,
        interface name: String,
        _ header: ifinfomsg = ifinfomsg(),
        _ write: (Message) -> Void = { _ in }
    ) {
        self.init(operation, type: type, flags: NLM_F_ACK) { message in
            message.append(header)
            message.put(Int(IFLA_IFNAME), text: name)
            write(message)
        }
    }
}
