// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import TestKit

@testable import PacketPump

/// Sends any frames on a device unchanged: packet(7) with PACKET_VNET_HDR. They pass its egress hook.
final class PacketSocket {
    private let descriptor: Int32

    /// On a device of the calling thread's network.
    init(device: String) throws {
        let index = Int32(clamping: if_nametoindex(device))
        descriptor = socket(AF_PACKET, Int32(SOCK_RAW.rawValue), 0)
        guard index > 0, descriptor >= 0 else { throw TestFailure("packet socket on \(device)") }
        var isOn: Int32 = 1
        // PACKET_VNET_HDR; SO_SNDBUFFORCE.
        guard setsockopt(descriptor, 263, 15, &isOn, 4) == 0 else { throw TestFailure("errno \(errno)") }
        var size: Int32 = 1 << 24
        setsockopt(descriptor, SOL_SOCKET, 32, &size, 4)
        // struct sockaddr_ll without a protocol: nothing is received, and frames have the protocol of their header.
        var address = [UInt8](repeating: 0, count: 20)
        address.withUnsafeMutableBytes {
            $0.storeBytes(of: UInt16(AF_PACKET), as: UInt16.self)
            $0.storeBytes(of: index, toByteOffset: 4, as: Int32.self)
        }
        let result = address.withUnsafeBytes {
            $0.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, 20) }
        }
        guard result == 0 else { throw TestFailure("bind to \(device): errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// Whether the kernel accepts the frame: it rejects headers that it recognises as invalid.
    func send(_ header: VirtioHeader, _ frame: [UInt8]) -> Bool {
        let bytes = withUnsafeBytes(of: header) { Array($0) } + frame
        return Glibc.send(descriptor, bytes, bytes.count, 0) == bytes.count
    }
}
