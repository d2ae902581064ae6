// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinuxSystem
package import Netlink
internal import PacketPump

/// A TUN device with virtio-net headers: IP packets without a link layer, super-packets and partial checksums among
/// them.
package struct TunDevice: Sendable {
    package let name: String
    package let descriptor: CInt

    /// The most bytes that may be queued between write(2) and the network stack.
    private static let sendBuffer: CInt = 1 << 30
    /// The most packets that wait to be read; the kernel's default is 500.
    private static let queue: UInt32 = 10_000

    /// Makes the device in the network of the calling thread, and brings it up.
    package init(name: String, mtu: UInt32, _ connection: RouteConnection) throws(SystemError) {
        let descriptor = try checked(lc_open_tun(), "open \(TapDevice.controlPath)")
        do throws(SystemError) {
            var bytes = Array(name.utf8).map { CChar(bitPattern: $0) }
            bytes += [CChar](repeating: 0, count: 16 - bytes.count)
            try checked(lc_make_tap(descriptor, &bytes, 1), "make the device \(name)")
            // The device lasts as long as its network. Otherwise the last close(2), at the end of a process, would wait
            // 20 to 40 ms for the device's removal.
            try checked(lc_keep_tap(descriptor), "keep the device \(name)")
            try checked(lc_set_tap_header_size(descriptor, CInt(VirtioHeader.size)), "set the header of \(name)")
            let tcp = UInt32(lc_offload_checksum | lc_offload_tcp4 | lc_offload_tcp6 | lc_offload_tcp_ecn)
            if lc_set_tap_offloads(descriptor, tcp | UInt32(lc_offload_udp4 | lc_offload_udp6)) < 0 {
                try checked(lc_set_tap_offloads(descriptor, tcp), "set the offloads of \(name)")
            }
            try checked(lc_set_tap_send_buffer(descriptor, Self.sendBuffer), "set the buffer of \(name)")
            do throws(NetlinkError) {
                try connection.perform(LinkRequest.configure(name, queueLength: Self.queue, mtu: mtu))
                try connection.perform(LinkRequest.bringUp(name))
            } catch {
                throw SystemError(operation: error.operation, code: error.code)
            }
        } catch {
            close(descriptor)
            throw error
        }
        (self.name, self.descriptor) = (name, descriptor)
    }
}
