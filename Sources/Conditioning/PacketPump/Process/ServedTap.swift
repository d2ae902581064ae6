// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
internal import LinkRules
internal import LinuxSystem

/// The reason why a pump's process refuses a request.
struct PumpRefusal: Error {
    let reason: String
}

/// A pump's device, and the socket at which clients connect to the pump.
///
/// Making a device needs privileges that serving it does not, so another process may make it and send it. The kernel
/// reports the user that made the socket to clients (SO_PEERCRED of socket(7)). They accept root's sockets.
final class ServedTap: Sendable {
    let device: any FrameDevice
    /// The socket at which clients find the pump; nil if clients use a channel.
    let listener: CInt?

    /// Makes the device, and its socket unless `sockets` is nil.
    init(_ tap: Tap, endsWithNetwork: Bool, sockets: PumpSockets? = nil) throws(PumpRefusal) {
        do {
            device = try FrameDevices.make(tap, endsWithNetwork: endsWithNetwork)
        } catch {
            throw PumpRefusal(reason: "cannot carry packets in userspace: \(error)")
        }
        listener = try sockets?.listen(for: tap.name, device.index)
    }

    deinit { if let listener { close(listener) } }

    /// Sends the device to another process; this process may then release it.
    func send(to channel: MessageChannel) {
        channel.send(
            JSON(
                ("name", .text(device.name)),
                ("index", .number(device.index)),
                ("address", .text(Self.hexadecimal(device.address))),
                ("slotSize", .number(device.ring?.slotSize ?? 0)),
                ("slotCount", .number(device.ring?.slotCount ?? 0))
            )
        )
        channel.send(descriptor: device.descriptor)
        if device.ring != nil { channel.send(descriptor: device.output) }
    }

    /// Waits for a device; nil if the other end is gone.
    init?(receivedFrom channel: MessageChannel) {
        guard let json = channel.receive(),
            let name: String = json.required("name"),
            let index: Int32 = json.required("index"),
            let address = json.required("address").map({ TapDevice.bytes($0) }),
            address.count == 6,
            let slotSize: UInt32 = json.required("slotSize"),
            let slotCount: UInt32 = json.required("slotCount"),
            let descriptor = channel.receiveDescriptor()
        else { return nil }
        if slotCount == 0 {
            device = TapDevice(descriptor: descriptor, name: name, index: index, address: address)
        } else {
            guard let ring = FrameRing(descriptor: descriptor, slotSize: slotSize, slotCount: slotCount),
                let output = channel.receiveDescriptor()
            else { return nil }
            device = VethPair(ring: ring, output: output, name: name, index: index, address: address)
        }
        listener = nil
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
