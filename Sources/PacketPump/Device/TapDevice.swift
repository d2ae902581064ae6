// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A TAP device with virtio-net headers that takes super-packets and unfinished checksums, and ends with its last
/// descriptor unless it is told to outlive that.
///
/// What is sent to the device can be read from it, and what is written to it arrives from it. It is up when it is made,
/// in the network namespace of the calling thread, without IPv6 of its own where /proc/sys can be written.
public final class TapDevice: Sendable {
    /// What the other side may leave unfinished.
    public struct Offloads: OptionSet, Sendable {
        /// The bits of TUNSETOFFLOAD.
        public let rawValue: UInt32
        /// Wraps bits of TUNSETOFFLOAD.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Checksums of TCP and UDP.
        public static let checksum = Offloads(rawValue: UInt32(lc_offload_checksum))
        /// TCP super-packets, IPv4 and IPv6, with CWR too.
        public static let tcp = Offloads(
            rawValue: UInt32(lc_offload_tcp4 | lc_offload_tcp6 | lc_offload_tcp_ecn)
        )
        /// UDP super-packets (USO), since Linux 6.2.
        public static let udp = Offloads(rawValue: UInt32(lc_offload_udp4 | lc_offload_udp6))
    }

    /// The device from which TAP devices are made.
    public static let controlPath = "/dev/net/tun"
    /// The largest MTU of a TAP device: 65535 bytes of frame, less 14 of header (MAX_MTU in drivers/net/tun.c).
    public static let largestMTU = 65_521
    /// Bytes that may be on their way from write(2) to the stack; beyond, a write is refused, and the frame would be lost.
    private static let sendBuffer: Int32 = 1 << 30
    /// Frames that wait to be read, 500 where nothing is said. Of super-packets, that is plenty; of single packets it is
    /// what comes in while the pump sleeps.
    private static let queue: Int32 = 10_000

    /// The name it got.
    public let name: String
    /// Its index.
    public let index: Int32
    /// Its hardware address, six bytes.
    public let address: [UInt8]
    /// What the kernel leaves unfinished.
    public let offloads: Offloads
    let descriptor: Int32

    /// Makes a device.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes; "%d" in it becomes a free number.
    ///   - mtu: that of the device whose traffic it carries, up to ``largestMTU``.
    ///   - address: the hardware address; random where absent. Frames that are to arrive at a device must find that
    ///     device's own address here.
    ///   - endsWithNetwork: whether it stays without a descriptor, until somebody deletes it or its network ends. To
    ///     close the last descriptor of one that does not takes the kernel 30 ms.
    public init(
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
            try Self.checked("TUNSETIFF \(name)", lc_make_tap(descriptor, &bytes))
            let ownName = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            try Self.checked("TUNSETVNETHDRSZ", lc_set_tap_header_size(descriptor, Int32(VirtioHeader.size)))
            var offloads: Offloads = [.checksum, .tcp, .udp]
            if lc_set_tap_offloads(descriptor, offloads.rawValue) < 0 {
                offloads = [.checksum, .tcp]
                try Self.checked("TUNSETOFFLOAD", lc_set_tap_offloads(descriptor, offloads.rawValue))
            }
            try Self.checked("TUNSETSNDBUF", lc_set_tap_send_buffer(descriptor, Self.sendBuffer))
            try Self.checked("set txqueuelen of \(ownName)", lc_set_device_queue(ownName, Self.queue))
            try Self.checked("set MTU of \(ownName)", lc_set_device_mtu(ownName, Int32(clamping: mtu)))
            if let address, address.count == 6 {
                try Self.checked("set address of \(ownName)", lc_set_device_address(ownName, address))
            }
            var own = [UInt8](repeating: 0, count: 6)
            try Self.checked("read address of \(ownName)", lc_device_address(ownName, &own))
            Self.disableIPv6(ownName)
            if endsWithNetwork { try Self.checked("TUNSETPERSIST \(ownName)", lc_keep_tap(descriptor)) }
            try Self.checked("set \(ownName) up", lc_set_device_up(ownName))
            index = try Self.checked("read index of \(ownName)", lc_device_index(ownName))
            self.address = own
            self.name = ownName
            self.offloads = offloads
            self.descriptor = descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Keeps the kernel from sending its own multicast through the device; where /proc is read-only that is left to
    /// whoever can.
    private static func disableIPv6(_ name: String) {
        let file = open("/proc/sys/net/ipv6/conf/\(name)/disable_ipv6", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, "1", 1)
        close(file)
    }

    @discardableResult
    private static func checked(_ operation: String, _ result: Int32) throws(TapError) -> Int32 {
        guard result >= 0 else { throw TapError(operation, result) }
        return result
    }
}
