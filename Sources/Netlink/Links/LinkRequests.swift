// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// Requests that create, change and delete interfaces.
public enum LinkRequest {
    /// The longest name of an interface, in bytes (IFNAMSIZ without the terminating zero).
    public static let maximumNameLength = 15
    /// The longest alias, in bytes (IFALIASZ without the terminating zero).
    public static let maximumAliasLength = 255

    /// Creates an intermediate functional block, whose qdiscs apply to the packets redirected to it:
    /// `ip link add NAME txqueuelen LENGTH type ifb`.
    public static func addIFB(_ name: String, queueLength: UInt32) -> Request {
        let link = LinkObject(kind: "ifb", name: name)
        rtnl_link_set_txqlen(link.pointer, queueLength)
        return link.add("add ifb \(name)")
    }

    /// Creates a pair of connected Ethernet devices: `ip link add NAME type veth peer name PEER`.
    public static func addVeth(_ name: String, peer: String) -> Request {
        let link = LinkObject(kind: "veth", name: name)
        // The call increments the peer's reference count; the pair keeps its own reference.
        if let other = rtnl_link_veth_get_peer(link.pointer) {
            rtnl_link_set_name(other, peer)
            rtnl_link_put(other)
        }
        return link.add("add veth \(name)")
    }

    /// Sets the alias of an interface: `ip link set NAME alias ALIAS`.
    public static func setAlias(_ alias: String, of name: String) -> Request {
        // Without a terminating zero, which the kernel would store as a part of the alias (NLA_BINARY in ifla_policy).
        change("set the alias of \(name)", name) { $0.put(Int(IFLA_IFALIAS), bytes: Array(alias.utf8)) }
    }

    /// Disables automatic IPv6 addresses of an interface: `ip link set NAME addrgenmode none`.
    public static func disableAddressGeneration(of name: String) -> Request {
        change("disable automatic IPv6 addresses of \(name)", name) { message in
            message.nest(Int(IFLA_AF_SPEC)) {
                message.nest(Int(AF_INET6)) {
                    message.put(Int(IFLA_INET6_ADDR_GEN_MODE), UInt8(IN6_ADDR_GEN_MODE_NONE.rawValue))
                }
            }
        }
    }

    /// Brings an interface up: `ip link set NAME up`.
    public static func bringUp(_ name: String) -> Request {
        change("bring \(name) up", name, flags: UInt32(IFF_UP.rawValue)) { _ in }
    }

    /// Brings an interface up that neither resolves addresses nor joins multicast groups:
    /// `ip link set NAME up arp off multicast off`.
    public static func bringUpSilently(_ name: String) -> Request {
        let flags = UInt32(IFF_UP.rawValue | IFF_NOARP.rawValue)
        let changed = flags | UInt32(IFF_MULTICAST.rawValue)
        return change("bring \(name) up", name, flags: flags, changed: changed) { _ in }
    }

    /// Sets the MTU in bytes: `ip link set NAME mtu MTU`.
    public static func setMTU(_ mtu: UInt32, of name: String) -> Request {
        change("set the MTU of \(name) to \(mtu)", name) { $0.put(Int(IFLA_MTU), mtu) }
    }

    /// Sets the queue's length in packets, the MTU in bytes and, unless it is nil, the link-layer address of an interface
    /// that is down: `ip link set NAME txqueuelen LENGTH mtu MTU address ADDRESS`.
    public static func configure(
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

    /// Moves an interface into the network of a process: `ip link set NAME netns PID`.
    public static func move(_ name: String, toNetworkOf process: Int32) -> Request {
        change("move \(name) to the network of process \(process)", name) {
            $0.put(Int(IFLA_NET_NS_PID), UInt32(bitPattern: process))
        }
    }

    /// Deletes an interface: `ip link del NAME`.
    public static func delete(_ name: String) -> Request {
        Request("delete \(name)", type: Int(RTM_DELLINK), flags: NLM_F_ACK) { message in
            message.append(ifinfomsg())
            message.put(Int(IFLA_IFNAME), text: name)
        }
    }

    /// Returns a request that always fails, since an interface needs a queue: with EINVAL if the kernel has the kind
    /// (rtnl_create_link), with EOPNOTSUPP if it has not.
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
        _ write: (Message) -> Void
    ) -> Request {
        Request(operation, type: Int(RTM_NEWLINK), flags: NLM_F_ACK) { message in
            var header = ifinfomsg()
            header.ifi_flags = flags
            header.ifi_change = changed ?? flags
            message.append(header)
            message.put(Int(IFLA_IFNAME), text: name)
            write(message)
        }
    }
}
