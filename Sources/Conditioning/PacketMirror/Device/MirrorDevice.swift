// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink

/// The device of a mirror: a TAP device of the mirror's network, deleted with its last descriptor.
///
/// A mirror sends packets out of the device, where each capturing program sees them; the device then drops them. So no
/// shown packet arrives at this network, and packets that the host sends to the device are dropped, too.
final class MirrorDevice: DescriptorHolder {
    /// The largest MTU of a TAP device (MAX_MTU in drivers/net/tun.c).
    private static let largestMTU: UInt32 = 65_521

    /// The descriptor of the device; readable once the device is gone.
    let descriptor: CInt
    /// The packet socket that sends on the device.
    let output: CInt
    let index: Int32

    var descriptors: [CInt] { [descriptor, output] }

    /// The alias of the device, which any user can read.
    static func alias(of source: MirrorSource) -> String { "shows \(source)\(ending)" }

    /// The source that a device shows, according to its alias; nil if the device is not a mirror's.
    static func source(of link: Link) -> String? {
        guard let alias = link.alias, alias.hasPrefix("shows "), alias.hasSuffix(ending) else { return nil }
        return String(alias.dropFirst("shows ".count).dropLast(ending.count))
    }

    private static let ending = ", by linkcond"

    /// Makes a device in the network of the calling thread.
    ///
    /// - Parameters:
    ///   - mtu: the longest packet in bytes, super-packets aside; nil for the largest MTU.
    ///   - keepsSuperPackets: whether super-packets and incomplete checksums are shown as the source has them.
    init(_ name: MirrorName, of source: MirrorSource, mtu: UInt32?, keepsSuperPackets: Bool) throws(MirrorError) {
        let control = lc_open_tun()
        descriptor = control
        guard control >= 0 else {
            let error = SystemError(operation: "open /dev/net/tun", code: -control)
            guard [ENOENT, ENXIO, ENODEV].contains(error.code) else { throw MirrorError(error) }
            throw MirrorError(.unsupported, "\(error)", remedy: .loadModule)
        }
        do {
            (index, output) = try MirrorError.catching {
                try Self.make(control, name.text, keepsSuperPackets: keepsSuperPackets)
                let index = try Self.setUp(name.text, alias: Self.alias(of: source), mtu: mtu)
                let output = lc_open_mirror_output(index)
                return (index, try checked(output, "open a packet socket on \(name.text)"))
            }
        } catch {
            close(control)
            throw error
        }
    }

    private static func make(_ control: CInt, _ name: String, keepsSuperPackets: Bool) throws {
        let tcp = lc_offload_checksum | lc_offload_tcp4 | lc_offload_tcp6 | lc_offload_tcp_ecn
        let result = lc_make_mirror_device(control, name, keepsSuperPackets ? UInt32(tcp) : 0)
        // EINVAL: a device with this name exists, and is no TAP device.
        guard result == 0 || ![-EBUSY, -EEXIST, -EINVAL].contains(result) || if_nametoindex(name) == 0 else {
            throw MirrorError(.nameTaken, "there is an interface \"\(name)\" already", remedy: "ip link show \(name)")
        }
        try checked(result, "make the device \(name)")
        // Since Linux 6.2.
        if keepsSuperPackets { _ = lc_set_tap_offloads(control, UInt32(tcp | lc_offload_udp4 | lc_offload_udp6)) }
    }

    private static func setUp(_ name: String, alias: String, mtu: UInt32?) throws -> Int32 {
        let network = RouteConnection(try RouteSocket())
        // Either keeps IPv6 off the device. The first fails without IPv6, the second if /proc/sys is read-only.
        try? network.perform(LinkRequest.disableAddressGeneration(of: name))
        try? ProcFile("/proc/sys/net/ipv6/conf/\(name)/disable_ipv6").write("1")
        let bytes = alias.utf8.prefix(LinkRequest.maximumAliasLength)
        try network.perform(LinkRequest.setAlias(String(decoding: bytes, as: UTF8.self), of: name))
        try network.perform(LinkRequest.setMTU(min(mtu ?? largestMTU, largestMTU), of: name))
        try network.perform(LinkRequest.bringUpSilently(name))
        return try network.link(named: name).index
    }

    /// Deletes the device if no other process has its descriptor.
    deinit {
        close(output)
        close(descriptor)
    }
}
