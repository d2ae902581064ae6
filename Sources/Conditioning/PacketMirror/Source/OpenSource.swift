// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink

/// A source whose packets arrive at a socket.
final class OpenSource: DescriptorHolder {
    /// The size in bytes of the socket's buffer for packets that wait to be shown.
    private static let buffer: CInt = 32 << 20

    let packets: CInt
    /// Shows when the source's network ends; nil for the mirror's own network.
    let end: SourceEnd?
    /// A socket that lists the network's interfaces; nil for a single interface.
    let network: RouteSocket?
    /// The MTU of the interface, in bytes; nil for all interfaces of a network.
    let mtu: UInt32?

    /// Opens a source in its network, then returns to the network of the calling thread, which must be the process's
    /// only one.
    init(_ source: MirrorSource) throws(MirrorError) {
        // Opened before the network is entered, so that the network's end is not missed.
        end = try SourceEnd(source.network)
        let home = Glibc.open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)
        guard home >= 0 else { throw MirrorError(SystemError(operation: "open /proc/self/ns/net", code: errno)) }
        defer { close(home) }
        let own = NetworkNamespace.currentInode
        if let network = source.network {
            do throws(SystemError) {
                try network.enter()
            } catch {
                guard ![ENOENT, EINVAL, ESRCH].contains(error.code) else {
                    throw MirrorError(.notFound, "\(error)", remedy: "ip netns list")
                }
                throw MirrorError(error)
            }
        }
        let opened = Result { () throws(MirrorError) in
            try Self.openSocket(source, isOwn: NetworkNamespace.currentInode == own)
        }
        if source.network != nil {
            try MirrorError.catching { try NetworkNamespace.file("/proc/self/fd/\(home)").enter() }
        }
        (packets, network, mtu) = try opened.get()
    }

    var descriptors: [CInt] { [packets, end?.descriptor, network?.descriptor].compactMap(\.self) }

    deinit { close(packets) }

    private static func openSocket(_ source: MirrorSource, isOwn: Bool) throws(MirrorError) -> (
        CInt, RouteSocket?, UInt32?
    ) {
        guard let name = source.interface else {
            guard !isOwn else {
                throw MirrorError(
                    .invalidRequest,
                    "a mirror of all of the network that it is in would show itself",
                    remedy: .nameSource
                )
            }
            let network = try MirrorError.catching { try RouteSocket() }
            return (try socket(0), network, nil)
        }
        let links = try MirrorError.catching { try RouteConnection(try RouteSocket()).links() }
        guard let link = links.first(where: { $0.name == name }) else {
            throw MirrorError(
                .notFound,
                "there is no interface \"\(name)\" in \(source.network.map { "\($0)" } ?? "this network")",
                remedy: "ip link"
            )
        }
        guard link.hasEthernetHeader || link.hasNoHeader else {
            throw MirrorError(.unsupported, "\(name) has packets that are neither Ethernet frames nor IP packets")
        }
        return (try socket(link.index), nil, link.mtu)
    }

    private static func socket(_ index: Int32) throws(MirrorError) -> CInt {
        try MirrorError.catching { try checked(lc_open_mirror_source(index, buffer), "open a packet socket") }
    }
}
