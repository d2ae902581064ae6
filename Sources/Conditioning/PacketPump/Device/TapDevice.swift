// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink

/// A TAP device with virtio-net headers that accepts super-packets and incomplete checksums. It is deleted with its
/// last descriptor unless it is persistent.
///
/// The process reads the frames that the host sends to the device; the frames that it writes arrive at the host from
/// the device. The initialiser brings the device up in the network namespace of the calling thread, with IPv6 disabled
/// if /proc/sys is writable.
package final class TapDevice: Sendable {
    /// The device file for TAP devices.
    package static let controlPath = "/dev/net/tun"
    /// The command to type if the device file cannot be opened.
    package static let remedy = "sudo modprobe tun && sudo chmod 0666 \(controlPath)"

    /// The reason why this process cannot make TAP devices; nil if it can. Opening the file loads the kernel's module.
    package static var accessProblem: TapError? {
        let descriptor = lc_open_tun()
        guard descriptor >= 0 else { return TapError("open \(controlPath)", descriptor) }
        close(descriptor)
        return nil
    }

    /// Work that the kernel leaves to the reader: checksums of TCP and UDP, and TCP super-packets, including those with
    /// CWR.
    private static let tcpOffloads = UInt32(
        lc_offload_checksum | lc_offload_tcp4 | lc_offload_tcp6 | lc_offload_tcp_ecn
    )
    /// UDP super-packets (USO), since Linux 6.2.
    private static let udpOffloads = UInt32(lc_offload_udp4 | lc_offload_udp6)
    /// The largest MTU of a TAP device: a frame of 65535 bytes without its header of 14 (MAX_MTU in drivers/net/tun.c).
    package static let largestMTU = 65_521
    /// The bytes that may be between write(2) and the stack; if there are more, write(2) fails and the frame is lost.
    private static let sendBuffer: Int32 = 1 << 30
    /// The length of the queue of frames to read; the default is 500. Single packets fill it while the pump sleeps.
    private static let queue: UInt32 = 10_000

    package let name: String
    package let index: Int32
    package let address: [UInt8]
    package let descriptor: Int32

    /// Makes a device.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes; the kernel replaces "%d" by a free number.
    ///   - mtu: the MTU of the device whose traffic it carries, up to ``largestMTU``.
    ///   - address: the hardware address; random if nil. For incoming frames it must be that of the conditioned device.
    ///   - endsWithNetwork: whether the device persists until it is deleted or its network namespace ends. Closing the
    ///     last descriptor of a device that does not persist takes the kernel 30 ms.
    package init(
        name: String = "tap%d",
        mtu: Int = largestMTU,
        address: [UInt8]? = nil,
        endsWithNetwork: Bool = false
    ) throws(TapError) {
        let descriptor = try Self.checked("open /dev/net/tun", lc_open_tun())
        do throws(TapError) {
            guard name.utf8.count < 16 else { throw TapError("TUNSETIFF \(name)", -EINVAL) }
            var bytes = Array(name.utf8).map { CChar(bitPattern: $0) }
            bytes += [CChar](repeating: 0, count: 16 - bytes.count)
            var made = lc_make_tap(descriptor, &bytes, 0)
            // The name was free when it was chosen, but a pump that is being killed may keep it until that process has
            // ended.
            for _ in 0..<100 where [-EBUSY, -EEXIST].contains(made) {
                usleep(10_000)
                made = lc_make_tap(descriptor, &bytes, 0)
            }
            try Self.checked("TUNSETIFF \(name)", made)
            let ownName = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            try Self.checked("TUNSETVNETHDRSZ", lc_set_tap_header_size(descriptor, Int32(VirtioHeader.size)))
            if lc_set_tap_offloads(descriptor, Self.tcpOffloads | Self.udpOffloads) < 0 {
                try Self.checked("TUNSETOFFLOAD", lc_set_tap_offloads(descriptor, Self.tcpOffloads))
            }
            try Self.checked("TUNSETSNDBUF", lc_set_tap_send_buffer(descriptor, Self.sendBuffer))
            let link = try Self.bringUp(ownName, mtu: UInt32(clamping: mtu), address: address)
            if endsWithNetwork { try Self.checked("TUNSETPERSIST \(ownName)", lc_keep_tap(descriptor)) }
            index = link.index
            self.address = Self.bytes(link.address)
            self.name = ownName
            self.descriptor = descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Adopts the descriptor of a device that another process has made, with that process's facts about it.
    init(descriptor: Int32, name: String, index: Int32, address: [UInt8]) {
        self.descriptor = descriptor
        self.name = name
        self.index = index
        self.address = address
    }

    deinit { close(descriptor) }

    private static func bringUp(_ name: String, mtu: UInt32, address: [UInt8]?) throws(TapError) -> Link {
        do throws(NetlinkError) {
            let network = RouteConnection(try RouteSocket())
            let address = address?.count == 6 ? address : nil
            try network.perform(LinkRequest.configure(name, queueLength: queue, mtu: mtu, address: address))
            // Without IPv6, the kernel sends no multicast of its own through the device. Fails if /proc/sys is
            // read-only.
            try? ProcFile("/proc/sys/net/ipv6/conf/\(name)/disable_ipv6").write("1")
            try network.perform(LinkRequest.bringUp(name))
            return try network.link(named: name)
        } catch {
            throw TapError(error.operation, -error.code)
        }
    }

    /// The bytes of a hardware address in hexadecimal.
    static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0 }
    }

    @discardableResult
    private static func checked(_ operation: String, _ result: Int32) throws(TapError) -> Int32 {
        guard result >= 0 else { throw TapError(operation, result) }
        return result
    }
}
