// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink

/// A pair of virtual Ethernet devices in place of a TAP device, for processes without /dev/net/tun. The pair has its
/// near end's name, and stays until its network namespace ends.
///
/// Frames sent to the near end are read from a ring before they reach the far end. Frames are written to the far end,
/// so that they arrive from the near one. The kernel splits super-packets before the ring, whose slots for them would
/// take gigabytes. Therefore a pair carries a fraction of the traffic that a TAP device carries.
package final class VethPair: FrameDevice {
    package let name: String
    package let index: Int32
    package let address: [UInt8]
    package let output: Int32
    let frames: FrameRing

    package var descriptor: Int32 { frames.descriptor }
    package var ring: FrameRing? { frames }

    /// The reason why this process cannot make a pair in the calling thread's network namespace; nil if it can.
    package static var accessProblem: TapError? {
        let descriptor = lc_open_frame_output(0)
        guard descriptor >= 0 else { return TapError("open a packet socket", descriptor) }
        close(descriptor)
        do throws(NetlinkError) {
            guard try RouteConnection(RouteSocket()).hasLinks(ofKind: "veth") else {
                return TapError("add a veth pair", -EOPNOTSUPP)
            }
            return nil
        } catch {
            return TapError(error.operation, -error.code)
        }
    }

    /// The suffix of the far end's name.
    private static let suffix = "-far"

    /// The name of the near end whose far end is named `far`; nil if `far` is not the name of a far end.
    package static func nearEnd(of far: String) -> String? {
        far.hasSuffix(suffix) ? String(far.dropLast(suffix.count)) : nil
    }

    /// Makes a pair and brings it up, in the network namespace of the calling thread.
    ///
    /// - Parameter mtu: the MTU of the device whose traffic it carries. Longer frames are lost.
    package init(name: String, mtu: UInt32) throws(TapError) {
        let far = name + Self.suffix
        let connection: RouteConnection
        let (near, farIndex): (Link, Int32)
        do throws(NetlinkError) {
            connection = RouteConnection(try RouteSocket())
            try connection.perform(LinkRequest.addVeth(name, peer: far, mtu: mtu))
            // The far end first: the near one has a carrier from the start then, and accepts packets at once.
            for end in [far, name] { try Self.bringUp(end, connection) }
            (near, farIndex) = (try connection.link(named: name), try connection.link(named: far).index)
        } catch {
            throw TapError(error.operation, -error.code)
        }
        frames = try FrameRing.open(interface: near.index, mtu: mtu)
        output = lc_open_frame_output(farIndex)
        (self.name, index, address) = (name, near.index, TapDevice.bytes(near.address))
        guard output >= 0 else { throw TapError("open a packet socket", output) }
    }

    /// Adopts the descriptors of a pair that another process has made, with that process's facts about it.
    init(ring: FrameRing, output: Int32, name: String, index: Int32, address: [UInt8]) {
        (frames, self.output, self.name, self.index, self.address) = (ring, output, name, index, address)
    }

    deinit { if output >= 0 { close(output) } }

    /// Brings an end up, without IPv6 or its addresses, so that the kernel sends no multicast of its own.
    private static func bringUp(_ name: String, _ connection: RouteConnection) throws(NetlinkError) {
        try? ProcFile("/proc/sys/net/ipv6/conf/\(name)/disable_ipv6").write("1")
        do {
            try connection.perform(LinkRequest.disableAddressGeneration(of: name))
        } catch  where error.code == EAFNOSUPPORT {
            // A kernel without IPv6.
        }
        try connection.perform(LinkRequest.bringUpSilently(name))
    }
}
