// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink

/// The gateway's network namespace: a TUN device, and the kernel's TCP as the far end of every connection of the
/// sandbox.
struct FarNetwork {
    let device: CInt
    /// The listening sockets: one for IPv4 and, if the kernel has IPv6, one for IPv6.
    let listeners: [CInt]
    let port: UInt16
    /// The MTU of the links in the sandbox, in bytes.
    let mtu: Int
    /// Whether a client may have several paths to a server (RFC 8684).
    let isMultipath: Bool

    private static let name = "far0"
    private static let backlog: CInt = 4096
    /// IPV6_V6ONLY and TCP_CONGESTION.
    private static let (onlyIPv6, congestion): (CInt, CInt) = (26, 13)

    /// Moves this process, which must have a single thread, into a new network namespace, and sets up the device and
    /// listeners.
    ///
    /// - Parameter isMultipath: whether a client may have several paths to a server, if the kernel supports it.
    static func enter(mtu: UInt32, congestionControl: String?, isMultipath: Bool) throws(SystemError) -> FarNetwork {
        if lc_unshare(CInt(lc_network_namespace)) != 0 {
            try checked(lc_unshare(CInt(lc_network_namespace | lc_user_namespace)), "make the gateway's network")
        }
        do throws(NetlinkError) {
            let connection = RouteConnection(try RouteSocket())
            try connection.perform(LinkRequest.bringUp("lo"))
            let device = try makeDevice(mtu, connection)
            let index = try connection.link(named: name).index
            let isMultipath = isMultipath && MultipathSocket.isPossible
            if isMultipath { try MultipathEndpoints().allowPaths() }
            var listeners: [CInt] = []
            var port: UInt16 = 0
            for isIPv4 in [true, false] {
                let server = FarAddresses.server(isIPv4: isIPv4, port: port)
                guard let address = IPAddress(server) else { continue }
                let lengths = FarAddresses.prefixLengths
                do throws(NetlinkError) {
                    let length = isIPv4 ? lengths.ipv4 : lengths.ipv6
                    try connection.perform(AddressRequest.add(address, prefixLength: length, to: index))
                } catch {
                    // A kernel without IPv6 gets no IPv6 listener.
                    guard !isIPv4 else { throw error }
                    continue
                }
                let listener = try listen(server, congestionControl, isMultipath: isMultipath)
                listeners.append(listener)
                var own = lc_address()
                if lc_local_address(listener, &own) == 0 { port = own.port }
            }
            return FarNetwork(
                device: device,
                listeners: listeners,
                port: port,
                mtu: Int(mtu),
                isMultipath: isMultipath
            )
        } catch {
            throw SystemError(operation: error.operation, code: error.code)
        }
    }

    private static func makeDevice(_ mtu: UInt32, _ connection: RouteConnection) throws(NetlinkError) -> CInt {
        do {
            return try TunDevice(name: name, mtu: mtu, connection).descriptor
        } catch {
            throw NetlinkError(operation: error.operation, code: error.code)
        }
    }

    private static func listen(
        _ server: FlowEndpoint,
        _ congestionControl: String?,
        isMultipath: Bool
    ) throws(NetlinkError) -> CInt {
        let isIPv6 = !server.isIPv4
        let descriptor =
            isMultipath ? MultipathSocket.open(isIPv6: isIPv6) : lc_open_socket(CInt(lc_tcp), isIPv6 ? 1 : 0)
        var address = server.socketAddress
        if var name = congestionControl {
            // The kernel may lack the algorithm, or this user may not choose it: then the default stays.
            name.withUTF8 {
                _ = setsockopt(descriptor, CInt(IPPROTO_TCP), congestion, $0.baseAddress, socklen_t($0.count))
            }
        }
        let bound = lc_bind(descriptor, &address)
        guard bound == 0, Glibc.listen(descriptor, backlog) == 0 else {
            throw NetlinkError(operation: "listen in the gateway's network", code: bound == 0 ? errno : -bound)
        }
        return descriptor
    }
}

extension IPAddress {
    init?(_ end: FlowEndpoint) {
        var bytes = [UInt8](repeating: 0, count: end.isIPv4 ? 4 : 16)
        bytes.withUnsafeMutableBytes { bytes in if let start = bytes.baseAddress { end.writeAddress(to: start) } }
        self.init(bytes: bytes)
    }
}
